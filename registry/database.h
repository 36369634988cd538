// SQLite, as far as a registry needs it: errors are exceptions, statements are prepared once, and a
// file from elsewhere can neither compute without end nor run code of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "model/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace platter::registry {

// An SQLite file that is none, is damaged, of another version, locked, or cannot be written.
class UnusableTable : public Error {
 public:
  explicit UnusableTable(const std::string& sentence) : Error(ExitStatus::bad_input, sentence) {}
};

// One execution of a prepared statement; the next begins when this has ended.
class Rows {
 public:
  Rows(sqlite3* database, sqlite3_stmt* statement, const std::string& path);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Rows& bind(std::string_view text);  // the next parameter
  Rows& bind(std::int64_t number);
  Rows& bind(double number);
  Rows& bind_null();

  bool step();  // false: no row more
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  void check(int status) const;

  sqlite3* database_;
  sqlite3_stmt* statement_;
  const std::string& path_;
  int bound_ = 0;
};

class Database {
 public:
  enum class Access { read, write, create };
  // ":memory:" is a file that nobody else sees.
  Database(const std::string& path, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  Rows run(const std::string& sql);      // one statement; it is kept prepared
  void execute(const std::string& sql);  // several, without parameters or rows
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace platter::registry

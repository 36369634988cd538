#include "registry/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <utility>

#include "model/file.h"

namespace platter::registry {
namespace {

// A row holds the annotations of a manifest, which has at most 4 MiB.
constexpr int kLargestValue = 32 << 20;
constexpr int kMillionSteps = 1'000'000;
constexpr int kPatience = 2000;     // million steps of SQLite's machine: a scan of 100,000 rows
                                    // takes two
constexpr int kMostWaiting = 2000;  // ms; who holds the lock needs a few

[[noreturn]] void unusable(const std::string& path, const char* why) {
  throw UnusableTable(fmt::format("{}: is no index that can be used: {}", path, why));
}

}  // namespace

Rows::Rows(sqlite3* database, sqlite3_stmt* statement, const std::string& path)
    : database_(database), statement_(statement), path_(path) {}

Rows::~Rows() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Rows::check(int status) const {
  if (status != SQLITE_OK) unusable(path_, sqlite3_errmsg(database_));
}

Rows& Rows::bind(std::string_view text) {
  check(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Rows& Rows::bind(std::int64_t number) {
  check(sqlite3_bind_int64(statement_, ++bound_, number));
  return *this;
}

Rows& Rows::bind(double number) {
  check(sqlite3_bind_double(statement_, ++bound_, number));
  return *this;
}

Rows& Rows::bind_null() {
  check(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

bool Rows::step() {
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) check(status);
  return status == SQLITE_ROW;
}

std::string Rows::text(int column) const {
  const unsigned char* const value = sqlite3_column_text(statement_, column);
  if (value == nullptr) return "";
  return {reinterpret_cast<const char*>(value),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t Rows::number(int column) const { return sqlite3_column_int64(statement_, column); }

struct Database::State {
  explicit State(std::string where) : path(std::move(where)) {}
  ~State() {
    for (const auto& [sql, statement] : statements) sqlite3_finalize(statement);
    sqlite3_close(connection);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::string path;
  int patience = kPatience;
  sqlite3* connection = nullptr;
  std::map<std::string, sqlite3_stmt*> statements;
};

Database::Database(const std::string& path, Access access) : state_(std::make_unique<State>(path)) {
  for (const std::string& file : {path, path + "-journal"}) {
    std::error_code none;  // a pipe would be waited for
    if (std::filesystem::exists(file, none) && !model::is_file(file))
      unusable(path, "it or its journal is no file");
  }
  const int flags = access == Access::read    ? SQLITE_OPEN_READONLY
                    : access == Access::write ? SQLITE_OPEN_READWRITE
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(path.c_str(), &state_->connection, flags, nullptr);
  sqlite3* const opened = state_->connection;
  if (status != SQLITE_OK) unusable(path, opened == nullptr ? "no memory" : sqlite3_errmsg(opened));
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kLargestValue);
  sqlite3_busy_timeout(opened, kMostWaiting);
  if (access == Access::create) return;
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_progress_handler(
      opened, kMillionSteps, [](void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; },
      &state_->patience);
}

Database::~Database() = default;
Database::Database(Database&& other) noexcept = default;

const std::string& Database::path() const { return state_->path; }

Rows Database::run(const std::string& sql) {
  sqlite3_stmt*& statement = state_->statements[sql];
  if (statement == nullptr &&
      sqlite3_prepare_v2(state_->connection, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    unusable(state_->path, sqlite3_errmsg(state_->connection));
  }
  return {state_->connection, statement, state_->path};
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(state_->connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    unusable(state_->path, sqlite3_errmsg(state_->connection));
}

}  // namespace platter::registry

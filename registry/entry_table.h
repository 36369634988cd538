// Entries as a table that is searched in milliseconds: one SQLite file for the folder, and one of
// the same form for each remote.
//
// Columns hold what ranges are asked of, in a narrow table that is soon read whole. Words are found
// by an index of their trigrams (SQLite's FTS5), which knows candidates only; then they are looked
// for in the text. What is shown lies in a table of its own.
//
// All functions throw UnusableTable (database.h): the file is damaged, foreign, of another version,
// locked by somebody who does not go on, or cannot be written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "registry/database.h"
#include "registry/entry.h"
#include "registry/layout_entries.h"
#include "registry/query.h"

namespace platter::registry {

class EntryTable {
 public:
  // A new file in place of what lies there. Nothing in it is safe before commit(), so whoever
  // fills it gives it its name afterwards. ":memory:" is one without a file.
  static EntryTable create(const std::string& path);
  // Who writes must be alone: the folder's lock is held.
  static EntryTable open_for_writing(const std::string& path);
  // Never writes, not to mend either.
  static EntryTable open(const std::string& path);

  // What is changed in between is there whole or not at all.
  void begin();
  void commit();

  void insert(const Entry& entry);
  void remove_drive(const std::string& drive);  // its entries and damage
  // All whose drive's identity (vnd.platter.drive) has this first digit after "sha256:".
  void remove_where_identity_begins(char hex_digit);
  void remember(const Damage& damage);
  // After much was inserted: the trigrams of all rows lie together.
  void optimize();

  struct Hit {
    std::int64_t row;
    std::string drive, digest;
  };
  // In the order of insertion, at most `most`, without those of the drives in `but_of`.
  std::vector<Hit> find(const Query& query, std::size_t most,
                        const std::function<bool(const std::string& drive)>& but_of = {});
  // Of the entries that are still there. They are read a few at a time, and nothing is locked while
  // `visit` works.
  void read(const std::vector<Hit>& hits, const std::function<void(Entry&)>& visit);

  std::vector<Damage> damages();
  bool has_damage(const std::string& drive);
  bool has(const std::string& drive, const std::string& digest);
  std::size_t size();

 private:
  explicit EntryTable(Database database) : database_(std::move(database)) {}
  void require_own_form();
  void remove_row(std::int64_t row);

  Database database_;
};

// The names, titles and values in which words are looked for, in small letters. Digests and lists
// in JSON are not among them.
std::string searched_text(const Entry& entry);

}  // namespace platter::registry

#include "registry/search_index.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "registry/digest.h"
#include "registry/reference.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kSchema = R"(
  PRAGMA user_version = 1;
  CREATE TABLE layouts (drive TEXT PRIMARY KEY, index_digest TEXT NOT NULL);
  CREATE TABLE problems (drive TEXT NOT NULL, sentence TEXT NOT NULL);
  CREATE TABLE entries (
    drive TEXT NOT NULL, tag TEXT NOT NULL, digest TEXT NOT NULL, latest INTEGER NOT NULL,
    annotations TEXT NOT NULL,  -- a JSON object
    files TEXT NOT NULL,        -- a JSON list
    words TEXT NOT NULL);)";
constexpr int kSchemaVersion = 1;

// A file that is no index any more, or never was; it is made anew.
class Unusable : public std::runtime_error {
  using runtime_error::runtime_error;
};

class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int position, const std::string& text) {
    check(sqlite3_bind_text(statement_, position, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT));
    return *this;
  }

  bool step() {
    const int status = sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) check(status);
    return status == SQLITE_ROW;
  }

  std::string text(int column) {
    const unsigned char* const value = sqlite3_column_text(statement_, column);
    return value == nullptr ? "" : reinterpret_cast<const char*>(value);
  }
  int number(int column) { return sqlite3_column_int(statement_, column); }

 private:
  void check(int status) const {
    if (status != SQLITE_OK) throw Unusable(sqlite3_errmsg(database_));
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  Database(const std::string& path, int flags) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    database_.reset(opened);
    if (status != SQLITE_OK)
      throw Unusable(opened == nullptr ? "no memory" : sqlite3_errmsg(opened));
    if ((flags & SQLITE_OPEN_READONLY) == 0) return;
    // A file from elsewhere may have views in place of tables, which compute without end.
    constexpr int kSteps = 1'000'000;
    sqlite3_progress_handler(
        opened, kSteps, [](void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; },
        &patience_);
  }

  Statement prepare(const std::string& sql) { return {database_.get(), sql}; }

  void execute(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw Unusable(sqlite3_errmsg(database_.get()));
    }
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  int patience_ = 200;  // million steps
  std::unique_ptr<sqlite3, Close> database_;
};

// ---------------------------------------------------------------- what the layouts say

Entry entry_of(const Layout& layout, const Descriptor& descriptor, const Manifest& manifest,
               const ImageIndex& index) {
  Entry entry{layout.drive(), tag_of(index, descriptor.digest), descriptor.digest, false,
              manifest.annotations};
  for (const Descriptor& other : index.manifests) {
    entry.latest |= other.digest == descriptor.digest && other.annotation(kTagKey) == "latest";
  }
  for (const Descriptor& layer : manifest.layers)
    entry.files.push_back(layer.annotation(kTitleKey));
  return entry;
}

// Signatures and whatever else shares the layout are no entries.
void read_layout(const Layout& layout, Listing& listing) {
  const ImageIndex index = layout.index();
  std::set<std::string> seen;
  for (const Descriptor& descriptor : index.manifests) {
    if (!seen.insert(descriptor.digest).second) continue;
    if (descriptor.media_type != kManifestType) continue;
    try {
      const Manifest manifest = layout.manifest(descriptor);
      if (manifest.is_model()) {
        listing.entries.push_back(entry_of(layout, descriptor, manifest, index));
      }
    } catch (const Error& error) {
      listing.problems.push_back(error.what());
    }
  }
}

Listing read_drive(const Layout& layout) {
  Listing listing;
  try {
    read_layout(layout, listing);
  } catch (const Error& error) {
    listing.problems.push_back(error.what());
  }
  return listing;
}

// ---------------------------------------------------------------- the database

std::string lower(const std::string& text) {
  std::string letters = text;
  for (char& c : letters) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return letters;
}

std::string words_of(const Entry& entry) {
  std::string words = entry.drive + "\n" + entry.tag + "\n" + entry.digest;
  for (const auto& [key, value] : entry.annotations) words += "\n" + value;
  for (const std::string& file : entry.files) words += "\n" + file;
  return lower(words);
}

std::string index_digest(const Layout& layout) {
  try {
    return digest_of(layout.index_text());
  } catch (const Error&) {
    return "";
  }
}

void insert(Database& database, const Entry& entry) {
  Statement row = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)");
  row.bind(1, entry.drive)
      .bind(2, entry.tag)
      .bind(3, entry.digest)
      .bind(4, entry.latest ? "1" : "0");
  row.bind(5, Json(entry.annotations).dump()).bind(6, Json(entry.files).dump());
  row.bind(7, words_of(entry)).step();
}

void fill(Database& database, const Store& store) {
  database.execute("BEGIN");
  database.execute(kSchema);
  for (const std::string& drive : store.drives()) {
    const Layout layout = store.layout(drive);
    const std::string digest = index_digest(layout);
    const Listing listing = read_drive(layout);
    database.prepare("INSERT INTO layouts VALUES (?, ?)").bind(1, drive).bind(2, digest).step();
    for (const Entry& entry : listing.entries) insert(database, entry);
    for (const std::string& problem : listing.problems) {
      database.prepare("INSERT INTO problems VALUES (?, ?)").bind(1, drive).bind(2, problem).step();
    }
  }
  database.execute("COMMIT");
}

// Every layout is in it as it is now, and nothing was wrong then (what is wrong is looked at anew).
bool is_fresh(Database& database, const Store& store) {
  Statement version = database.prepare("PRAGMA user_version");
  if (!version.step() || version.number(0) != kSchemaVersion) return false;
  if (database.prepare("SELECT 1 FROM problems").step()) return false;
  std::set<std::pair<std::string, std::string>> kept, now;
  Statement rows = database.prepare("SELECT drive, index_digest FROM layouts");
  while (rows.step()) kept.emplace(rows.text(0), rows.text(1));
  for (const std::string& drive : store.drives())
    now.emplace(drive, index_digest(store.layout(drive)));
  return kept == now;
}

Listing select(Database& database, const std::vector<std::string>& words) {
  std::string sql = "SELECT drive, tag, digest, latest, annotations, files FROM entries WHERE 1";
  for (std::size_t i = 0; i < words.size(); ++i) sql += " AND instr(words, ?) > 0";
  Statement rows = database.prepare(sql + " ORDER BY rowid");
  for (std::size_t i = 0; i < words.size(); ++i)
    rows.bind(static_cast<int>(i + 1), lower(words[i]));
  Listing listing;
  while (rows.step()) {
    listing.entries.push_back({rows.text(0), rows.text(1), rows.text(2), rows.number(3) != 0,
                               Json::parse(rows.text(4)).get<Annotations>(),
                               Json::parse(rows.text(5)).get<std::vector<std::string>>()});
  }
  Statement problems = database.prepare("SELECT sentence FROM problems");
  while (problems.step()) listing.problems.push_back(problems.text(0));
  return listing;
}

// Else it is made anew: what is no file would be waited for, what is larger takes too long.
bool is_small_file(const std::string& path) {
  std::error_code failed;
  return model::is_file(path) && fs::file_size(path, failed) <= model::kLargestFile;
}

constexpr int kCreate = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

// Made beside its place and renamed, so that another process reads the old one or the new one.
void rebuild(const Store& store) {
  const std::string made = fmt::format("{}.{}", search_index_path(store), ::getpid());
  const model::Leftover leftover(made), journal(made + "-journal");
  std::error_code ignored;
  try {
    Database database(made, kCreate);
    fill(database, store);
  } catch (...) {
    fs::remove(made, ignored);
    throw;
  }
  std::error_code failed;
  fs::rename(made, search_index_path(store), failed);
  if (failed) {
    fs::remove(made, ignored);
    throw Unusable(failed.message());
  }
}

}  // namespace

std::string search_index_path(const Store& store) { return store.folder() + "/search.sqlite"; }

Listing search(const Store& store, const std::vector<std::string>& words) {
  store.require();
  try {
    if (is_small_file(search_index_path(store))) {
      Database database(search_index_path(store), SQLITE_OPEN_READONLY);
      if (is_fresh(database, store)) return select(database, words);
    }
  } catch (const std::exception&) {  // Unusable, or nlohmann's: what is no JSON any more
  }
  try {
    rebuild(store);
    Database database(search_index_path(store), SQLITE_OPEN_READONLY);
    return select(database, words);
  } catch (const Unusable&) {
    Database database(":memory:", kCreate);
    fill(database, store);
    return select(database, words);
  }
}

std::size_t rebuild_search_index(const Store& store) {
  store.require();
  try {
    rebuild(store);
    Database database(search_index_path(store), SQLITE_OPEN_READONLY);
    return select(database, {}).entries.size();
  } catch (const Unusable& why) {
    throw Error(ExitStatus::output, fmt::format("{}: cannot be written: {}; list and search do "
                                                "without it",
                                                search_index_path(store), why.what()));
  }
}

}  // namespace platter::registry

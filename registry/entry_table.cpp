#include "registry/entry_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "model/json_text.h"
#include "model/number_in.h"
#include "model/strict_json.h"
#include "registry/digest.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr int kTableVersion = 2;

struct SchemaPart {
  const char* name;
  const char* sql;
};

// As SQLite keeps them, word by word: a file that says something else is not ours.
constexpr std::array<SchemaPart, 9> kSchemaParts = {{
    {"entries",
     "CREATE TABLE entries (id INTEGER PRIMARY KEY, drive TEXT NOT NULL, tag TEXT NOT NULL, "
     "digest TEXT NOT NULL, latest INTEGER NOT NULL, identity TEXT NOT NULL, "
     "vendor TEXT NOT NULL, product TEXT NOT NULL, revision TEXT NOT NULL, capacity REAL, rpm "
     "REAL, "
     "form_factor TEXT NOT NULL, block_size REAL, method TEXT NOT NULL, date TEXT NOT NULL)"},
    {"by_drive", "CREATE INDEX by_drive ON entries (drive)"},
    {"by_digest", "CREATE INDEX by_digest ON entries (digest)"},
    {"by_identity", "CREATE INDEX by_identity ON entries (identity)"},
    {"demerits",
     "CREATE TABLE demerits (entry INTEGER NOT NULL, workload TEXT NOT NULL, percent REAL NOT "
     "NULL, "
     "PRIMARY KEY (entry, workload, percent)) WITHOUT ROWID"},
    {"shown",
     "CREATE TABLE shown (id INTEGER PRIMARY KEY, annotations TEXT NOT NULL, files TEXT NOT NULL, "
     "signatures TEXT NOT NULL)"},
    {"texts", "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"},
    {"damage",
     "CREATE TABLE damage (drive TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, "
     "sentence TEXT NOT NULL)"},
    {"words",
     "CREATE VIRTUAL TABLE words USING fts5(text, content='texts', content_rowid='id', "
     "tokenize='trigram', detail=none, columnsize=0)"},
}};

std::string lower_case(std::string_view text) {
  std::string letters(text);
  for (char& c : letters) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return letters;
}

// ---------------------------------------------------------------- words

// Unique digits would fill the index with trigrams that nobody looks for; digests have columns.
bool is_searched(const std::string& value) {
  return !is_digest(value) && !value.starts_with('[') && !value.starts_with('{');
}

// Trigrams of ASCII: the others are left to the comparison with the text.
std::set<std::string> trigrams(const std::string& word) {
  std::set<std::string> found;
  for (std::size_t i = 0; i + 3 <= word.size(); ++i) {
    const std::string trigram = word.substr(i, 3);
    if (std::all_of(trigram.begin(), trigram.end(), [](char c) { return c > 0; }))
      found.insert(trigram);
  }
  return found;
}

// FTS5's expression for texts that may hold all of the words; empty where it cannot help.
std::string candidates(const std::vector<std::string>& words) {
  std::set<std::string> needed;
  for (const std::string& word : words) needed.merge(trigrams(word));
  std::string expression;
  for (const std::string& trigram : needed) {
    if (!expression.empty()) expression += " AND ";
    expression += '"';
    for (const char c : trigram) expression += c == '"' ? std::string("\"\"") : std::string(1, c);
    expression += '"';
  }
  return expression;
}

// "sha256:" and any number of hexadecimal digits, or eight of them at least; else empty.
std::string beginning_of_digest(const std::string& word) {
  constexpr std::string_view kSha = "sha256:";
  const bool named = word.starts_with(kSha);
  const std::string digits = named ? word.substr(kSha.size()) : word;
  if (digits.size() > 64 || (!named && digits.size() < 8)) return "";
  if (digits.find_first_not_of("0123456789abcdef") != std::string::npos) return "";
  return std::string(kSha) + digits;
}

// ---------------------------------------------------------------- a query as SQL

// Conditions and what is bound to their question marks, in their order.
class Conditions {
 public:
  void add(const std::string& sql, const std::vector<std::string>& texts = {}) {
    where_ += " AND " + sql;
    for (const std::string& text : texts) bound_.push_back({text, 0, true});
  }

  void begins(const char* column, const std::string& value) {
    if (value.empty()) return;
    const std::string small = lower_case(value);
    add(fmt::format("substr({}, 1, length(?)) = ?", column), {small, small});
  }

  void range(const std::string& column, const Range& range) {
    if (range.least) add_number(column + (range.above ? " > ?" : " >= ?"), *range.least);
    if (range.most) add_number(column + (range.below ? " < ?" : " <= ?"), *range.most);
  }

  void demerit(const std::string& workload, const Range& wanted) {
    add("EXISTS (SELECT 1 FROM demerits WHERE entry = e.id AND instr(lower(workload), lower(?)) > "
        "0",
        {lower_case(workload)});
    range("percent", wanted);
    where_ += ")";
  }

  const std::string& where() const { return where_; }

  void bind_to(Rows& rows) const {
    for (const Bound& bound : bound_) {
      if (bound.is_text) {
        rows.bind(bound.text);
      } else {
        rows.bind(bound.number);
      }
    }
  }

 private:
  struct Bound {
    std::string text;
    double number;
    bool is_text;
  };
  void add_number(const std::string& sql, double number) {
    where_ += " AND " + sql;
    bound_.push_back({"", number, false});
  }

  std::string where_;
  std::vector<Bound> bound_;
};

void add_digest(Conditions& conditions, const std::string& word, const std::string& digest) {
  const std::string trigrams = candidates({word});
  const std::string in_text = "instr((SELECT text FROM texts WHERE id = e.id), ?) > 0";
  // 'g' follows every hexadecimal digit.
  if (trigrams.empty()) {
    conditions.add("(" + in_text + " OR (e.digest >= ? AND e.digest < ?))",
                   {word, digest, digest + "g"});
  } else {
    conditions.add(
        "e.id IN (SELECT rowid FROM words WHERE words MATCH ? "
        "UNION SELECT id FROM entries WHERE digest >= ? AND digest < ?)",
        {trigrams, digest, digest + "g"});
    conditions.add("(" + in_text + " OR (e.digest >= ? AND e.digest < ?))",
                   {word, digest, digest + "g"});
  }
}

}  // namespace

// ---------------------------------------------------------------- the file

EntryTable EntryTable::create(const std::string& path) {
  if (path != ":memory:") {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    std::filesystem::remove(path + "-journal", ignored);
  }
  EntryTable table(Database(path, Database::Access::create));
  table.database_.execute("PRAGMA journal_mode = OFF; PRAGMA cache_size = -32000");
  table.begin();
  for (const SchemaPart& part : kSchemaParts) table.database_.execute(part.sql);
  table.database_.execute(fmt::format("PRAGMA user_version = {}", kTableVersion));
  table.commit();
  return table;
}

EntryTable EntryTable::open_for_writing(const std::string& path) {
  EntryTable table(Database(path, Database::Access::write));
  // EXTRA: the journal's end is on stable storage too when the transaction is.
  table.database_.execute("PRAGMA synchronous = EXTRA");
  table.require_own_form();
  return table;
}

EntryTable EntryTable::open(const std::string& path) {
  EntryTable table(Database(path, Database::Access::read));
  table.require_own_form();
  return table;
}

void EntryTable::require_own_form() {
  const auto fail = [&](const char* why) {
    throw UnusableTable(fmt::format("{}: is no index that can be used: {}", database_.path(), why));
  };
  Rows version = database_.run("PRAGMA user_version");
  if (!version.step() || version.number(0) != kTableVersion) fail("it is of another version");
  std::size_t own = 0;
  Rows rows = database_.run("SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  while (rows.step()) {
    const std::string name = rows.text(0), type = rows.text(1), sql = rows.text(2);
    const auto part = std::find_if(kSchemaParts.begin(), kSchemaParts.end(),
                                   [&](const SchemaPart& known) { return name == known.name; });
    if (part != kSchemaParts.end() && sql == part->sql) {
      ++own;
    } else if (part != kSchemaParts.end() || type != "table" || !name.starts_with("words_") ||
               !sql.starts_with("CREATE TABLE ")) {  // FTS5's own tables
      fail("it holds what platter never made");
    }
  }
  if (own != kSchemaParts.size()) fail("it lacks tables");
}

void EntryTable::begin() { database_.execute("BEGIN"); }
void EntryTable::commit() { database_.execute("COMMIT"); }

// ---------------------------------------------------------------- writing

std::string searched_text(const Entry& entry) {
  std::vector<std::string> parts = {lower_case(entry.drive), lower_case(entry.tag)};
  for (const auto& [key, value] : entry.annotations)
    if (is_searched(value)) parts.push_back(lower_case(value));
  for (const std::string& file : entry.files) parts.push_back(lower_case(file));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  std::string text;
  for (std::string& part : parts) {
    std::replace(part.begin(), part.end(), '\0', ' ');
    if (text.find(part) != std::string::npos) continue;  // the product in the title, say
    if (!text.empty()) text += '\n';
    text += part;
  }
  return text;
}

void EntryTable::insert(const Entry& entry) {
  const auto said = [&](const char* key) { return entry.annotation(key); };
  const auto bind_number = [](Rows& rows, std::optional<double> number) {
    if (number) {
      rows.bind(*number);
    } else {
      rows.bind_null();
    }
  };
  const auto blocks = model::number_in<double>(said("vnd.platter.blocks"));
  const auto block_size = model::number_in<double>(said("vnd.platter.block_bytes"));
  std::int64_t id = 0;
  {
    Rows last = database_.run("SELECT max(id) FROM entries");
    if (last.step()) id = last.number(0) + 1;
  }
  {
    Rows row =
        database_.run("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(id).bind(entry.drive).bind(entry.tag).bind(entry.digest);
    row.bind(std::int64_t{entry.latest}).bind(said(kDriveKey));
    row.bind(lower_case(said("vnd.platter.vendor"))).bind(lower_case(said("vnd.platter.product")));
    row.bind(lower_case(said("vnd.platter.revision")));
    bind_number(row, blocks && block_size ? std::optional(*blocks * *block_size) : std::nullopt);
    bind_number(row, model::number_in<double>(said("vnd.platter.rpm")));
    row.bind(lower_case(said("vnd.platter.form_factor")));
    bind_number(row, block_size);
    row.bind(lower_case(said("vnd.platter.method")));
    row.bind(said("org.opencontainers.image.created"));
    row.step();
  }
  const Json demerits = model::parse_or_null<Json>(said("vnd.platter.demerits"));
  if (demerits.is_array()) {
    for (const Json& demerit : demerits) {
      if (!demerit.is_object()) continue;
      const Json workload = demerit.value("workload", Json()),
                 percent = demerit.value("demerit_percent", Json());
      if (!workload.is_string() || !percent.is_number()) continue;
      database_.run("INSERT OR IGNORE INTO demerits VALUES (?, ?, ?)")
          .bind(id)
          .bind(lower_case(workload.get<std::string>()))
          .bind(percent.get<double>())
          .step();
    }
  }
  Json signatures = Json::array();
  for (const Signature& signature : entry.signatures)
    signatures.push_back({signature.payload, signature.base64});
  const auto dumped = [](const Json& json) { return model::json_text(json); };
  database_.run("INSERT INTO shown VALUES (?, ?, ?, ?)")
      .bind(id)
      .bind(dumped(entry.annotations))
      .bind(dumped(entry.files))
      .bind(dumped(signatures))
      .step();
  const std::string text = searched_text(entry);
  database_.run("INSERT INTO texts VALUES (?, ?)").bind(id).bind(text).step();
  database_.run("INSERT INTO words (rowid, text) VALUES (?, ?)").bind(id).bind(text).step();
}

void EntryTable::remove_row(std::int64_t row) {
  std::string text;
  {
    Rows texts = database_.run("SELECT text FROM texts WHERE id = ?");
    if (texts.bind(row).step()) text = texts.text(0);
  }
  database_.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)")
      .bind(row)
      .bind(text)
      .step();
  for (const char* sql :
       {"DELETE FROM texts WHERE id = ?", "DELETE FROM shown WHERE id = ?",
        "DELETE FROM demerits WHERE entry = ?", "DELETE FROM entries WHERE id = ?"})
    database_.run(sql).bind(row).step();
}

void EntryTable::remove_drive(const std::string& drive) {
  std::vector<std::int64_t> ids;
  {
    Rows rows = database_.run("SELECT id FROM entries WHERE drive = ?");
    rows.bind(drive);
    while (rows.step()) ids.push_back(rows.number(0));
  }
  for (const std::int64_t id : ids) remove_row(id);
  database_.run("DELETE FROM damage WHERE drive = ?").bind(drive).step();
}

void EntryTable::remove_where_identity_begins(char hex_digit) {
  const std::string beginning = std::string("sha256:") + hex_digit;
  std::vector<std::int64_t> ids;
  {
    Rows rows = database_.run("SELECT id FROM entries WHERE identity >= ? AND identity < ?");
    rows.bind(beginning).bind(beginning + "g");
    while (rows.step()) ids.push_back(rows.number(0));
  }
  for (const std::int64_t id : ids) remove_row(id);
}

void EntryTable::remember(const Damage& damage) {
  database_.run("INSERT INTO damage VALUES (?, ?, ?, ?)")
      .bind(damage.drive)
      .bind(damage.path)
      .bind(damage.state)
      .bind(damage.sentence)
      .step();
}

void EntryTable::optimize() { database_.execute("INSERT INTO words (words) VALUES ('optimize')"); }

// ---------------------------------------------------------------- reading

std::vector<EntryTable::Hit> EntryTable::find(
    const Query& query, std::size_t most,
    const std::function<bool(const std::string& drive)>& but_of) {
  Conditions conditions;
  std::vector<std::string> in_texts;
  std::vector<std::pair<std::string, std::string>> digests;  // word, beginning of the digest
  for (const std::string& given : query.words) {
    const std::string word = lower_case(given);
    if (const std::string digest = beginning_of_digest(word); !digest.empty()) {
      digests.emplace_back(word, digest);
    } else {
      in_texts.push_back(word);
    }
  }
  std::vector<std::string> words = in_texts;
  for (const auto& [key, value] : query.annotations)
    if (is_searched(value)) words.push_back(lower_case(value));

  std::string from = "entries e", order = " ORDER BY e.id";
  if (const std::string expression = candidates(words); !expression.empty()) {
    from = "words w CROSS JOIN entries e ON e.id = w.rowid";
    order = " ORDER BY w.rowid";
    conditions.add("words MATCH ?", {expression});
  }
  for (const auto& [word, digest] : digests) add_digest(conditions, word, digest);
  conditions.begins("vendor", query.vendor);
  conditions.begins("product", query.product);
  conditions.begins("revision", query.revision);
  conditions.begins("form_factor", query.form_factor);
  conditions.begins("method", query.method);
  if (query.capacity) conditions.range("capacity", *query.capacity);
  if (query.rpm) conditions.range("rpm", *query.rpm);
  if (query.block_size) conditions.range("block_size", *query.block_size);
  if (query.date) {
    if (!query.date->from.empty()) conditions.add("date >= ?", {query.date->from});
    if (!query.date->before.empty()) {
      conditions.add("date <> '' AND date < ?", {query.date->before});
    }
  }
  for (const auto& [workload, range] : query.demerits) conditions.demerit(workload, range);
  for (const std::string& word : in_texts)
    conditions.add("instr((SELECT text FROM texts WHERE id = e.id), ?) > 0", {word});
  for (const auto& [key, value] : query.annotations) {
    if (key == kDriveKey) {
      conditions.add("identity = ?", {value});
    } else {
      conditions.add(
          "EXISTS (SELECT 1 FROM shown, json_each(shown.annotations) AS said "
          "WHERE shown.id = e.id AND said.key = ? AND said.value = ?)",
          {key, value});
    }
  }

  std::vector<Hit> hits;
  if (most == 0) return hits;
  Rows rows = database_.run("SELECT e.id, e.drive, e.digest FROM " + from + " WHERE 1" +
                            conditions.where() + order);
  conditions.bind_to(rows);
  while (hits.size() < most && rows.step()) {
    Hit hit{rows.number(0), rows.text(1), rows.text(2)};
    if (!but_of || !but_of(hit.drive)) hits.push_back(std::move(hit));
  }
  return hits;
}

namespace {

Entry entry_in(const Rows& row) {
  Entry entry{.drive = row.text(0),
              .tag = row.text(1),
              .digest = row.text(2),
              .latest = row.number(3) != 0,
              .annotations = Json::parse(row.text(4)).get<Annotations>(),
              .files = Json::parse(row.text(5)).get<std::vector<std::string>>()};
  for (const Json& signature : Json::parse(row.text(6)))
    entry.signatures.push_back(
        {signature.at(0).get<std::string>(), signature.at(1).get<std::string>()});
  return entry;
}

}  // namespace

void EntryTable::read(const std::vector<Hit>& hits, const std::function<void(Entry&)>& visit) {
  constexpr std::size_t kTogether = 500;
  const std::string columns =
      "SELECT drive, tag, digest, latest, annotations, files, signatures "
      "FROM entries JOIN shown USING (id) WHERE drive = ? AND digest = ?";
  for (std::size_t first = 0; first < hits.size(); first += kTogether) {
    std::vector<Entry> entries;
    begin();
    for (std::size_t i = first; i < std::min(first + kTogether, hits.size()); ++i) {
      const Hit& hit = hits[i];
      try {
        {
          Rows row = database_.run(columns + " AND id = ?");
          if (row.bind(hit.drive).bind(hit.digest).bind(hit.row).step()) {
            entries.push_back(entry_in(row));
            continue;
          }
        }
        // The drive was entered again since.
        Rows row = database_.run(columns);
        if (row.bind(hit.drive).bind(hit.digest).step()) entries.push_back(entry_in(row));
      } catch (const nlohmann::json::exception& why) {
        throw UnusableTable(
            fmt::format("{}: is no index that can be used: {}", database_.path(), why.what()));
      }
    }
    commit();
    for (Entry& entry : entries) visit(entry);
  }
}

std::vector<Damage> EntryTable::damages() {
  std::vector<Damage> all;
  Rows rows = database_.run("SELECT drive, path, state, sentence FROM damage ORDER BY rowid");
  while (rows.step()) all.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
  return all;
}

bool EntryTable::has_damage(const std::string& drive) {
  return database_.run("SELECT 1 FROM damage WHERE drive = ?").bind(drive).step();
}

bool EntryTable::has(const std::string& drive, const std::string& digest) {
  return database_.run("SELECT 1 FROM entries WHERE drive = ? AND digest = ?")
      .bind(drive)
      .bind(digest)
      .step();
}

std::size_t EntryTable::size() {
  Rows rows = database_.run("SELECT count(*) FROM entries");
  rows.step();
  return static_cast<std::size_t>(rows.number(0));
}

}  // namespace platter::registry

#include "registry/entry_table.h"

#include <sqlite3.h>

#include "catch.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

std::string digest_with(const std::string& beginning) {
  return "sha256:" + beginning + std::string(64 - beginning.size(), '0');
}

Entry entry_named(const std::string& drive, Annotations annotations, const std::string& digest) {
  return {.drive = drive,
          .tag = "v1",
          .digest = digest_with(digest),
          .latest = true,
          .annotations = std::move(annotations),
          .files = {"model.json"}};
}

EntryTable three() {
  EntryTable table = EntryTable::create(":memory:");
  table.begin();
  table.insert(
      entry_named("seagate-a",
                  {{"vnd.platter.vendor", "SEAGATE"},
                   {"vnd.platter.product", "ST4000NM"},
                   {"vnd.platter.drive", digest_with("a1")},
                   {"vnd.platter.blocks", "7814037168"},
                   {"vnd.platter.block_bytes", "512"},
                   {"vnd.platter.rpm", "7198.4"},
                   {"org.opencontainers.image.created", "2026-03-31T23:59:59Z"},
                   {"vnd.platter.demerits", R"([{"workload":"Random","demerit_percent":1.5},)"
                                            R"({"workload":"random","demerit_percent":7}])"}},
                  "1234abcd"));
  table.insert(entry_named("ibm-b",
                           {{"vnd.platter.vendor", "IBM"},
                            {"vnd.platter.product", "Ultrastar \xC3\x84 \"9\""},
                            {"vnd.platter.drive", digest_with("b2")},
                            {"vnd.platter.blocks", "1000000"},
                            {"vnd.platter.block_bytes", "4096"},
                            {"vnd.platter.rpm", "10000.0"},
                            {"vnd.platter.form_factor", "3.5"},
                            {"org.opencontainers.image.created", "2026-04-01T00:00:00Z"}},
                           "ffff"));
  table.insert(entry_named("no-figures", {{"vnd.platter.drive", digest_with("b3")}}, "1234abce"));
  table.commit();
  return table;
}

std::string found(EntryTable& table, const Query& query, std::size_t most = 100) {
  std::string drives;
  for (const EntryTable::Hit& hit : table.find(query, most)) drives += hit.drive + " ";
  return drives;
}

TEST_CASE("a table finds words, of any length and letters, in any case") {
  EntryTable table = three();
  CHECK(found(table, {}) == "seagate-a ibm-b no-figures ");
  CHECK(found(table, {}, 2) == "seagate-a ibm-b ");
  CHECK(found(table, {.words = {"SeaGate"}}) == "seagate-a ");
  CHECK(found(table, {.words = {"st4000", "7198"}}) == "seagate-a ");
  CHECK(found(table, {.words = {"e"}}) == "seagate-a ibm-b no-figures ");
  CHECK(found(table, {.words = {"bm"}}) == "ibm-b ");
  CHECK(found(table, {.words = {"\xC3\x84"}}) == "ibm-b ");
  CHECK(found(table, {.words = {"ultrastar \xC3\x84 \"9\""}}) == "ibm-b ");
  CHECK(found(table, {.words = {"\"9\""}}) == "ibm-b ");
  CHECK(found(table, {.words = {"ultarstar"}}) == "");
  CHECK(found(table, {.words = {"tarult"}}) == "");  // its trigrams are not all there
  CHECK(found(table, {.words = {"starul"}}) == "");
  CHECK(found(table, {.words = {"%"}}) == "");
  CHECK(found(table, {.words = {"' OR 1"}}) == "");
  CHECK(found(table, {.words = {"a* OR NEAR("}}) == "");
}

TEST_CASE("trigrams name candidates only: the word itself is looked for") {
  EntryTable table = EntryTable::create(":memory:");
  table.insert(entry_named("d", {{"k", "abcd bcde"}}, "1"));
  CHECK(found(table, {.words = {"abcd"}}) == "d ");
  CHECK(found(table, {.words = {"abcde"}}) == "");
}

TEST_CASE("a table finds the beginning of a digest") {
  EntryTable table = three();
  CHECK(found(table, {.words = {"1234ABCD"}}) == "seagate-a ");
  CHECK(found(table, {.words = {"1234abcd0"}}) == "seagate-a ");
  CHECK(found(table, {.words = {"sha256:1234"}}) == "seagate-a no-figures ");
  CHECK(found(table, {.words = {"1234"}}) == "");  // too short for a digest
  CHECK(found(table, {.words = {digest_with("ffff")}}) == "ibm-b ");
  CHECK(found(table, {.words = {"sha256:1234", "seagate"}}) == "seagate-a ");
}

TEST_CASE("a table finds figures in ranges, and nothing where there is no figure") {
  EntryTable table = three();
  const auto rpm = [](const char* range) { return parse_range(Figure::rpm, range, "--rpm"); };
  const auto capacity = [](const char* range) {
    return parse_range(Figure::capacity, range, "--capacity");
  };
  CHECK(found(table, {.rpm = rpm("7200")}) == "seagate-a ");
  CHECK(found(table, {.rpm = rpm(">7200")}) == "ibm-b ");
  CHECK(found(table, {.rpm = rpm("<=10k")}) == "seagate-a ibm-b ");
  CHECK(found(table, {.capacity = capacity("4T")}) == "seagate-a ");
  CHECK(found(table, {.capacity = capacity("<4T")}) == "ibm-b ");
  CHECK(found(table, {.block_size = parse_range(Figure::block_size, "4k", "")}) == "ibm-b ");
  CHECK(found(table, {.date = parse_dates("2026-03", "")}) == "seagate-a ");
  CHECK(found(table, {.date = parse_dates(">2026-03", "")}) == "ibm-b ");
  CHECK(found(table, {.date = parse_dates("<2027", "")}) == "seagate-a ibm-b ");
  CHECK(found(table, {.vendor = "sea", .rpm = rpm("7200")}) == "seagate-a ");
  CHECK(found(table, {.vendor = "eagate"}) == "");
  CHECK(found(table, {.form_factor = "3.5"}) == "ibm-b ");
  CHECK(found(table, {.demerits = {parse_demerit("random:<2%", "")}}) == "seagate-a ");
  CHECK(found(table, {.demerits = {parse_demerit("RANDOM:>6", "")}}) == "seagate-a ");
  CHECK(found(table, {.demerits = {parse_demerit("random:2..6", "")}}) == "");
  CHECK(found(table, {.demerits = {parse_demerit("tpcc:<9%", "")}}) == "");
  CHECK(found(table, {.annotations = {{"vnd.platter.vendor", "IBM"}}}) == "ibm-b ");
  CHECK(found(table, {.annotations = {{"vnd.platter.vendor", "ibm"}}}) == "");
  CHECK(found(table, {.annotations = {{"vnd.platter.product", "IBM"}}}) == "");
  CHECK(found(table, {.annotations = {{"vnd.platter.drive", digest_with("b3")}}}) == "no-figures ");
}

TEST_CASE("what was put into a table comes out the same") {
  EntryTable table = EntryTable::create(":memory:");
  Entry entry = entry_named("d", {{"k", std::string("a\0b", 3)}, {"\"", "'"}}, "1");
  entry.signatures = {{R"({"critical":1})", "MEUC"}};
  table.insert(entry);
  std::vector<Entry> out;
  table.read(table.find({}, 9), [&](Entry& read) { out.push_back(read); });
  REQUIRE(out.size() == 1);
  CHECK(out[0].annotations == entry.annotations);
  CHECK(out[0].signatures == entry.signatures);
  CHECK(out[0].files == entry.files);
  CHECK(out[0].latest);
}

TEST_CASE("what is removed from a table is not found, by words or figures") {
  EntryTable table = three();
  SECTION("a drive") {
    table.remove_drive("seagate-a");
    CHECK(found(table, {}) == "ibm-b no-figures ");
    CHECK(found(table, {.words = {"seagate"}}) == "");
    CHECK(found(table, {.demerits = {parse_demerit("random:<2%", "")}}) == "");
  }
  SECTION("identities that begin with a digit") {
    table.remove_where_identity_begins('b');
    CHECK(found(table, {}) == "seagate-a ");
    table.remove_where_identity_begins('0');
    CHECK(found(table, {}) == "seagate-a ");
  }
  SECTION("a hit whose drive was entered again is found anew, one that is gone is left out") {
    const auto hits = table.find({}, 9);
    table.remove_drive("no-figures");
    table.remove_drive("ibm-b");
    table.insert(entry_named("other", {}, "9"));
    table.insert(entry_named("ibm-b", {{"new", "yes"}}, "ffff"));
    std::string read;
    table.read(hits, [&](Entry& entry) { read += entry.drive + entry.annotation("new") + " "; });
    CHECK(read == "seagate-a ibm-byes ");
  }
}

TEST_CASE("a file that is no such table is told, and not believed") {
  const RegistryFolder folder;
  const std::string path = folder / "t.sqlite";
  { EntryTable::create(path).insert(entry_named("d", {}, "1")); }
  CHECK(EntryTable::open(path).size() == 1);
  const auto run = [&](const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  };
  SECTION("another version") { run("PRAGMA user_version = 1"); }
  SECTION("a table less") { run("DROP TABLE damage"); }
  SECTION("a view in place of a table") {
    run("DROP TABLE damage; CREATE VIEW damage AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM n) SELECT i AS drive, i AS path, i AS state, i AS sentence FROM n");
  }
  SECTION("a trigger") { run("CREATE TRIGGER t AFTER INSERT ON texts BEGIN SELECT 1; END"); }
  SECTION("a table in place of a table") { run("DROP TABLE damage; CREATE TABLE damage (drive)"); }
  SECTION("an index on an expression") { run("CREATE INDEX words_x ON entries (abs(drive))"); }
  SECTION("cut short") { std::filesystem::resize_file(path, 8192); }
  SECTION("no database") { model::write_file(path, std::string(5000, 'x')); }
  SECTION("empty") { model::write_file(path, ""); }
  SECTION("gone") { std::filesystem::remove(path); }
  CHECK_THROWS_AS(EntryTable::open(path).find({}, 1), UnusableTable);
  CHECK_THROWS_AS(EntryTable::open_for_writing(path).find({}, 1), UnusableTable);
}

}  // namespace
}  // namespace platter::registry

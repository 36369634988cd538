#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "registry/reference.h"
#include "registry/search_index.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

TEST_CASE("list shows what the models say") {
  const RegistryFolder folder;
  const Publication published = folder.publish(small_model("S1"));
  const Listing listing = search(folder.store());
  REQUIRE(listing.entries.size() == 1);
  const Entry& entry = listing.entries.front();
  CHECK(entry.drive == "acme-disk-9-s1");
  CHECK(entry.tag == "v1");
  CHECK(entry.latest);
  CHECK(entry.digest == published.digest);
  CHECK(entry.files == std::vector<std::string>{"model.json"});
  CHECK(entry.annotation("vnd.platter.vendor") == "ACME");
  CHECK(entry.annotation("vnd.platter.product") == "Disk 9");
  CHECK(entry.annotation("vnd.platter.revision") == "1.0");
  CHECK(entry.annotation("vnd.platter.serial") == "S1");
  CHECK(entry.annotation("vnd.platter.blocks") == "4000");
  CHECK(entry.annotation("vnd.platter.rpm") == "7200.0");
  CHECK(entry.annotation("vnd.platter.method") == "characterized");
  CHECK(entry.annotation("vnd.platter.tool_version") == PLATTER_VERSION);
  CHECK(entry.annotation("org.opencontainers.image.created") == "2026-01-02T03:04:05Z");
  CHECK(entry.annotation("vnd.platter.demerits") ==
        R"([{"demerit_ms":0.12,"demerit_percent":1.6,"folded_phase_share":0.93,)"
        R"("requests":5000,"workload":"random"}])");
}

TEST_CASE("search wants all words, in any case, and no wildcards") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  CHECK(search(folder.store(), {.words = {"acme"}}).entries.size() == 2);
  CHECK(search(folder.store(), {.words = {"ACME", "s2"}}).entries.size() == 1);
  CHECK(search(folder.store(), {.words = {"acme", "s3"}}).entries.empty());
  CHECK(search(folder.store(), {.words = {"%"}}).entries.empty());
  CHECK(search(folder.store(), {.words = {"' OR 1"}}).entries.empty());
}

TEST_CASE("an index that is gone, damaged or foreign is made anew") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  REQUIRE(search(folder.store()).entries.size() == 1);
  const std::string path = search_index_path(folder.store());
  REQUIRE(std::filesystem::exists(path));
  SECTION("gone") { std::filesystem::remove(path); }
  SECTION("no database") { model::write_file(path, std::string(5000, 'x')); }
  SECTION("empty") { model::write_file(path, ""); }
  SECTION("cut short") { std::filesystem::resize_file(path, 4096); }
  SECTION("texts that are no JSON any more") {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, "UPDATE shown SET annotations = '{\"a'", nullptr, nullptr,
                         nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }
  SECTION("a pipe") {
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  }
  SECTION("a view that computes without end") {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(
        sqlite3_exec(
            database,
            "DROP TABLE damage;"
            "CREATE VIEW damage AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT 'x' AS drive, max(i) AS path, 'x' AS state, 'x' AS sentence FROM n",
            nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }
  SECTION("trigrams that are damaged") {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, "UPDATE words_data SET block = x'ff00ff00ff00'", nullptr,
                         nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
    CHECK(search(folder.store(), {.words = {"acme"}}).entries.size() == 1);
  }
  SECTION("published since") {
    folder.publish(small_model("S1", 2));
    CHECK(search(folder.store()).entries.size() == 2);
    return;
  }
  SECTION("a drive was taken away by others") {
    std::filesystem::remove_all(folder.store().layout("acme-disk-9-s1").folder());
    CHECK(rebuild_search_index(folder.store()) == 0);
    CHECK(search(folder.store()).entries.empty());
    return;
  }
  CHECK(search(folder.store()).entries.size() == 1);
  CHECK(rebuild_search_index(folder.store()) == 1);
}

TEST_CASE("an index.json that is a pipe, or larger than any, is a problem and no wait") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  const std::string path = folder.store().layout("acme-disk-9-s1").index_path();
  std::filesystem::remove(path);
  SECTION("a pipe") { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
  SECTION("too large") { model::write_file(path, "{}" + std::string(kLargestDocument, ' ')); }
  rebuild_search_index(folder.store());
  const Listing listing = search(folder.store());
  CHECK(listing.entries.size() == 1);
  REQUIRE(listing.problems.size() == 1);
}

TEST_CASE("one damaged layout does not hide the others") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  model::write_file(folder.store().layout("acme-disk-9-s1").index_path(), "{");
  rebuild_search_index(folder.store());
  for (int again = 0; again < 2; ++again) {
    const Listing listing = search(folder.store());
    REQUIRE(listing.entries.size() == 1);
    CHECK(listing.entries.front().drive == "acme-disk-9-s2");
    REQUIRE(listing.problems.size() == 1);
    CHECK_THAT(listing.problems.front(), Catch::Contains("acme-disk-9-s1/index.json"));
  }
}

TEST_CASE("where there is no registry, the sentence says so") {
  const RegistryFolder folder;
  CHECK_THROWS_WITH(search(folder.store()), Catch::Contains("is no registry"));
  CHECK_THROWS_AS(rebuild_search_index(folder.store()), Error);
}

TEST_CASE("a demerit is found by a part of its workload, as runs name theirs") {
  const RegistryFolder folder;
  model::DriveModel model = small_model("S1");
  model.validity.demerits.front().workload = "Random, within the run";
  folder.publish(model);
  const auto found = [&](const char* wanted) {
    return search(folder.store(), {.demerits = {parse_demerit(wanted, "--demerit")}})
        .entries.size();
  };
  CHECK(found("random:<2%") == 1);
  CHECK(found("random:<1%") == 0);
  CHECK(found("mixed:<2%") == 0);
}

TEST_CASE("the way that remotes name a version names it here, too") {
  const RegistryFolder folder;
  folder.publish(small_model("S1", 1.25));
  folder.publish(small_model("S1", 1.5));
  CHECK(find(folder.store(), "acme-disk-9-s1.v1").reference() == "acme-disk-9-s1:v1");
  CHECK_THROWS_AS(find(folder.store(), "acme-disk-9-s1.v3"), Error);
  const std::string theirs = folder.store().folder() + "/drives/acme-disk-9-s1";
  std::filesystem::copy(
      theirs, theirs + ".v1",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  CHECK(find(folder.store(), "acme-disk-9-s1.v1").reference() == "acme-disk-9-s1.v1:v2");
}

}  // namespace
}  // namespace platter::registry

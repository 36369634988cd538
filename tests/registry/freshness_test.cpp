// The index for searching says what the layouts say, whatever happened to who wrote them.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"
#include "model/error.h"
#include "registry/enter.h"
#include "registry/entry_table.h"
#include "registry/layout_entries.h"
#include "registry/pending.h"
#include "registry/reference.h"
#include "registry/search_index.h"
#include "registry/verify.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

// What the index alone says, without a look at any layout.
std::size_t rows_in_index(const Store& store) {
  return EntryTable::open(search_index_path(store)).size();
}

ino_t index_file(const Store& store) {
  struct stat status {};
  REQUIRE(::stat(search_index_path(store).c_str(), &status) == 0);
  return status.st_ino;
}

TEST_CASE("what is published is in the index at once, and no mark is left") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  CHECK(rows_in_index(folder.store()) == 1);
  const ino_t made = index_file(folder.store());
  folder.publish(small_model("S2"));
  folder.publish(small_model("S2", 2));
  CHECK(rows_in_index(folder.store()) == 3);
  CHECK(pending_drives(folder.store()).empty());
  const Listing listing = search(folder.store());
  REQUIRE(listing.entries.size() == 3);
  CHECK_FALSE(listing.entries[1].latest);
  CHECK(listing.entries[2].latest);
  CHECK(index_file(folder.store()) == made);  // never made anew
}

TEST_CASE("a writer that is stopped between any two steps loses nothing") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  const Store store = folder.store();
  // What the third step would have entered is taken out again, or the third step is not done.
  const auto without_its_row = [&] {
    folder.publish(small_model("S2"));
    EntryTable table = EntryTable::open_for_writing(search_index_path(store));
    table.remove_drive("acme-disk-9-s2");
  };
  const std::string after = GENERATE("the mark", "the layout", "the row");
  CAPTURE(after);
  if (after == "the layout") without_its_row();
  if (after == "the row") folder.publish(small_model("S2"));
  {
    const Lock lock(store);
    begin_change(store, lock, "acme-disk-9-s2");
  }
  const bool there = std::filesystem::exists(store.layout("acme-disk-9-s2").index_path());
  const std::size_t models = there ? 2 : 1;
  SECTION("seen while another writes") {
    const Lock lock(store);
    CHECK(search(store).entries.size() == models);
    CHECK(pending_drives(store).size() == 1);
  }
  const ino_t made = index_file(store);
  CHECK(search(store).entries.size() == models);
  CHECK(pending_drives(store).empty());
  CHECK(rows_in_index(store) == models);
  CHECK(index_file(store) == made);
}

TEST_CASE("without the mark, a change that was not entered is not seen: the mark is what does it") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  EntryTable::open_for_writing(search_index_path(folder.store())).remove_drive("acme-disk-9-s2");
  CHECK(search(folder.store()).entries.size() == 1);
  CHECK(rebuild_search_index(folder.store()) == 2);
}

TEST_CASE("a transaction that was cut off is rolled back, not believed") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  const Store store = folder.store();
  const std::string path = search_index_path(store);
  const pid_t writer = ::fork();
  if (writer == 0) {  // dies with its pages in the file and its journal beside it
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    sqlite3_exec(database, "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN", nullptr, nullptr,
                 nullptr);
    for (const char* sql : {"DELETE FROM entries", "DELETE FROM shown",
                            "INSERT INTO damage SELECT hex(zeroblob(3000)), 'p', 's', 't' FROM "
                            "(VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9))"})
      sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
    sqlite3_db_cacheflush(database);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(writer, &status, 0) == writer);
  REQUIRE(std::filesystem::exists(path + "-journal"));
  REQUIRE_THROWS_AS(rows_in_index(store), UnusableTable);
  SECTION("by a search") {
    const ino_t made = index_file(store);
    CHECK(search(store).entries.size() == 2);
    CHECK(index_file(store) == made);
  }
  SECTION("by a rebuild, which must not leave the journal to the new file") {
    CHECK(rebuild_search_index(store) == 2);
    CHECK_FALSE(std::filesystem::exists(path + "-journal"));
  }
  SECTION("by the next who publishes") {
    folder.publish(small_model("S3"));
    CHECK(rows_in_index(store) == 3);
  }
  CHECK(search(store).problems.empty());
  CHECK(search(store).entries.size() == rows_in_index(store));
}

TEST_CASE("what is damaged is remembered, and read again only when it changes") {
  const RegistryFolder folder;
  const Publication published = folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  const Store store = folder.store();
  const std::string manifest = folder.blob(published.digest);
  const std::string whole = model::read_file(manifest);
  if (GENERATE(true, false)) {
    model::write_file(manifest, "{}");
  } else {
    std::filesystem::remove(manifest);
  }
  CHECK(rebuild_search_index(store) == 1);
  const auto problems = [&] { return search(store).problems.size(); };
  CHECK(problems() == 1);

  // The index is what is asked, not the layout: nobody notices that the marker of another sentence
  // is the only thing there.
  {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(search_index_path(store).c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, "UPDATE damage SET sentence = 'remembered'", nullptr, nullptr,
                         nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }
  CHECK(search(store).problems == std::vector<std::string>{"remembered"});
  SECTION("changed, and damaged still") {
    model::write_file(manifest, "[]");
    REQUIRE(problems() == 1);
    CHECK_THAT(search(store).problems.front(), Catch::Contains("acme-disk-9-s1"));
    CHECK(search(store).entries.size() == 1);
  }
  SECTION("mended by others") {
    model::write_file(manifest, whole);
    CHECK(search(store).entries.size() == 2);
    CHECK(problems() == 0);
    CHECK(rows_in_index(store) == 2);
  }
  SECTION("mended while another writes: seen, though it cannot be entered") {
    model::write_file(manifest, whole);
    const Lock lock(store);
    CHECK(search(store).entries.size() == 2);
    CHECK(problems() == 0);
    CHECK(rows_in_index(store) == 1);
  }
  SECTION("published again") {
    CHECK_FALSE(folder.publish(small_model("S1")).added);
    CHECK(rows_in_index(store) == 2);
    CHECK(problems() == 0);
  }
}

TEST_CASE("an index that publish cannot enter into is made anew by the next search") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  const std::string path = search_index_path(folder.store());
  SECTION("gone") { std::filesystem::remove(path); }
  SECTION("damaged") { model::write_file(path, std::string(9000, 'x')); }
  folder.publish(small_model("S3"));
  CHECK(search(folder.store()).entries.size() == 3);
  CHECK(rows_in_index(folder.store()) == 3);
  CHECK(pending_drives(folder.store()).empty());
}

TEST_CASE("a reader who does not go on keeps no writer from publishing") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  sqlite3* reader = nullptr;
  REQUIRE(sqlite3_open(search_index_path(folder.store()).c_str(), &reader) == SQLITE_OK);
  REQUIRE(sqlite3_exec(reader, "BEGIN; SELECT * FROM entries", nullptr, nullptr, nullptr) ==
          SQLITE_OK);
  CHECK(folder.publish(small_model("S3")).added);
  CHECK(pending_drives(folder.store()).size() == 1);
  CHECK(search(folder.store()).entries.size() == 3);
  sqlite3_close(reader);
  CHECK(search(folder.store()).entries.size() == 3);
  CHECK(pending_drives(folder.store()).empty());
}

TEST_CASE("while entries are shown, others publish without waiting") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  std::size_t shown = 0;
  search(folder.store(), {}, [&](const Entry&) {
    if (++shown > 1) return;
    folder.publish(small_model("S3"));
    CHECK(pending_drives(folder.store()).empty());
  });
  CHECK(shown == 2);
}

TEST_CASE("signatures that cosign left in a layout belong to the entry that they name") {
  const RegistryFolder folder;
  const Publication published = folder.publish(small_model("S1"));
  const Store store = folder.store();
  const std::string drive = "acme-disk-9-s1", payload = R"({"critical":{}})";
  Manifest manifest;
  manifest.config = store.put_blob(drive, kConfigType, kConfig);
  manifest.layers.push_back(
      store.put_blob(drive, "application/vnd.dev.cosign.simplesigning.v1+json", payload));
  manifest.layers.front().annotations["dev.cosignproject.cosign/signature"] = "MEUCIQ==";
  manifest.layers.push_back(store.put_blob(drive, "text/plain", "no signature"));
  const Descriptor signatures = store.put_blob(drive, kManifestType, manifest_text(manifest));
  {
    const Lock lock(store);
    enter_signatures(store, lock, drive, signatures, signatures_tag(published.digest));
  }
  Listing listing = search(store);
  REQUIRE(listing.entries.size() == 1);
  CHECK(listing.entries.front().signatures == std::vector<Signature>{{payload, "MEUCIQ=="}});
  CHECK(listing.problems.empty());
  model::write_file(folder.blob(digest_of(payload)), "changed");
  rebuild_search_index(store);
  listing = search(store);
  REQUIRE(listing.entries.size() == 1);
  CHECK(listing.entries.front().signatures.empty());
  CHECK(listing.problems.size() == 1);
}

TEST_CASE("a limit is what is shown at most, and says that there is more") {
  const RegistryFolder folder;
  for (const char* serial : {"S3", "S1", "S2"}) folder.publish(small_model(serial));
  Listing listing = search(folder.store(), {.limit = 2});
  REQUIRE(listing.entries.size() == 2);
  CHECK(listing.entries[0].drive == "acme-disk-9-s1");  // sorted
  CHECK(listing.entries[1].drive == "acme-disk-9-s3");
  CHECK(listing.more);
  listing = search(folder.store(), {.limit = 3});
  CHECK(listing.entries.size() == 3);
  CHECK_FALSE(listing.more);
}

TEST_CASE("the indexes of remotes are searched too, and one that is damaged is told") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  const Store store = folder.store();
  const std::string lab = store.folder() + "/remotes/lab";
  std::filesystem::create_directories(lab);
  {
    EntryTable table = EntryTable::create(lab + "/search.sqlite");
    for (const char* drive : {"a-first", "z-last", "acme-disk-9-s1"}) {
      table.insert({.drive = drive,
                    .tag = "v7",
                    .digest = digest_of(drive),
                    .annotations = {{"vnd.platter.vendor", "ACME"}}});
    }
  }
  const auto references = [&](const Query& query) {
    std::string all;
    for (const Entry& entry : search(store, query).entries) all += entry.reference() + " ";
    return all;
  };
  CHECK(references({}) == "lab/a-first.v7 acme-disk-9-s1:v1 lab/acme-disk-9-s1.v7 lab/z-last.v7 ");
  CHECK(references({.only_local = true}) == "acme-disk-9-s1:v1 ");
  CHECK(references({.words = {"last"}}) == "lab/z-last.v7 ");
  CHECK(references({.limit = 2}) == "lab/a-first.v7 acme-disk-9-s1:v1 ");
  CHECK(search(store, {.limit = 3}).more);
  CHECK_FALSE(search(store, {.limit = 4}).more);
  CHECK_THROWS_AS(find(store, digest_of("z-last")), Error);  // not in this folder
  model::write_file(lab + "/search.sqlite", "x");
  const Listing listing = search(store);
  CHECK(listing.entries.size() == 1);
  REQUIRE(listing.problems.size() == 1);
  CHECK_THAT(listing.problems.front(), Catch::Contains("registry refresh lab"));
}

TEST_CASE("a reference by digest is found through the index") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  const Publication second = folder.publish(small_model("S2"));
  CHECK(find(folder.store(), second.digest).reference() == "acme-disk-9-s2:v1");
  CHECK_THROWS_WITH(find(folder.store(), digest_of("nothing")),
                    Catch::Contains("is not in the registry"));
}

TEST_CASE("a folder that may not be written is searched all the same") {
  if (::geteuid() == 0) return;  // may write everywhere
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  const Store store = folder.store();
  SECTION("with its index") {}
  SECTION("without one") { std::filesystem::remove(search_index_path(store)); }
  SECTION("with a mark") {
    const Lock lock(store);
    begin_change(store, lock, "acme-disk-9-s2");
    EntryTable::open_for_writing(search_index_path(store)).remove_drive("acme-disk-9-s2");
  }
  ::chmod(store.folder().c_str(), 0500);
  ::chmod((store.folder() + "/lock").c_str(), 0400);
  CHECK(search(store).entries.size() == 2);
  ::chmod(store.folder().c_str(), 0700);
}

}  // namespace
}  // namespace platter::registry

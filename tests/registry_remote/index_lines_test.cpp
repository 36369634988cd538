#include "registry/remote/index_lines.h"

#include <zstd.h>

#include "../registry/registry_folder.h"
#include "catch.h"
#include "model/error.h"
#include "registry/remote/remotes.h"
#include "registry/remote/skopeo.h"

namespace platter::registry_remote {
namespace {

registry::Entry some_entry(const std::string& drive, char digit, int version = 1) {
  registry::Entry entry{.drive = drive,
                        .tag = "v" + std::to_string(version),
                        .digest = "sha256:" + std::string(64, 'e'),
                        .annotations = {{"vnd.platter.drive", "sha256:" + std::string(64, digit)},
                                        {"vnd.platter.rpm", "7200.0"}},
                        .files = {"model.json"},
                        .signatures = {{"{\"critical\":{}}", "c2lnbmF0dXJl"}}};
  return entry;
}

std::string zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

std::vector<registry::Entry> entries_of(const std::string& part, std::size_t digit,
                                        const std::string& origin) {
  model::ReadBudget budget = index_budget(origin, part.size());
  return entries_in(part, digit, "lab", origin, budget);
}

std::string line(const std::string& tag, char digit) {
  return R"({"tag":")" + tag + R"(","digest":"sha256:)" + std::string(64, 'e') +
         R"(","annotations":{"vnd.platter.drive":"sha256:)" + std::string(64, digit) +
         R"("},"files":[]})" + "\n";
}

}  // namespace

TEST_CASE("an entry that nobody could read is kept out of the index") {
  registry::Entry entry = some_entry("one", '3');
  CHECK_NOTHROW(require_indexable(entry));
  entry.signatures.assign(64, {std::string(60'000, 'x'), "c2lnbmF0dXJl"});
  CHECK_THROWS_WITH(require_indexable(entry), Catch::Contains("longer than any"));
  entry.signatures.clear();
  for (int i = 0; i < 2000; ++i) entry.annotations["key" + std::to_string(i)] = "";
  CHECK_THROWS_WITH(require_indexable(entry), Catch::Contains("more than 1024 members"));
}

TEST_CASE("an index gives its entries back, each from the part of its drive's identity") {
  const auto parts =
      index_parts({some_entry("one", '3', 2), some_entry("one", '3', 10), some_entry("two", 'f')});
  const auto three = entries_of(parts[3], 3, "lab/index");
  REQUIRE(three.size() == 2);
  for (const registry::Entry& entry : three) {
    const registry::Entry was = some_entry("one", '3', entry.tag == "v2" ? 2 : 10);
    CHECK(entry.reference() == "lab/one." + was.tag);
    CHECK(entry.digest == was.digest);
    CHECK(entry.annotations == was.annotations);
    CHECK(entry.files == was.files);
    CHECK(entry.signatures == was.signatures);
    CHECK(entry.latest == (was.tag == "v10"));
  }
  CHECK(entries_of(parts[15], 15, "lab/index").size() == 1);
  CHECK(entries_of(parts[0], 0, "lab/index").empty());
}

TEST_CASE("a further entry changes one part, and the order in which they come changes none") {
  const auto before = index_parts({some_entry("one", '3'), some_entry("two", 'f')});
  CHECK(index_parts({some_entry("two", 'f'), some_entry("one", '3')}) == before);
  const auto after =
      index_parts({some_entry("one", '3'), some_entry("two", 'f'), some_entry("x", 'f')});
  for (std::size_t i = 0; i < kParts; ++i) CHECK((after[i] == before[i]) == (i != 15));
}

TEST_CASE("a hostile part of an index is refused by a sentence") {
  const auto read = [](const std::string& part) { return entries_of(part, 3, "the part"); };
  CHECK(read(zstd(line("one.v1", '3') + line("one.v2", '3'))).size() == 2);
  CHECK_THROWS_WITH(read("no zstd"), "the part: is no zstd");
  CHECK_THROWS_WITH(read(""), Catch::Contains("is cut off"));
  const std::string whole = zstd(line("one.v1", '3'));
  CHECK_THROWS_WITH(read(whole.substr(0, whole.size() - 3)), Catch::Contains("is cut off"));
  CHECK_THROWS_WITH(read(whole + "x"), Catch::Contains("the part: is"));
  CHECK_THROWS_WITH(read(zstd(line("one.v1", '4'))), Catch::Contains("into another part"));
  CHECK_THROWS_WITH(read(zstd(line("one.v1", '3') + line("one.v1", '3'))),
                    Catch::Contains("twice"));
  for (const char* const tag : {"one", "one.latest", "../one.v1", "One.v1", "one.v0", "a/b.v1"})
    CHECK_THROWS_WITH(read(zstd(line(tag, '3'))), Catch::Contains("no NAME.vN"));
  CHECK_THROWS_WITH(read(zstd("{}\n")), Catch::Contains("is no entry"));
  CHECK_THROWS_WITH(read(zstd("[\n")), Catch::Contains("not valid JSON"));
  CHECK_THROWS_WITH(read(zstd(std::string(std::size_t{300} << 20, 'x'))),
                    Catch::Contains("longer than any"));
  CHECK_THROWS_WITH(read(zstd(std::string(100, '\n'))), Catch::Contains("not valid JSON"));
}

TEST_CASE("an index asks for no more than its bytes can be worth") {
  std::string alike, long_ones;
  for (int i = 0; i < 5000; ++i) alike += line("d" + std::to_string(i) + ".v1", '3');
  CHECK_THROWS_WITH(
      entries_of(zstd(alike), 3, "lab/index"),
      Catch::Contains("lab/index: asks for more than 4") && Catch::Contains("entries"));
  for (int i = 0; i < 40; ++i) {
    const std::string one = line("d" + std::to_string(i) + ".v1", '3');
    long_ones += one.substr(0, one.size() - 3) + "\"" + std::string(900'000, 'x') + "\"]}\n";
  }
  CHECK_THROWS_WITH(entries_of(zstd(long_ones), 3, "lab/index"), Catch::Contains("bytes expanded"));
}

TEST_CASE("places and tags are those of the distribution specification") {
  CHECK(place_of("oci://example.org:5000/storage/drives") == "example.org:5000/storage/drives");
  for (const char* const url :
       {"example.org/drives", "oci://example.org", "oci://example.org/Drives", "oci://-x y/drives",
        "oci://example.org/drives:tag", "oci://example.org//drives", "oci:///drives"})
    CHECK_THROWS_WITH(place_of(url), Catch::Contains("names no repository"));
  CHECK_THROWS_WITH(place_of("oci://intranet/storage/drives"), Catch::Contains("Docker Hub"));
  CHECK(place_of("oci://localhost/drives") == "localhost/drives");
  CHECK(place_of("oci://intranet:443/drives") == "intranet:443/drives");
  CHECK(!entry_tag("drive.v0"));
  CHECK(!entry_tag("drive.v007"));
  CHECK(!entry_tag(std::string(120, 'a') + ".v1234567890"));
}

TEST_CASE("a remote is changed by removing it first, also one that is damaged") {
  const registry::RegistryFolder folder;
  const registry::Store store = folder.store();
  const Remote lab{
      .name = "lab", .place = "example.org/drives", .key_pem = {}, .require_signature = true};
  add_remote(store, lab);
  CHECK_NOTHROW(add_remote(store, lab));
  Remote weaker = lab;
  weaker.require_signature = false;
  CHECK_THROWS_WITH(add_remote(store, weaker), Catch::Contains("remove it first"));
  CHECK(remote(store, "lab").require_signature);
  model::write_file(remote_folder(store, "lab") + "/remote.json", "{");
  CHECK_THROWS_AS(remotes(store), Error);
  remove_remote(store, "lab");
  CHECK(remotes(store).empty());
}

TEST_CASE("skopeo's complaint is one line") {
  CHECK(complaint_in("time=\"x\" level=fatal msg=\"no \\\"such\\\" host\"\n") ==
        "no \"such\" host");
  CHECK(complaint_in("first\nlast\n") == "last");
  CHECK(complaint_in("") == "it says nothing");
}

}  // namespace platter::registry_remote

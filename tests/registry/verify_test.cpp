#include "registry/verify.h"

#include <array>

#include "catch.h"
#include "model/error.h"
#include "registry/canonical_json.h"
#include "registry/pull.h"
#include "registry/search_index.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

// A registry with one model and one more file, and a whole neighbour.
struct Published1 : RegistryFolder {
  Published1() {
    notes = write("notes.txt", "notes");
    published = publish(small_model("S1"), {{notes}, false});
    publish(small_model("S2"));
    REQUIRE(verify(store()).findings.empty());
    REQUIRE(verify(store()).notices.empty());
  }
  std::string index() const { return store().layout("acme-disk-9-s1").index_path(); }

  // The one finding, which names `what`.
  void finds(const std::string& what) const {
    const Verification found = verify(store());
    REQUIRE(found.findings.size() == 1);
    CHECK_THAT(found.findings.front(), Catch::Contains(what));
  }
  void pull_fails() const {
    CHECK_THROWS_AS(open(find(store(), "acme-disk-9-s1:v1")), Error);
    CHECK_NOTHROW(open(find(store(), "acme-disk-9-s2:v1")));
  }

  // Puts another manifest in the place of the published one, its digest right everywhere.
  void replace_manifest(const std::string& from, const std::string& to) const {
    std::string text = model::read_file(blob(published.digest));
    text.replace(text.find(from), from.size(), to);
    const std::string digest = digest_of(text);
    model::write_file(blob(digest), text);
    const std::string size = std::to_string(std::filesystem::file_size(blob(published.digest)));
    for (int i = 0; i < 3; ++i) change(index(), published.digest, digest);
    for (int i = 0; i < 2; ++i)
      change(index(), "\"size\":" + size, "\"size\": " + std::to_string(text.size()));
    std::filesystem::remove(blob(published.digest));
  }

  std::string notes;
  Publication published;
};

TEST_CASE("a whole registry is well, and is counted") {
  const Published1 registry;
  const Verification all = verify(registry.store());
  CHECK(all.drives == 2);
  CHECK(all.models == 2);
  CHECK(all.blobs == 7);
  CHECK(verify(registry.store(), "acme-disk-9-s1").blobs == 4);
}

TEST_CASE("a flipped bit is found in every blob, and publishing again mends it") {
  const Published1 registry;
  const std::array digests{registry.published.digest, registry.published.model_digest,
                           digest_of("notes")};
  const std::string path = registry.blob(digests[GENERATE(0U, 1U, 2U)]);
  std::string content = model::read_file(path);
  const std::size_t at = GENERATE(0U, 2U, 4U);
  content[at] = static_cast<char>(content[at] ^ 1);
  model::write_file(path, content);
  registry.finds(path);
  CHECK_FALSE(verify(registry.store(), "acme-disk-9-s1:v1").findings.empty());
  registry.publish(small_model("S1"), {{registry.notes}, false});
  CHECK(verify(registry.store()).findings.empty());
}

TEST_CASE("a truncated, a grown and a missing model are found, and not pulled") {
  const Published1 registry;
  const std::string path = registry.blob(registry.published.model_digest);
  SECTION("truncated") { std::filesystem::resize_file(path, 100); }
  SECTION("grown") { model::write_file(path, model::read_file(path) + "\n"); }
  SECTION("missing") { std::filesystem::remove(path); }
  registry.finds(path);
  registry.pull_fails();
}

TEST_CASE("a missing manifest is found") {
  const Published1 registry;
  std::filesystem::remove(registry.blob(registry.published.digest));
  const Verification found = verify(registry.store());
  REQUIRE(found.findings.size() == 1);
  CHECK_THAT(found.findings.front(), Catch::Contains(registry.blob(registry.published.digest)));
  CHECK(found.notices.size() == 2);  // nothing refers to the model and the notes any more
  registry.pull_fails();
}

TEST_CASE("a wrong size in the manifest is found") {
  const Published1 registry;
  registry.replace_manifest("\"size\":5}", "\"size\":6}");
  registry.finds("has 5 bytes and should have 6");
}

TEST_CASE("annotations that do not agree with the model are found") {
  const Published1 registry;
  registry.replace_manifest("\"Disk 9\"", "\"Disk 8\"");
  registry.finds("vnd.platter.product");
}

TEST_CASE("a broken index.json is found, however it is broken") {
  const Published1 registry;
  const std::string text = model::read_file(registry.index());
  SECTION("cut") { model::write_file(registry.index(), text.substr(0, text.size() / 2)); }
  SECTION("empty") { model::write_file(registry.index(), ""); }
  SECTION("no list") { registry.change(registry.index(), "\"manifests\"", "\"others\""); }
  SECTION("another schema version") {
    registry.change(registry.index(), "\"schemaVersion\":2", "\"schemaVersion\":1");
  }
  SECTION("no digest") {
    registry.change(registry.index(), "\"digest\":\"sha256:", "\"digest\":\"../../../etc/passwd");
  }
  SECTION("no size") { registry.change(registry.index(), "\"size\":", "\"size\":-"); }
  registry.finds("acme-disk-9-s1/index.json");
  registry.pull_fails();
  CHECK_THROWS_AS(registry.publish(small_model("S1", 3)), Error);  // nothing is written over it
}

TEST_CASE("a wrong size in index.json is found") {
  const Published1 registry;
  registry.change(registry.index(), "\"size\":", "\"size\":1");
  CHECK(verify(registry.store()).findings.size() == 1);
}

TEST_CASE("a tag that was moved is found, and not followed") {
  const Published1 registry;
  const Publication second = registry.publish(small_model("S1", 2));
  std::string text = model::read_file(registry.index());
  // v1 and v2 change places in the list of manifests; the record of tags comes before it
  const std::size_t list = text.find("\"manifests\"");
  const std::size_t one = text.find("\"v1\"", list), two = text.find("\"v2\"", list);
  REQUIRE(std::max(one, two) < text.size());
  std::swap(text[one + 2], text[two + 2]);
  model::write_file(registry.index(), text);
  CHECK(verify(registry.store()).findings.size() == 2);
  CHECK_THROWS_WITH(find(registry.store(), "acme-disk-9-s1:v1"), Catch::Contains("was moved"));
  CHECK_NOTHROW(find(registry.store(), "acme-disk-9-s1@" + second.digest));
}

TEST_CASE("a layout without its marker is found") {
  const Published1 registry;
  std::filesystem::remove(registry.store().layout("acme-disk-9-s1").folder() + "/oci-layout");
  registry.finds("oci-layout");
}

// A model layer whose digest is right all the way up, and which is still no published model.
TEST_CASE("a model that is not canonical, or not valid, is found") {
  const Published1 registry;
  const std::string old = registry.published.model_digest;
  std::string text = model::read_file(registry.blob(old));
  const std::string size = std::to_string(text.size());
  std::string what;
  SECTION("white space") {
    text += "\n";
    what = "canonical form";
  }
  SECTION("order") {
    text = model::to_json_text(model::from_json_text(text, ""));
    what = "canonical form";
  }
  SECTION("no model") {
    text.replace(text.find("\"blocks\":4000"), 13, "\"blocks\":4001");
    what = "blocks";
  }
  const std::string digest = digest_of(text);
  model::write_file(registry.blob(digest), text);
  std::filesystem::remove(registry.blob(old));
  registry.replace_manifest(
      old + "\",\"mediaType\":\"" + kModelType + "\",\"size\":" + size,
      digest + "\",\"mediaType\":\"" + kModelType + "\",\"size\":" + std::to_string(text.size()));
  registry.finds(what);
}

TEST_CASE("leftovers are told, and are no fault; a corrupt leftover is one") {
  const Published1 registry;
  const std::string dangling = digest_of("nobody wants me");
  model::write_file(registry.blob(dangling), "nobody wants me");
  model::write_file(registry.blob(dangling) + ".Xy12ab", "half");
  CHECK(verify(registry.store()).findings.empty());
  CHECK(verify(registry.store()).notices.size() == 2);
  model::write_file(registry.blob(dangling), "Nobody wants me");
  registry.finds(std::string(hex_of(dangling)));
}

TEST_CASE("files of a stranger's artifact do not leave the folder they are pulled into") {
  const Published1 registry;
  registry.replace_manifest("\"notes.txt\"", "\"../../x.txt\"");
  CHECK_THROWS_WITH(
      pull_files(
          find(registry.store(),
               "acme-disk-9-s1@" + find(registry.store(), "acme-disk-9-s1:v1").descriptor.digest),
          registry / "out"),
      Catch::Contains("../../x.txt"));
}

TEST_CASE("references that name nothing, or nothing sensible") {
  const Published1 registry;
  for (const char* reference :
       {"", ":", "acme", "acme-disk-9-s1:v2", "../registry:v1", "acme-disk-9-s1@sha256:00", "..",
        "sha256:0000000000000000000000000000000000000000000000000000000000000000"}) {
    INFO(reference);
    CHECK_THROWS_AS(find(registry.store(), reference), Error);
  }
}

TEST_CASE("a layout that lost its image index is a finding") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  std::filesystem::remove(folder.store().drives_folder() + "/acme-disk-9-s2/index.json");
  const Verification found = verify(folder.store());
  REQUIRE(found.findings.size() == 1);
  CHECK_THAT(found.findings[0], Catch::Contains("acme-disk-9-s2/index.json: is gone"));
}

TEST_CASE("what others wrote into the folder is a notice, and rebuild-index finds it") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  folder.publish(small_model("S2"));
  CHECK(verify(folder.store()).notices.empty());
  const std::string drives = folder.store().drives_folder();
  std::filesystem::copy(
      drives + "/acme-disk-9-s1", drives + "/copied",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  std::filesystem::remove_all(drives + "/acme-disk-9-s2");
  const Verification found = verify(folder.store());
  CHECK(found.findings.empty());
  CHECK_THAT(found.notices.back(), Catch::Contains("lacks 1 models and knows 1 that are gone"));
  CHECK(rebuild_search_index(folder.store()) == 2);
  for (const std::string& notice : verify(folder.store()).notices)
    CHECK_THAT(notice, !Catch::Contains("search.sqlite"));
}

}  // namespace
}  // namespace platter::registry

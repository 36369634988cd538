#include "registry/prune.h"

#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "registry/enter.h"
#include "registry/pull.h"
#include "registry/reference.h"
#include "registry/search_index.h"
#include "registry/verify.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

const std::string kDrive = "acme-disk-9-s1";

struct ThreeVersions {
  RegistryFolder folder;
  std::vector<Publication> versions = {folder.publish(small_model("S1", 1.25)),
                                       folder.publish(small_model("S1", 1.5)),
                                       folder.publish(small_model("S1", 1.75))};
  Store store = folder.store();

  std::vector<std::string> tags() const {
    std::vector<std::string> tags;
    for (const Entry& entry : search(store).entries) tags.push_back(entry.tag);
    return tags;
  }
};

using Tags = std::vector<std::string>;

TEST_CASE("prune takes versions out, and all else stays as it was") {
  const ThreeVersions registry;
  const auto pruned = prune(registry.store, {kDrive + ":v2"}, Doing::done);
  REQUIRE(pruned.size() == 1);
  CHECK(pruned[0].reference == registry.versions[1].reference);
  CHECK(pruned[0].digest == registry.versions[1].digest);
  CHECK(registry.tags() == Tags{"v1", "v3"});
  CHECK_THROWS_AS(find(registry.store, kDrive + ":v2"), Error);
  CHECK(find(registry.store, kDrive).tag == "v3");
  CHECK(verify(registry.store).findings.empty());
}

TEST_CASE("after the latest version is gone the highest that is left is the latest") {
  const ThreeVersions registry;
  prune(registry.store, {kDrive + "@" + registry.versions[2].digest}, Doing::done);
  CHECK(find(registry.store, kDrive).tag == "v2");
  CHECK(verify(registry.store).findings.empty());
  prune(registry.store, {kDrive + ":v1", kDrive + ":v2"}, Doing::done);
  CHECK(registry.tags().empty());
  CHECK(verify(registry.store).findings.empty());
}

TEST_CASE("a number that was taken away is given to its own model alone") {
  const ThreeVersions registry;
  prune(registry.store, {kDrive + ":v3"}, Doing::done);
  CHECK(registry.folder.publish(small_model("S1", 2)).reference == kDrive + ":v4");
  const Publication again = registry.folder.publish(small_model("S1", 1.75));
  CHECK(again.reference == kDrive + ":v3");
  CHECK(again.digest == registry.versions[2].digest);
  CHECK(find(registry.store, kDrive).tag == "v4");
  CHECK(verify(registry.store).findings.empty());
}

TEST_CASE("what is only told changes nothing") {
  const ThreeVersions registry;
  CHECK(prune_older(registry.store, {}, 1, Doing::only_told).size() == 2);
  CHECK(registry.tags() == Tags{"v1", "v2", "v3"});
  prune_older(registry.store, {}, 1, Doing::done);
  CHECK_FALSE(collect_garbage(registry.store, Doing::only_told).empty());
  CHECK(fs::exists(registry.folder.blob(registry.versions[0].digest)));
}

TEST_CASE("prune keeps the newest versions of the drives named, and of all where none is") {
  const ThreeVersions registry;
  registry.folder.publish(small_model("S2", 1));
  registry.folder.publish(small_model("S2", 2));
  CHECK(prune_older(registry.store, {kDrive}, 2, Doing::done).size() == 1);
  CHECK(prune_older(registry.store, {}, 1, Doing::done).size() == 2);
  CHECK(registry.tags() == Tags{"v3", "v2"});
  CHECK_THROWS_AS(prune_older(registry.store, {"nobody"}, 1, Doing::done), Error);
}

TEST_CASE("where one version is not there none is taken away") {
  const ThreeVersions registry;
  CHECK_THROWS_AS(prune(registry.store, {kDrive + ":v1", kDrive + ":v9"}, Doing::done), Error);
  CHECK(registry.tags() == Tags{"v1", "v2", "v3"});
}

TEST_CASE("the garbage is what no version refers to, and nothing else") {
  const ThreeVersions registry;
  CHECK(collect_garbage(registry.store, Doing::done).empty());
  prune(registry.store, {kDrive + ":v1"}, Doing::done);
  const std::string left = registry.store.blobs_folder() + "/." + std::string(64, '0') + ".12";
  model::write_file(left, "of a stopped writer");
  const auto garbage = collect_garbage(registry.store, Doing::done);
  REQUIRE(garbage.size() == 3);  // the manifest, the model, what was left
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(registry.folder.blob(registry.versions[0].digest)));
  CHECK_FALSE(fs::exists(registry.folder.blob(registry.versions[0].model_digest)));
  const Verification found = verify(registry.store);
  CHECK(found.findings.empty());
  CHECK(found.notices.empty());
  CHECK_NOTHROW(open(find(registry.store, kDrive + ":v2")));
}

TEST_CASE("signatures go with what they sign") {
  const ThreeVersions registry;
  const std::string& digest = registry.versions[0].digest;
  {
    const Lock lock(registry.store);
    Manifest signatures;
    signatures.config = registry.store.put_blob(kDrive, "application/vnd.oci.image.config.v1+json",
                                                "{}");
    const Descriptor manifest = registry.store.put_blob(kDrive, kManifestType,
                                                        manifest_text(signatures));
    enter_signatures(registry.store, lock, kDrive, manifest,
                     "sha256-" + std::string(hex_of(digest)) + ".sig");
  }
  CHECK(collect_garbage(registry.store, Doing::done).empty());
  CHECK(registry.store.layout(kDrive).index().manifests.size() == 5);
  prune(registry.store, {digest}, Doing::done);
  CHECK(registry.store.layout(kDrive).index().manifests.size() == 3);
  CHECK(collect_garbage(registry.store, Doing::done).size() == 3);
}

TEST_CASE("nothing is deleted while a manifest cannot be read") {
  const ThreeVersions registry;
  prune(registry.store, {kDrive + ":v1"}, Doing::done);
  registry.folder.change(registry.folder.blob(registry.versions[1].digest), "schemaVersion",
                         "schemaVersiom");
  CHECK_THROWS_WITH(collect_garbage(registry.store, Doing::done),
                    Catch::Contains("nothing was deleted"));
  CHECK(fs::exists(registry.folder.blob(registry.versions[0].digest)));
}

TEST_CASE(
    "a version has at most nine digits and no 0 in front, so that there is always a next one") {
  CHECK(version_number("v999999999") == 999'999'999);
  for (const char* const tag : {"v0", "v01", "v1000000000", "v18446744073709551615", "v", "v1x"})
    CHECK(version_number(tag) == 0);
}

TEST_CASE("nothing is deleted where something lies in the folder that no image index tells of") {
  const ThreeVersions registry;
  search(registry.store);  // the index for searching knows them
  const std::string index = registry.store.layout(kDrive).index_path();
  const std::string blob = registry.folder.blob(registry.versions[0].digest);
  SECTION("an image index is lost") {
    fs::rename(index, registry.folder / "kept");
    CHECK_THROWS_WITH(collect_garbage(registry.store, Doing::done),
                      Catch::Contains("no index.json any more"));
  }
  SECTION("a layout whose name is no drive's") {
    fs::create_directories(registry.store.drives_folder() + "/MyDrive");
    CHECK_THROWS_WITH(collect_garbage(registry.store, Doing::done),
                      Catch::Contains("is no drive's layout"));
  }
  SECTION("an index of indexes") {
    const Descriptor nested = registry.store.put_blob(kDrive, kIndexType,
                                                      R"({"schemaVersion":2,"manifests":[]})");
    model::write_file(index, index_with(model::read_file(index), nested,
                                        {.tag = "nested", .latest = false, .moves = true}));
    CHECK_THROWS_WITH(collect_garbage(registry.store, Doing::done),
                      Catch::Contains("may refer to more"));
  }
  CHECK(fs::exists(blob));
}

}  // namespace
}  // namespace platter::registry

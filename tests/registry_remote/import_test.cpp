#include "registry/remote/import.h"

#include <filesystem>

#include "../registry/registry_folder.h"
#include "catch.h"
#include "model/error.h"
#include "registry/reference.h"
#include "registry/search_index.h"
#include "registry/verify.h"

namespace platter::registry_remote {
namespace {

using namespace registry;

namespace fs = std::filesystem;

const std::string kDrive = "acme-disk-9-s1";

// A layout with blobs of its own, as skopeo writes one, of this version under this tag.
std::string layout_of(const RegistryFolder& folder, const Publication& published,
                      const std::string& tag) {
  const std::string path = folder / "layout";
  fs::remove_all(path);
  fs::create_directories(path + "/blobs");
  fs::copy(folder.store().blobs_folder(), path + "/blobs/sha256");
  model::write_file(path + "/oci-layout", layout_marker_text());
  const Descriptor descriptor = find(folder.store(), published.reference).descriptor;
  model::write_file(path + "/index.json",
                    index_with("", {kManifestType, descriptor.digest, descriptor.size, {}},
                               {.tag = tag, .latest = false}));
  return path;
}

std::vector<std::string> references(const std::vector<TakenIn>& taken) {
  std::vector<std::string> references;
  for (const TakenIn& one : taken) references.push_back(one.reference());
  return references;
}

using References = std::vector<std::string>;

TEST_CASE("a layout's model comes in with its version, whatever the layout calls it") {
  const RegistryFolder theirs, ours;
  theirs.publish(small_model("S1", 1.25));
  const Publication second = theirs.publish(small_model("S1", 1.5));
  const std::string tag = GENERATE("v2", "some-name.v2");
  const std::string layout = layout_of(theirs, second, tag);
  const auto taken = import_all(ours.store(), layout);
  CHECK(references(taken) == References{kDrive + ":v2"});
  CHECK(taken[0].digest == second.digest);
  CHECK(taken[0].added);
  CHECK(find(ours.store(), kDrive).descriptor.digest == second.digest);
  CHECK(verify(ours.store()).findings.empty());
  CHECK(verify(ours.store()).notices.empty());
  CHECK_FALSE(import_all(ours.store(), layout)[0].added);
}

TEST_CASE("a version that another model has here becomes the next one") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  ours.publish(small_model("S1", 2));
  const auto taken = import_all(ours.store(), layout_of(theirs, first, "v1"));
  CHECK(references(taken) == References{kDrive + ":v2"});
  CHECK(find(ours.store(), kDrive).tag == "v2");
}

// holds: registry.md: no tag from elsewhere
TEST_CASE("a version far above all that are here becomes the next one: numbers end") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  ours.publish(small_model("S1", 2));
  import_all(ours.store(), layout_of(theirs, first, kDrive + ".v999999999"));
  CHECK(find(ours.store(), kDrive).tag == "v2");
}

// holds: registry.md: no tag from elsewhere
TEST_CASE("where versions are used up nothing is replaced") {
  const RegistryFolder folder;
  const Publication first = folder.publish(small_model("S1", 1.25));
  folder.change(folder.store().layout(kDrive).index_path(), "vnd.platter.tag.v1",
                "vnd.platter.tag.v999999999");
  CHECK_THROWS_WITH(folder.publish(small_model("S1", 2)), Catch::Contains("there is no number"));
  CHECK(find(folder.store(), kDrive).descriptor.digest == first.digest);
}

TEST_CASE("a tag without a version becomes the next version") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  const auto taken = import_all(ours.store(), layout_of(theirs, first, "nightly"));
  CHECK(references(taken) == References{kDrive + ":v1"});
  CHECK(taken[0].tag_there == "nightly");
}

TEST_CASE("a lower version that comes later is not the latest") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  theirs.publish(small_model("S1", 1.5));
  const Publication third = theirs.publish(small_model("S1", 1.75));
  import_all(ours.store(), layout_of(theirs, third, "v3"));
  import_all(ours.store(), layout_of(theirs, first, "v1"));
  CHECK(find(ours.store(), kDrive).descriptor.digest == third.digest);
}

TEST_CASE("all of another registry comes in") {
  const RegistryFolder theirs, ours;
  theirs.publish(small_model("S1", 1.25));
  theirs.publish(small_model("S1", 1.5));
  theirs.publish(small_model("S2"));
  CHECK(import_all(ours.store(), theirs.store().folder()).size() == 3);
  CHECK(search(ours.store()).entries.size() == 3);
  CHECK(verify(ours.store()).findings.empty());
}

TEST_CASE("what is damaged does not come in") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  const std::string layout = layout_of(theirs, first, "v1");
  const std::string digest = GENERATE_COPY(values({first.digest, first.model_digest}));
  theirs.change(layout + "/blobs/sha256/" + std::string(hex_of(digest)), "ACME", "ACMF");
  CHECK_THROWS_WITH(import_all(ours.store(), layout), Catch::Contains("is corrupt"));
  CHECK(ours.store().drives().empty());
}

TEST_CASE("a model that is none does not come in, though its digests are right") {
  const RegistryFolder theirs, ours;
  const Publication first = theirs.publish(small_model("S1", 1.25));
  const std::string layout = layout_of(theirs, first, "v1");
  const std::string blobs = layout + "/blobs/sha256/";
  std::string text = model::read_file(blobs + std::string(hex_of(first.model_digest)));
  text.replace(text.find("\"blocks\":4000"), 13, "\"blocks\":-400");
  model::write_file(blobs + std::string(hex_of(digest_of(text))), text);
  std::string manifest = model::read_file(blobs + std::string(hex_of(first.digest)));
  manifest.replace(manifest.find(first.model_digest), first.model_digest.size(), digest_of(text));
  model::write_file(blobs + std::string(hex_of(digest_of(manifest))), manifest);
  model::write_file(layout + "/index.json",
                    index_with("", {kManifestType, digest_of(manifest), manifest.size(), {}},
                               {.tag = "v1", .latest = false}));
  CHECK_THROWS_WITH(import_all(ours.store(), layout), Catch::Contains("identity.blocks"));
  CHECK(ours.store().drives().empty());
}

TEST_CASE("what is no layout is told from an empty one") {
  const RegistryFolder folder;
  fs::create_directories(folder / "nothing");
  CHECK_THROWS_WITH(import_all(folder.store(), folder / "nothing"),
                    Catch::Contains("is neither an OCI image layout"));
}

}  // namespace
}  // namespace platter::registry_remote

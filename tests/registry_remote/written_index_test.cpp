#include <filesystem>

#include "../registry/registry_folder.h"
#include "catch.h"
#include "model/error.h"
#include "registry/remote/curate.h"

namespace platter::registry_remote {
namespace {

using registry::RegistryFolder;

const std::string kPlace = "127.0.0.1:5000/storage/drives",
                  kDigest = "sha256:" + std::string(64, 'a');

std::string record_in(const registry::Store& store) {
  for (const auto& entry : std::filesystem::directory_iterator(store.folder() + "/curated"))
    return entry.path().string();
  return "";
}

}  // namespace

// holds: registry.md: a curator knows
TEST_CASE("a curator remembers the last index of each repository, also when the remote is gone") {
  const RegistryFolder folder;
  const registry::Store store = folder.store();
  CHECK(written_index(store, kPlace).given == 0);
  keep_written_index(store, kPlace, {7, {6, kDigest}});
  add_remote(store, {.name = "lab", .place = kPlace, .key_pem = {}});
  remove_remote(store, "lab");
  const WrittenIndex written = written_index(store, kPlace);
  CHECK(written.given == 7);
  CHECK(written.sent.number == 6);
  CHECK(written.sent.digest == kDigest);
  CHECK(written_index(store, kPlace + "-2").given == 0);
}

// holds: registry.md: a curator knows
TEST_CASE("a record that does not say its number is no record of 0") {
  const RegistryFolder folder;
  const registry::Store store = folder.store();
  keep_written_index(store, kPlace, {7, {6, kDigest}});
  const std::string path = record_in(store), whole = model::read_file(path);
  const auto without = [&](const std::string& from, const std::string& to) {
    model::write_file(path, whole);
    folder.change(path, from, to);
    CHECK_THROWS_WITH(written_index(store, kPlace), Catch::Contains("--above"));
  };
  without("\"given\": 7", "\"given\": 5");
  without("\"given\": 7", "\"given\": \"7\"");
  without("\"given\": 7", "\"given\": 1000000000001");
  without("sha256:", "sha512:");
  without(kPlace, "elsewhere.org/x");
  without("{", "");
  model::write_file(path, "");
  CHECK_THROWS_AS(written_index(store, kPlace), Error);
}

TEST_CASE("a step of numbers that nobody takes by writing is told") {
  const Remote remote{.name = "lab", .place = kPlace, .key_pem = {}};
  CHECK(unusual_step(remote, 5, 6).empty());
  CHECK(unusual_step(remote, 5, 5).empty());
  CHECK(unusual_step(remote, 6, 5).empty());
  CHECK(unusual_step(remote, 0, 90'000).empty());
  CHECK(unusual_step(remote, 5, 999'999'999'999).find("has the number 999999999999 after 5") !=
        std::string::npos);
  CHECK(unusual_step(remote, 0, 999'999'999'999).find("is the first seen") != std::string::npos);
}

}  // namespace platter::registry_remote

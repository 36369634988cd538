#include "registry/remote/remotes.h"

#include <sys/stat.h>

#include "../registry/registry_folder.h"
#include "catch.h"
#include "model/error.h"

namespace platter::registry_remote {
namespace {

using registry::RegistryFolder;

Remote lab(const std::string& key) {
  return {.name = "lab", .place = "example.org/drives", .key_pem = key};
}

}  // namespace

// holds: registry.md: keys and folders of keys
TEST_CASE("the key of a remote is the user's alone to change, whatever the umask") {
  const RegistryFolder folder;
  const mode_t before = ::umask(0);
  add_remote(folder.store(), lab("some key"));
  ::umask(before);
  CHECK(remote(folder.store(), "lab") == lab("some key"));
  const std::string path = remote_folder(folder.store(), "lab");
  ::chmod((path + "/remote.json").c_str(), 0666);
  CHECK_THROWS_WITH(remote(folder.store(), "lab"), Catch::Contains("remote.json: may be written"));
  CHECK_THROWS_WITH(remotes(folder.store()), Catch::Contains("chmod go-w"));
  ::chmod((path + "/remote.json").c_str(), 0644);
  ::chmod(path.c_str(), 0777);
  CHECK_THROWS_WITH(remote(folder.store(), "lab"), Catch::Contains("lab: may be written"));
  CHECK(remote_names(folder.store()) == std::vector<std::string>{"lab"});
}

// holds: registry.md: keys and folders of keys
TEST_CASE("a remote whose key others may have taken away is refused as well") {
  const RegistryFolder folder;
  add_remote(folder.store(), lab(""));
  CHECK(remote(folder.store(), "lab") == lab(""));
  ::chmod((remote_folder(folder.store(), "lab") + "/remote.json").c_str(), 0666);
  CHECK_THROWS_WITH(remote(folder.store(), "lab"), Catch::Contains("remote.json: may be written"));
}

TEST_CASE("a description that names no repository is a damaged one") {
  const RegistryFolder folder;
  add_remote(folder.store(), lab(""));
  const std::string path = remote_folder(folder.store(), "lab") + "/remote.json";
  folder.change(path, "example.org/drives", "docker.io");
  CHECK_THROWS_WITH(remote(folder.store(), "lab"),
                    Catch::Contains("is no description of a remote"));
}

}  // namespace platter::registry_remote

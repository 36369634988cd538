#include "model/folder.h"

#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

class Place {
 public:
  std::string operator/(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  TemporaryFolder folder_{temporary_name("platter-folder")};
};

const std::string kTooLong(5000, 'x');

}  // namespace

TEST_CASE("a folder's content comes by name, and none has none") {
  const Place place;
  make_folder(place / "in/it");
  write_file(place / "in/b", "");
  write_file(place / "in/a", "");
  std::vector<std::string> names;
  for (const fs::path& path : paths_in(place / "in")) names.push_back(path.filename().string());
  CHECK(names == std::vector<std::string>{"a", "b", "it"});
  CHECK(paths_in(place / "none").empty());
}

TEST_CASE("what cannot be read is not empty") {
  const Place place;
  write_file(place / "file", "");
  fs::create_symlink("loop", place / "loop");
  for (const std::string& path : {place / "file", place / "loop", place / kTooLong})
    CHECK_THROWS_AS(paths_in(path), Error);
  CHECK_THROWS_WITH(make_folder(place / "file/in"), Catch::Contains("cannot be made"));
}

TEST_CASE("an odd path is not there, or it cannot be told: no exception of the library's") {
  const Place place;
  write_file(place / "file", "");
  for (const std::string& path : {place / "file/in", place / kTooLong, std::string()}) {
    CHECK_FALSE(is_there(path));
    CHECK_FALSE(is_folder(path));
  }
  fs::create_symlink("loop", place / "loop");
  CHECK_THROWS_WITH(is_there(place / "loop"), Catch::Contains("cannot be looked at"));
  CHECK_THROWS_AS(is_folder(place / "loop/in"), Error);
  CHECK(is_there("/"));
  CHECK(is_folder("/"));
  CHECK(absolute_path("").empty());
  CHECK(absolute_path("/a") == "/a");
  CHECK(absolute_path("a").ends_with("/a"));
}

}  // namespace platter::model

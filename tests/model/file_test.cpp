#include "model/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include "model/error.h"
#include "model/json.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

// A folder of its own for one test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "platter-file-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

ExitStatus status_of(auto action) {
  try {
    action();
  } catch (const Error& error) {
    return error.status();
  }
  return ExitStatus::ok;
}

TEST_CASE("what is written is read again, and nothing else is left") {
  const Folder folder;
  const std::string content("a\0b\n", 4);
  write_file(folder / "x", content);
  CHECK(read_file(folder / "x") == content);
  write_file(folder / "x", "second");
  CHECK(read_file(folder / "x") == "second");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a symbolic link stays a link to the new content") {
  const Folder folder;
  write_file(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "target") == "new");
}

TEST_CASE("what cannot be read or written is named") {
  const Folder folder;
  CHECK_THROWS_WITH(read_file(folder / "none"), (folder / "none") + ": no such file");
  CHECK(status_of([&] { read_file(folder / "none"); }) == ExitStatus::bad_input);
  CHECK(status_of([&] { read_file(folder / ""); }) == ExitStatus::bad_input);
  CHECK(status_of([&] { write_file(folder / "", "x"); }) == ExitStatus::output);
  CHECK(status_of([&] { write_file(folder / "no/such/folder", "x"); }) == ExitStatus::output);
  CHECK(status_of([&] { write_file("/dev/full", "x"); }) == ExitStatus::output);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a file written piece by piece has its beginning written once more, or is not there") {
  const Folder folder;
  {
    FileWriter file(folder / "x");
    CHECK_FALSE(file.is_stream());
    file.write("????, ");
    file.write("one, ");
    file.rewrite_beginning("zero");
    file.write("two");
    CHECK_THROWS(read_file(folder / "x"));
    file.commit();
  }
  CHECK(read_file(folder / "x") == "zero, one, two");
  FileWriter(folder / "y").write("unfinished");
  CHECK(folder.entries() == 1);
  CHECK(FileWriter("/dev/null").is_stream());
}

TEST_CASE("an invalid model leaves the file as it was") {
  const Folder folder;
  write_file(folder / "m.json", "old");
  DriveModel model;
  model.identity.block_bytes = 0;
  CHECK(status_of([&] { save_model(model, folder / "m.json"); }) == ExitStatus::bad_input);
  CHECK(read_file(folder / "m.json") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("what is no file is refused at once, and nothing is waited for") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(status_of([&] { read_file(folder / "pipe"); }) == ExitStatus::bad_input);
  CHECK(status_of([&] { read_file("/dev/zero"); }) == ExitStatus::bad_input);
  CHECK(status_of([&] { read_file(folder / "."); }) == ExitStatus::bad_input);
  CHECK_FALSE(is_file(folder / "pipe"));
  CHECK_FALSE(is_file(folder / "."));
  CHECK_FALSE(is_file(folder / "none"));
  write_file(folder / "x", "");
  CHECK(is_file(folder / "x"));
}

TEST_CASE("a file of 64 MiB is read, a larger one is refused by its size") {
  const Folder folder;
  write_file(folder / "x", "begin");
  REQUIRE(::truncate((folder / "x").c_str(), static_cast<off_t>(kLargestFile)) == 0);
  CHECK(read_file(folder / "x").size() == kLargestFile);
  REQUIRE(::truncate((folder / "x").c_str(), static_cast<off_t>(kLargestFile) + 1) == 0);
  CHECK_THROWS_WITH(read_file(folder / "x"), Catch::Contains("larger than the 64 MiB"));
}

TEST_CASE("a file without a size, as those of /proc, is read whole") {
  CHECK(read_file("/proc/self/cmdline").size() > 3);
}

}  // namespace
}  // namespace platter::model

#include "model/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "model/claims.h"
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
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
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

TEST_CASE("a file that grows is there from the beginning, and gets its name at the end") {
  const Folder folder;
  const std::string running = folder / "x.running", last = folder / "x";
  write_file(last, "before");
  {
    GrowingFile file(running, "one\n");
    CHECK(read_file(running) == "one\n");
    file.append("two\n");
    file.synchronize();
    CHECK(read_file(running) == "one\ntwo\n");
    CHECK(read_file(last) == "before");
    file.become(last);
    CHECK(read_file(last) == "one\ntwo\n");
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that grows does not take the place of what came there meanwhile") {
  const Folder folder;
  const std::string running = folder / "x.running", last = folder / "x";
  REQUIRE(claim_output(last));
  GrowingFile file(running, "mine\n");
  std::ofstream(last) << "theirs";
  CHECK(status_of([&] { file.become(last); }) == ExitStatus::refused);
  CHECK(read_file(last) == "theirs");
  CHECK(read_file(running) == "mine\n");
}

TEST_CASE("what came to an output's place while the work went on is left alone") {
  const Folder folder;
  const std::string path = folder / "claimed";
  REQUIRE(claim_output(path));
  CHECK_FALSE(claim_output(path));
  {
    FileWriter file(path);
    file.write("measured for hours");
    std::ofstream(path) << "somebody's";
    std::string told;
    try {
      file.commit();
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::refused);
      told = error.what();
    }
    const std::string kept = told.substr(told.rfind(' ') + 1);
    CHECK(read_file(kept) == "measured for hours");
  }
  CHECK(read_file(path) == "somebody's");
}

TEST_CASE("an output is replaced as often as its own run wants") {
  const Folder folder;
  write_file(folder / "x", "before");
  REQUIRE(claim_output(folder / "x"));
  write_file(folder / "x", "first");
  write_file(folder / "x", "second");
  CHECK(read_file(folder / "x") == "second");
  std::ofstream(folder / "x") << "somebody's";
  CHECK(status_of([&] { write_file(folder / "x", "third"); }) == ExitStatus::refused);
}

TEST_CASE("an input is known by every name") {
  const Folder folder;
  write_file(folder / "in", "x");
  write_file(folder / "other", "x");
  fs::create_symlink("in", folder / "link");
  fs::create_hard_link(folder / "in", folder / "hard");
  CHECK_FALSE(input_behind(folder / "in"));
  read_file(folder / "in");
  for (const char* name : {"in", "link", "hard", "./in"})
    CHECK(input_behind(folder / name) == folder / "in");
  CHECK_FALSE(input_behind(folder / "other"));
  CHECK_FALSE(input_behind(folder / "nonesuch"));
}

TEST_CASE("a device that is a drive or may be one is no output") {
  CHECK(status_of([] { require_writable("/dev/null"); }) == ExitStatus::ok);
  CHECK(status_of([] { require_writable("/dev/full"); }) == ExitStatus::ok);
  CHECK(status_of([] { require_writable("/dev/urandom"); }) == ExitStatus::refused);
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

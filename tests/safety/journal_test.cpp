#include "safety/journal.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "catch.h"
#include "model/error.h"
#include "safety/left_journals.h"

namespace {

// How long each file and folder was when it was last told onto stable storage, by inode.
std::map<ino_t, off_t>& told_to_last() {
  static std::map<ino_t, off_t> told;
  return told;
}

}  // namespace

// In the place of the C library's: what this program tells to last is known.
extern "C" int fsync(int file) {
  struct stat now {};
  const int done = static_cast<int>(::syscall(SYS_fsync, file));
  if (done == 0 && ::fstat(file, &now) == 0) told_to_last()[now.st_ino] = now.st_size;
  return done;
}

namespace platter::safety {
namespace {

struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("platter-journals-" + std::to_string(::getpid()));
};

model::Identity drive_of_512() {
  model::Identity drive;
  drive.vendor = "ACME";
  drive.product = "DISK";
  drive.serial = "1";
  drive.blocks = 100000;
  drive.block_bytes = 512;
  return drive;
}

std::vector<std::uint8_t> bytes_of(std::uint32_t blocks, std::uint8_t value) {
  return std::vector<std::uint8_t>(blocks * 512, value);
}

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void replace(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc | std::ios::binary) << text;
}

// Of a run that was cut off, with three entries: LBN 10, 20 to 21, 30.
std::string left_in(const Folder& folder) {
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  journal.before_write(10, bytes_of(1, 1));
  journal.before_write(20, bytes_of(2, 2));
  journal.before_write(30, bytes_of(1, 3));
  return journal.path();
}

// holds: safety.md: Before a write leaves
TEST_CASE("a journal holds every block that is written, as it came first") {
  const Folder folder;
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  journal.before_write(10, bytes_of(1, 1));
  journal.before_write(10, bytes_of(3, 2));  // a longer one over it
  journal.before_write(5, bytes_of(10, 3));
  const JournalContents read = read_journal(journal.path());
  CHECK(read.blocks.size() == 10);
  CHECK(read.blocks.block(10) == bytes_of(1, 1));
  CHECK(read.blocks.block(11) == bytes_of(1, 2));
  CHECK(read.blocks.block(12) == bytes_of(1, 2));
  CHECK(read.blocks.block(5) == bytes_of(1, 3));
  CHECK(read.blocks.block(14) == bytes_of(1, 3));
  CHECK(journal.contents().of({5, 14}) == read.blocks.of({5, 14}));
}

// holds: safety.md: Before a write leaves
TEST_CASE("a journal is on stable storage, its name and each entry, before a write may leave") {
  const Folder folder;
  const auto is_safe = [](const std::string& path) {
    struct stat now {};
    REQUIRE(::stat(path.c_str(), &now) == 0);
    const auto told = told_to_last().find(now.st_ino);
    return told != told_to_last().end() && (S_ISDIR(now.st_mode) || told->second == now.st_size);
  };
  told_to_last().clear();
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  CHECK(is_safe(folder.path.string()));
  CHECK(is_safe(journal.path()));
  for (const std::uint64_t lbn : {10U, 20U, 12U}) {
    journal.before_write(lbn, bytes_of(4, 1));
    CHECK(is_safe(journal.path()));
  }
  append(journal.path(), "x");
  CHECK_FALSE(is_safe(journal.path()));
}

TEST_CASE("a journal begins as every file of platter does") {
  const Folder folder;
  const std::string path = Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).path();
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK(line.starts_with(R"({"schema":{"name":"platter-journal","version":"2.0"},"platter":")"));
}

// holds: safety.md: `platter restore` uses every line
TEST_CASE("a line that a power loss tore is left out, damage is told with what can be read of it") {
  const Folder folder;
  const std::string path = left_in(folder), text = text_of(path);
  // Whatever of the last line is there: its write had not begun.
  const std::size_t last = text.rfind("{\"lbn\":30");
  for (std::size_t size = last; size < text.size() - 1; ++size) {
    replace(path, text.substr(0, size));
    const JournalContents read = read_journal(path);
    INFO(size - last);
    CHECK(read.blocks.size() == 3);
    CHECK(read.damaged.empty());
  }
  replace(path, text.substr(0, text.size() - 1));  // of the last line only its end is missing
  CHECK(read_journal(path).blocks.size() == 4);
  // A sector of zeros is no line that was cut off.
  replace(path, text.substr(0, last + 10) + std::string(512, '\0'));
  CHECK(read_journal(path).damaged.size() == 1);
  std::string changed = text;
  changed[text.find("{\"lbn\":20") + 40] ^= 4;
  replace(path, changed);
  const JournalContents read = read_journal(path);
  CHECK(read.blocks.size() == 2);
  REQUIRE(read.damaged.size() == 1);
  CHECK(read.damaged[0].first == 4);
  CHECK(read.damaged[0].last == 4);
  CHECK(read.damaged[0].lbn == 20U);
  CHECK(damage_in_words(read) ==
        "line 4 is damaged (LBN 20 and what follows it, as far as can be read)");
}

// holds: safety.md: `platter restore` uses every line
TEST_CASE("the head is there twice, and one of them is enough") {
  const Folder folder;
  const std::string path = left_in(folder), text = text_of(path);
  const std::size_t second = text.find('\n') + 1;
  for (const std::size_t at : {std::size_t{30}, second - 1, second + 30}) {
    std::string changed = text;
    changed[at] ^= 1;
    replace(path, changed);
    CHECK(read_journal(path).identity.serial == drive_of_512().serial);
    CHECK(read_journal(path).blocks.size() == 4);
    CHECK(read_journal(path).damaged.empty());
  }
  std::string changed = text;
  changed[30] ^= 1;
  changed[second + 30] ^= 1;
  replace(path, changed);
  CHECK_THROWS_WITH(read_journal(path), Catch::Contains("has no first line that is whole"));
}

// holds: safety.md: A new run is refused
TEST_CASE("no run begins where a journal cannot be read, or has damaged lines") {
  const Folder folder;
  const auto begin = [&] {
    static_cast<void>(Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).finish());
  };
  const auto refused = [&](const std::string& path) {
    CHECK_THROWS_WITH(begin(), Catch::Contains(path));
    try {
      begin();
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::refused);
    }
    std::filesystem::remove_all(path);
    CHECK_NOTHROW(begin());
  };
  const std::string there = (folder.path / "x.journal").string();
  for (const std::string text :
       {"", "what is this\n", "{\"schema\":{\"name\":\"platter-journal\"}}\n"}) {
    replace(there, text);
    refused(there);
  }
  std::filesystem::create_directory(there);  // no run leaves one
  CHECK_NOTHROW(begin());
  std::filesystem::remove(there);
  std::filesystem::create_symlink(".", there);
  CHECK_NOTHROW(begin());
  std::filesystem::remove(there);
  const std::string elsewhere = (folder.path / "elsewhere").string();
  std::filesystem::rename(left_in(folder), elsewhere);
  for (const std::string& target : {std::string("nowhere"), elsewhere}) {
    std::filesystem::create_symlink(target, there);
    refused(there);
  }
  const std::string left = left_in(folder);
  std::string changed = text_of(left);
  for (std::size_t at = changed.find("{\"lbn\""); at < changed.size(); ++at) changed[at] = '\0';
  replace(left, changed);  // nothing of its blocks is left
  refused(left);
}

TEST_CASE(
    "a journal that cannot be grown says what was done, and what of it is there stays whole") {
  const Folder folder;
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  const auto fails = [&](std::uint64_t lbn, const char* words) {
    struct rlimit was {};
    ::getrlimit(RLIMIT_FSIZE, &was);
    const struct rlimit little { std::filesystem::file_size(journal.path()) + 100, was.rlim_max };
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &little);
    CHECK_THROWS_WITH(journal.before_write(lbn, bytes_of(1, 4)), Catch::Contains(words));
    ::setrlimit(RLIMIT_FSIZE, &was);
    std::signal(SIGXFSZ, handler);
  };
  fails(10, "nothing was written to the drive");
  journal.before_write(10, bytes_of(1, 1));
  fails(20, "what was to be written next was not");
  journal.before_write(30, bytes_of(1, 3));
  const JournalContents read = read_journal(journal.path());
  CHECK(read.damaged.empty());
  CHECK(read.blocks.size() == 2);
  CHECK_FALSE(read.blocks.knows(20));
}

TEST_CASE("a run that goes on holds its journal, one that ended removes it") {
  const Folder folder;
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  const std::string path = journal.path();
  CHECK(in_use(path));
  CHECK_FALSE(journal.finish());
  CHECK_FALSE(std::filesystem::exists(path));
}

// holds: safety.md: A journal that cannot be removed
TEST_CASE("a journal that cannot be removed is told, and ends nothing by a signal") {
  const Folder folder;
  std::optional<Journal> journal(std::in_place, folder.path.string(), "/dev/sdx", drive_of_512(),
                                 SavedSettings{});
  const std::string path = journal->path();
  std::filesystem::remove(path);
  std::filesystem::create_directories(path);  // unlink(2): it is a folder
  const auto stays = journal->finish();
  REQUIRE(stays);
  CHECK_THAT(*stays, Catch::Contains(path + " cannot be removed") &&
                         Catch::Contains("nothing is left to restore"));
  journal.reset();
  CHECK(std::filesystem::exists(path));
}

// holds: safety.md: A new run is refused
TEST_CASE("no run begins while blocks of one that was cut off have not been looked after") {
  const Folder folder;
  {
    Journal left(folder.path.string(), "/dev/sdx", drive_of_512(), {});
    left.before_write(10, bytes_of(1, 1));
    // That one still goes on.
    CHECK_FALSE(Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).finish());
  }
  CHECK_THROWS_WITH(Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}),
                    Catch::Contains("platter restore"));
  model::Identity other = drive_of_512();
  other.serial = "2";
  CHECK_FALSE(Journal(folder.path.string(), "/dev/sdx", other, {}).finish());
}

TEST_CASE("a serial number of any length and letters names a journal") {
  const Folder folder;
  model::Identity drive = drive_of_512();
  drive.serial = std::string(252, 'x') + "/../\x1b";
  CHECK(std::filesystem::exists(Journal(folder.path.string(), "/dev/sdx", drive, {}).path()));
}

TEST_CASE("what is no file is no journal") {
  CHECK_THROWS_AS(read_journal("/dev/zero"), Error);
  CHECK_THROWS_AS(read_journal("/tmp"), Error);
  CHECK_THROWS_AS(read_journal("/no/such"), Error);
}

TEST_CASE("every block is named") {
  CHECK(in_words(std::vector<LbnRange>{{7, 7}}) == "LBN 7");
  CHECK(in_words(std::vector<LbnRange>{{7, 9}}) == "LBN 7 to 9");
  CHECK(in_words(std::vector<LbnRange>{{5, 5}, {7, 9}, {12, 12}}) == "LBNs 5, 7-9 and 12");
  std::vector<LbnRange> many{{5, 5}, {7, 9}, {12, 12}, {14, 14}, {16, 20}, {30, 30}};
  CHECK(in_few_words(many, "FILE") == "LBNs 5, 7-9, 12, 14, 16-20 and 30");
  many.push_back({40, 41});
  CHECK(in_few_words(many, "FILE") == "LBNs 5, 7-9, 12, 14, 16-20 and 2 more (in FILE)");
}

}  // namespace
}  // namespace platter::safety

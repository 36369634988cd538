#include "safety/journal.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "model/error.h"

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

std::string entry(std::uint64_t lbn, std::uint32_t blocks, const std::string& byte) {
  std::string text = "{\"lbn\":" + std::to_string(lbn) + ",\"bytes\":\"";
  for (std::uint32_t i = 0; i < blocks * 512; ++i) text += byte;
  return text + "\"}\n";
}

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

TEST_CASE("a journal begins as every file of platter does") {
  const Folder folder;
  const std::string path = Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).path();
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK(line.starts_with(R"({"schema":{"name":"platter-journal","version":"1.0"},"platter":")"));
}

TEST_CASE("of entries of older journals the longest and latest counts, and every block is there") {
  const Folder folder;
  const std::string path = Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).path();
  append(path, entry(10, 1, "aa") + entry(10, 3, "bb") + entry(10, 2, "cc") + entry(12, 3, "dd"));
  const BlockContents blocks = read_journal(path).blocks;
  CHECK(blocks.size() == 5);
  CHECK(blocks.block(10) == bytes_of(1, 0xbb));
  CHECK(blocks.block(11) == bytes_of(1, 0xbb));
  CHECK(blocks.block(12) == bytes_of(1, 0xdd));
  CHECK(blocks.block(14) == bytes_of(1, 0xdd));
}

TEST_CASE("a line that a power loss tore is left out, damage in front of it is told") {
  const Folder folder;
  const std::string path = Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).path();
  append(path, entry(10, 1, "aa"));
  append(path, "{\"lbn\":11,\"bytes\":\"aa");
  CHECK(read_journal(path).blocks.size() == 1);
  append(path, "\n" + entry(12, 1, "aa"));
  CHECK_THROWS_WITH(read_journal(path), Catch::Contains("entry 2"));
}

TEST_CASE("a run that goes on holds its journal, one that ended removes it") {
  const Folder folder;
  Journal journal(folder.path.string(), "/dev/sdx", drive_of_512(), {});
  const std::string path = journal.path();
  CHECK(in_use(path));
  journal.finish();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("no run begins while blocks of one that was cut off have not been looked after") {
  const Folder folder;
  {
    Journal left(folder.path.string(), "/dev/sdx", drive_of_512(), {});
    left.before_write(10, bytes_of(1, 1));
    Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}).finish();  // that one still goes
                                                                             // on
  }
  CHECK_THROWS_WITH(Journal(folder.path.string(), "/dev/sdx", drive_of_512(), {}),
                    Catch::Contains("platter restore"));
  model::Identity other = drive_of_512();
  other.serial = "2";
  Journal(folder.path.string(), "/dev/sdx", other, {}).finish();
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

#include "emulator/contents/generated_contents.h"

#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "catch.h"
#include "emulator_contents/ext4_image.h"
#include "model/error.h"
#include "model/leftovers.h"

using namespace platter;
using emulator::ContentsFile;
using emulator::GeneratedContents;
using emulator::GeneratedSettings;
using testing::Block;
using testing::Ext4Image;
using testing::noise;

namespace {

GeneratedSettings settings_of(std::uint64_t bytes) {
  GeneratedSettings settings;
  settings.bytes = bytes;
  return settings;
}

Block read(const emulator::Contents& contents, std::uint64_t at, std::size_t bytes = 4096) {
  Block block(bytes);
  REQUIRE(contents.read(at, block) == 0);
  return block;
}

// A drive with a mounted ext4 that begins at that byte of it.
struct MountedGenerated {
  explicit MountedGenerated(GeneratedSettings settings, std::uint64_t begins = 0)
      : contents(std::make_unique<GeneratedContents>(settings)),
        image([this, begins](std::uint64_t block, const Block& bytes) {
          REQUIRE(contents->write(begins + block * 4096, bytes) == 0);
        }) {
    image.make();
    image.mount();
  }
  std::unique_ptr<GeneratedContents> contents;
  Ext4Image image;
};

ExitStatus refusal(const GeneratedSettings& settings) {
  try {
    const GeneratedContents contents(settings);
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(std::string(error.what()).find(*settings.file) == 0);
    return error.status();
  }
  return ExitStatus::ok;
}

}  // namespace

// holds: emulators.md: Of what is no such
TEST_CASE("without a file system all is kept", "[generated]") {
  std::mt19937_64 random(2);
  const std::uint64_t bytes = 300 * 4096 + 1536;  // the last page is cut
  GeneratedContents contents(settings_of(bytes));
  ContentsFile truth(bytes);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int step = 0; step < 600; ++step) {
    const std::uint64_t at = below(bytes / 512) * 512,
                        size = std::min(bytes - at, 512 * (1 + below(200)));
    if (below(4) == 0) {
      REQUIRE(contents.discard(at, size) == 0);
      REQUIRE(truth.discard(at, size) == 0);
    } else {
      const Block data = noise(static_cast<unsigned>(step), size);
      REQUIRE(contents.write(at, data) == 0);
      REQUIRE(truth.write(at, data) == 0);
    }
    REQUIRE(read(contents, 0, bytes) == read(truth, 0, bytes));
  }
  Block two(1024);
  CHECK(contents.read(bytes - 512, two) == EINVAL);
  CHECK(contents.write(bytes - 512, two) == EINVAL);
  CHECK(contents.discard(bytes - 512, 1024) == EINVAL);
  CHECK(contents.state().dropped_bytes == 0);
}

TEST_CASE("what was dropped reads the same each time, what was never written as zeros",
          "[generated]") {
  MountedGenerated drive(settings_of(Ext4Image::kBytes));
  GeneratedContents& contents = *drive.contents;
  constexpr std::uint64_t kAt = 5000 * 4096;
  REQUIRE(contents.write(kAt, noise(1, 10 * 4096)) == 0);
  const Block all = read(contents, kAt, 10 * 4096);
  CHECK(all != noise(1, 10 * 4096));
  CHECK(std::string(all.begin(), all.begin() + 64) ==
        "platter dropped data: page 0x0000000000001388 of 4096 bytes    \n");
  CHECK(read(contents, kAt + 4096, 4096) != read(contents, kAt, 4096));
  for (std::uint64_t at = 0; at + 700 <= all.size(); at += 300)  // any part is of the whole
    CHECK(std::equal(all.begin() + static_cast<std::ptrdiff_t>(at),
                     all.begin() + static_cast<std::ptrdiff_t>(at + 700),
                     read(contents, kAt + at, 700).begin()));
  CHECK(read(contents, kAt - 4096) == Block(4096));
  CHECK(read(contents, kAt + 10 * 4096) == Block(4096));
  // Zeros cost nothing, and are no less than they were.
  REQUIRE(contents.write(kAt, Block(4096)) == 0);
  CHECK(read(contents, kAt) == Block(4096));
  CHECK(contents.state().dropped_bytes == 9 * 4096);
  REQUIRE(contents.discard(kAt + 4096, 4096) == 0);
  CHECK(read(contents, kAt + 4096) == Block(4096));
  CHECK(contents.state().dropped_bytes == 8 * 4096);
}

TEST_CASE("a part of a dropped page can be written and read", "[generated]") {
  GeneratedSettings settings = settings_of(Ext4Image::kBytes);
  settings.waiting_bytes = 4096;
  MountedGenerated drive(settings);
  GeneratedContents& contents = *drive.contents;
  constexpr std::uint64_t kAt = 5000 * 4096;
  REQUIRE(contents.write(kAt, noise(1)) == 0);
  Block expected = read(contents, kAt);
  const Block part = noise(2, 1024);
  REQUIRE(contents.write(kAt + 512, part) == 0);
  std::copy(part.begin(), part.end(), expected.begin() + 512);
  CHECK(read(contents, kAt) == expected);
  REQUIRE(contents.discard(kAt + 2048, 1024) == 0);
  std::fill_n(expected.begin() + 2048, 1024, std::uint8_t{0});
  CHECK(read(contents, kAt) == expected);
  CHECK(contents.state().waiting_bytes == 4096);
  // Whole again, it is what its bytes are.
  REQUIRE(contents.write(kAt, noise(3, 512)) == 0);
  REQUIRE(contents.write(kAt + 1536, noise(4, 512)) == 0);
  CHECK(contents.state().waiting_bytes == 4096);
  REQUIRE(contents.write(kAt + 3072, noise(5, 1024)) == 0);
  CHECK(read(contents, kAt) != expected);
  CHECK(contents.state().waiting_bytes == 0);
  CHECK(contents.state().dropped_bytes == 4096);
}

TEST_CASE("file systems are found in partitions, and partitions when they are made",
          "[generated]") {
  const std::uint64_t begins = 1 << 20, bytes = begins + Ext4Image::kBytes;
  MountedGenerated drive(settings_of(bytes), begins);
  GeneratedContents& contents = *drive.contents;
  const std::uint64_t at = begins + 5000 * 4096;
  REQUIRE(contents.write(at, noise(1)) == 0);
  CHECK(read(contents, at) == noise(1));  // nobody knows of it
  Block table(512);
  table[450] = 0x83;
  testing::put32(table, 454, begins / 512);
  testing::put32(table, 458, Ext4Image::kBytes / 512);
  testing::put16(table, 510, 0xAA55);
  REQUIRE(contents.write(0, table) == 0);
  REQUIRE(contents.write(at, noise(2)) == 0);
  CHECK(read(contents, at) != noise(2));
  REQUIRE(contents.write(2 << 10, noise(3)) == 0);  // before the partition
  CHECK(read(contents, 2 << 10) == noise(3));
  CHECK(read(contents, 0, 512) == table);
  // In two partitions at once nothing is dropped.
  table[466] = 0x83;
  testing::put32(table, 470, begins / 512 + 2000);
  testing::put32(table, 474, 1000);
  REQUIRE(contents.write(0, table) == 0);
  REQUIRE(contents.write(at, noise(4)) == 0);
  CHECK(read(contents, at) == noise(4));
  REQUIRE(contents.discard(0, 4096) == 0);
  REQUIRE(contents.write(at, noise(5)) == 0);
  CHECK(read(contents, at) == noise(5));
}

TEST_CASE("a file system that begins within a page is kept whole", "[generated]") {
  const std::uint64_t begins = (1 << 20) + 512;
  MountedGenerated drive(settings_of(begins + Ext4Image::kBytes), begins);
  Block table(512);
  table[450] = 0x83;
  testing::put32(table, 454, begins / 512);
  testing::put32(table, 458, Ext4Image::kBytes / 512);
  testing::put16(table, 510, 0xAA55);
  REQUIRE(drive.contents->write(0, table) == 0);
  REQUIRE(drive.contents->write(begins + 5000 * 4096, noise(1, 5 * 4096)) == 0);
  CHECK(read(*drive.contents, begins + 5000 * 4096, 5 * 4096) == noise(1, 5 * 4096));
}

TEST_CASE("generated contents in a file outlive their emulator, data dropped", "[generated]") {
  model::TemporaryFolder folder(model::temporary_name("platter-generated"));
  GeneratedSettings settings = settings_of(Ext4Image::kBytes);
  settings.file = folder.file("contents");
  Block before;
  {
    MountedGenerated drive(settings);
    REQUIRE(drive.contents->write(5000 * 4096, noise(1)) == 0);
    REQUIRE(drive.contents->write(17 * 4096, noise(2)) == 0);
    REQUIRE(drive.contents->flush() == 0);
    before = read(*drive.contents, 0, 6000 * 4096);
    CHECK(refusal(settings) == ExitStatus::refused);
  }
  {
    GeneratedContents contents(settings);
    CHECK(read(contents, 0, 6000 * 4096) == before);
    CHECK(contents.state().dropped_bytes == 4096);
    REQUIRE(contents.write(5001 * 4096, noise(3)) == 0);  // mounted still
    CHECK(read(contents, 5001 * 4096) != noise(3));
  }
  struct stat status {};
  REQUIRE(stat(settings.file->c_str(), &status) == 0);
  CHECK(status.st_blocks * 512 < 100 * 4096);
  // Nor are other files taken for such contents.
  settings.bytes -= 4096;
  CHECK(refusal(settings) == ExitStatus::bad_input);
  settings.bytes += 4096;
  std::ofstream(*settings.file, std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(status.st_size - 4096))
      .put('P');
  CHECK(refusal(settings) == ExitStatus::bad_input);
  settings.file = folder.file("plain");
  { const ContentsFile plain(*settings.file, Ext4Image::kBytes); }
  CHECK(refusal(settings) == ExitStatus::bad_input);
}

TEST_CASE("readers see what was written or what was generated, nothing between", "[generated]") {
  MountedGenerated drive(settings_of(Ext4Image::kBytes));
  GeneratedContents& contents = *drive.contents;
  constexpr std::uint64_t kAt = 7000 * 4096;
  const Block folder = Ext4Image::folder({{9, "f", false}});
  Block generated(4096);
  emulator::generate(7000, 0, generated);
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  REQUIRE(contents.write(kAt, folder) == 0);
  std::thread reader([&] {
    Block block(4096);
    while (!ends) {
      wrong += contents.read(kAt, block) != 0;
      wrong += block != folder && block != generated;
    }
  });
  for (unsigned i = 0; i < 3000; ++i) {
    REQUIRE(contents.write(kAt, folder) == 0);
    REQUIRE(contents.write(kAt, noise(i)) == 0);
  }
  ends = true;
  reader.join();
  CHECK(wrong == 0);
}

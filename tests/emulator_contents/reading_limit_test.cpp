// Maps that are small and say much: what is read of a file system has an end, and then all is kept.

#include "catch.h"
#include "emulator/contents/generated_contents.h"
#include "emulator_contents/ext4_image.h"

using namespace platter;
using emulator::GeneratedContents;
using emulator::GeneratedSettings;
using testing::Block;
using testing::Ext4Image;
using testing::noise;

namespace {

constexpr std::uint32_t kResize = 7, kRoot = 2;
constexpr std::uint64_t kNodes = 2000;  // blocks of the maps
constexpr std::uint64_t kMostExtents = 340;

Block index_block(std::uint64_t leads_to, std::uint16_t depth) {
  Block block(Ext4Image::kBlockBytes);
  testing::put16(block, 0, 0xF30A);
  testing::put16(block, 2, kMostExtents);
  testing::put16(block, 4, kMostExtents);
  testing::put16(block, 6, depth);
  for (std::size_t i = 0; i < kMostExtents; ++i)
    testing::put32(block, 12 + 12 * i + 4, static_cast<std::uint32_t>(leads_to));
  return block;
}

struct LimitedDrive {
  explicit LimitedDrive(std::vector<std::string> kept_names = {})
      : contents(settings(std::move(kept_names))),
        image([this](std::uint64_t block, const Block& bytes) { put(block, bytes); }) {}
  static GeneratedSettings settings(std::vector<std::string> kept_names) {
    GeneratedSettings settings;
    settings.bytes = Ext4Image::kBytes;
    settings.kept_names = std::move(kept_names);
    return settings;
  }
  std::string found() const { return contents.state().file_systems.at(0); }

  void put(std::uint64_t block, const Block& bytes) {
    REQUIRE(contents.write(block * 4096, bytes) == 0);
  }
  // Three blocks in which each leads 340 times to the next: 39 million extents.
  Block inode_of_many(std::uint16_t mode, std::uint64_t apart) {
    std::vector<Ext4Image::Extent> all;
    for (std::uint32_t i = 0; i < kMostExtents; ++i) all.push_back({i, 1, kNodes + 10 + i * apart});
    put(kNodes, index_block(kNodes + 1, 2));
    put(kNodes + 1, index_block(kNodes + 2, 1));
    put(kNodes + 2, Ext4Image::leaf(all));
    Block inode = Ext4Image::inode_of_leaf(mode, 1 << 30, kNodes);
    testing::put16(inode, 46, 3);  // its depth
    return inode;
  }

  GeneratedContents contents;
  Ext4Image image;
};

}  // namespace

// holds: emulators.md: What is written never makes
TEST_CASE("special blocks without end: all is kept from then on") {
  LimitedDrive drive;
  drive.image.make();
  drive.image.mount();
  CHECK(drive.found() == "at byte 0: ext4, 65536 blocks of 4096 bytes");
  const std::uint64_t table = drive.image.set_inode(kResize, drive.inode_of_many(0x8180, 2));
  drive.put(table, drive.image.table(table));
  CHECK(drive.found() ==
        "at byte 0: a file system of which all is kept: its maps lead to more than is read");
  const Block data = noise(1);
  drive.put(40'000, data);
  Block read(4096);
  REQUIRE(drive.contents.read(40'000 * 4096, read) == 0);
  CHECK(read == data);
  CHECK(drive.contents.state().waiting_bytes == 0);
  drive.image.make('v');  // another one in its place
  CHECK(drive.found() == "at byte 0: ext4, 65536 blocks of 4096 bytes");
}

// holds: emulators.md: What is written never makes
TEST_CASE("a folder of one block that is there without end") {
  LimitedDrive drive({"**/kept"});
  drive.image.make();
  std::vector<Ext4Image::Entry> names;
  for (std::uint32_t i = 0; i < 300; ++i) names.push_back({100 + i, std::to_string(i), true});
  const Block folder = Ext4Image::folder(names);
  for (std::uint64_t i = 0; i < kMostExtents; ++i) drive.put(kNodes + 10 + i, folder);
  const std::uint64_t table = drive.image.set_inode(kRoot, drive.inode_of_many(0x41ED, 1));
  drive.put(table, drive.image.table(table));
  CHECK(drive.found() ==
        "at byte 0: a file system of which all is kept: its maps lead to more than is read");
}

// ext4 by hand: what is kept and what is dropped of single blocks, and why.

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

constexpr std::uint16_t kFile = 0x81A4, kFolder = 0x41ED, kLink = 0xA1FF;

GeneratedSettings small_settings(std::vector<std::string> kept = {}) {
  GeneratedSettings settings;
  settings.bytes = Ext4Image::kBytes;
  settings.waiting_bytes = 64 * 4096;
  settings.kept_names = std::move(kept);
  return settings;
}

struct Drive {
  explicit Drive(const GeneratedSettings& settings, bool with_journal = true,
                 std::uint64_t begins = 0)
      : begin(begins),
        contents(settings),
        image([this](std::uint64_t block, const Block& bytes) { put(block, bytes); },
              with_journal) {}

  void put(std::uint64_t block, const Block& bytes) {
    REQUIRE(contents.write(begin + block * 4096, bytes) == 0);
  }
  Block at(std::uint64_t block) const {
    Block bytes(4096);
    REQUIRE(contents.read(begin + block * 4096, bytes) == 0);
    return bytes;
  }
  // Whether it reads as it was written: the alternative is that it was dropped.
  bool keeps(std::uint64_t block, const Block& bytes) const {
    const Block read = at(block);
    const std::string text(read.begin(), read.begin() + 15);
    CHECK((read == bytes || text == "platter dropped"));
    return read == bytes;
  }
  bool keeps_when_written(std::uint64_t block, const Block& bytes) {
    put(block, bytes);
    return keeps(block, bytes);
  }
  // Time for what is done a little at a time.
  void pass_time() {
    for (int i = 0; i < 20; ++i) put(2, noise(1000));
  }
  std::uint64_t waiting() const { return contents.state().waiting_bytes / 4096; }

  const std::uint64_t begin;
  GeneratedContents contents;
  Ext4Image image;
};

struct Mounted : Drive {
  explicit Mounted(const GeneratedSettings& settings = small_settings(), bool with_journal = true,
                   std::uint64_t begins = 0)
      : Drive(settings, with_journal, begins) {
    image.make();
    image.mount();
  }
};

// A page that looks like a directory, whoever's it is.
Block directory_like() { return Ext4Image::folder({{99, "name", false}}); }

}  // namespace

TEST_CASE("what has its place is kept, whatever it holds, and data are not", "[ext4]") {
  Mounted drive;
  // Superblock and descriptors of both groups, bitmaps, inode tables, journal.
  for (const std::uint64_t block : {2ULL, 3ULL, 17ULL, 79ULL, 32768ULL, 32769ULL, 32770ULL,
                                    32771ULL, 32784ULL, 32847ULL, 1001ULL, 1063ULL})
    CHECK(drive.keeps_when_written(block, noise(static_cast<unsigned>(block))));
  for (const std::uint64_t block : {80ULL, 999ULL, 1064ULL, 5000ULL, 32848ULL, 65535ULL})
    CHECK_FALSE(drive.keeps_when_written(block, noise(static_cast<unsigned>(block))));
  CHECK(drive.contents.state().dropped_bytes == 6 * 4096);
}

TEST_CASE("nothing is dropped before a file system is mounted, or behind that", "[ext4]") {
  Drive drive(small_settings());
  CHECK(drive.keeps_when_written(5000, noise(1)));
  drive.image.make();
  CHECK(drive.keeps_when_written(5001, noise(2)));
  drive.image.mount();
  CHECK_FALSE(drive.keeps_when_written(5002, noise(3)));
  drive.image.unmount();
  CHECK(drive.keeps_when_written(5003, noise(4)));
  CHECK(drive.keeps(5000, noise(1)));
}

TEST_CASE("what the journal names is kept, until it is revoked", "[ext4]") {
  Mounted drive;
  drive.image.journal({{6000, noise(1)}, {6001, noise(2)}});
  CHECK(drive.keeps_when_written(6000, noise(1)));
  CHECK(drive.keeps_when_written(6001, noise(2)));
  CHECK_FALSE(drive.keeps_when_written(6002, noise(3)));
  // Revoked and named again in one transaction: it is in use.
  drive.image.journal({{6001, noise(4)}}, {6000, 6001});
  CHECK_FALSE(drive.keeps_when_written(6000, noise(5)));
  CHECK(drive.keeps_when_written(6001, noise(6)));
  // A transaction that names it and is not committed may be by the time it is written.
  drive.image.journal({{6003, noise(7)}}, {}, false);
  CHECK(drive.keeps_when_written(6003, noise(7)));
}

TEST_CASE("the journal's own blocks are kept as long as they may be read again", "[ext4]") {
  Mounted drive;
  const std::uint64_t journal = Ext4Image::kJournalAt;
  drive.image.journal({{6000, noise(1)}});  // blocks 1 to 3
  drive.image.checkpoint();
  const Block superblock = drive.at(journal);
  CHECK(drive.at(journal + 2) != noise(1));
  drive.image.journal({{6001, noise(2)}});  // 4 to 6
  drive.image.journal({{6002, noise(3)}});  // 7 to 9
  CHECK(drive.keeps(journal + 5, noise(2)));
  drive.image.checkpoint();
  CHECK_FALSE(drive.keeps(journal + 5, noise(2)));
  CHECK_FALSE(drive.keeps(journal + 8, noise(3)));
  // Around the end, many times; what is live is there each time.
  for (unsigned i = 0; i < 40; ++i) {
    const std::uint32_t head = drive.image.head();
    const std::uint64_t copy = head + 1 == Ext4Image::kJournalBlocks ? 1 : head + 1;
    drive.image.journal({{6100 + i, noise(100 + i)}});
    CHECK(drive.keeps(journal + copy, noise(100 + i)));
    if (i % 3 == 2) {
      drive.image.checkpoint();
      CHECK_FALSE(drive.keeps(journal + copy, noise(100 + i)));
    }
  }
  drive.image.unmount();
  CHECK(drive.at(journal).at(3) == 0x98);  // its superblock
  CHECK(drive.contents.stored_bytes() < 20 * 4096);
}

TEST_CASE("what looks like metadata waits until a committed inode says whose it is", "[ext4]") {
  Mounted drive;
  const Block like = directory_like();
  for (const std::uint64_t block : {7000ULL, 7001ULL, 7002ULL, 7003ULL})
    CHECK(drive.keeps_when_written(block, like));
  CHECK(drive.waiting() == 4);
  drive.image.set_inode(20, Ext4Image::inode(kFile, 8192, {{0, 1, 7000}}));
  drive.image.journal({{Ext4Image::table_block(20), drive.image.table(Ext4Image::table_block(20))}},
                      {}, false);
  drive.pass_time();
  CHECK(drive.keeps(7000, like));  // not committed
  drive.image.mount();             // as behind a crash: the transaction is gone
  drive.image.journal_inodes({20});
  drive.pass_time();
  CHECK_FALSE(drive.keeps(7000, like));
  drive.image.set_inode(21, Ext4Image::inode(kFolder, 4096, {{0, 1, 7001}}));
  drive.image.set_inode(22, Ext4Image::inode(kLink, 100, {{0, 1, 7002}}));
  drive.image.journal_inodes({21, 22});
  drive.pass_time();
  CHECK(drive.keeps(7001, like));
  CHECK(drive.keeps(7002, like));
  CHECK(drive.waiting() == 1);
  CHECK(drive.keeps(7003, like));
}

TEST_CASE("extents that lie in blocks of their own claim what they name", "[ext4]") {
  Mounted drive;
  const Block like = directory_like();
  for (std::uint64_t block = 7000; block < 7010; ++block) drive.put(block, like);
  drive.image.set_inode(20, Ext4Image::inode_of_leaf(kFile, 40960, 7100));
  drive.image.journal_inodes({20}, {{7100, Ext4Image::leaf({{0, 4, 7000}, {8, 3, 7006}})}});
  drive.pass_time();
  for (std::uint64_t block = 7000; block < 7010; ++block)
    CHECK(drive.keeps(block, like) == (block == 7004 || block == 7005 || block == 7009));
}

// Claims are followed up a little with each page that is written: what is written meanwhile is not
// what they speak of.
TEST_CASE("a claim says nothing of what was written after it", "[ext4]") {
  Mounted drive;
  std::vector<std::uint32_t> inodes;
  for (std::uint32_t i = 0; i < 20; ++i) {  // each in a block of the table of its own
    inodes.push_back(20 + 16 * i);
    drive.image.set_inode(inodes.back(), Ext4Image::inode(kFile, 4096, {{0, 1, 7000 + i}}));
  }
  drive.image.journal_inodes(inodes);
  // The file of the last one is gone, its block a directory's, in the same breath.
  drive.image.set_inode(inodes.back(), Ext4Image::inode(kFile, 0, {}));
  const Block folder = directory_like();
  drive.put(7019, folder);
  drive.pass_time();
  drive.pass_time();
  CHECK(drive.keeps(7019, folder));
  // The same by the journal: named by a later transaction, it is not what the earlier one claims.
  drive.image.checkpoint();
  drive.image.set_inode(inodes.back(), Ext4Image::inode(kFile, 4096, {{0, 1, 7019}}));
  drive.image.journal_inodes(inodes);
  drive.image.journal({{7019, noise(1)}}, {}, false);
  drive.pass_time();
  CHECK(drive.keeps_when_written(7019, noise(1)));
}

TEST_CASE("data that went through the journal are data", "[ext4]") {
  Mounted drive;
  drive.image.set_inode(20, Ext4Image::inode(kFile, 4096, {{0, 2, 7000}}));
  drive.image.journal_inodes({20}, {{7000, noise(1)}, {7001, directory_like()}, {7002, noise(2)}});
  drive.pass_time();
  CHECK_FALSE(drive.keeps_when_written(7000, noise(1)));
  CHECK(drive.keeps_when_written(7002, noise(2)));
}

TEST_CASE("an inode's block in the journal may begin like one of the journal's", "[ext4]") {
  Mounted drive;
  drive.put(7000, directory_like());
  // The table's block begins with inode 33, whose mode and owner make the magic number.
  Block odd = Ext4Image::inode(kFile, 4096, {});
  odd[0] = 0xC0;
  odd[1] = 0x3B;
  odd[2] = 0x39;
  odd[3] = 0x98;
  drive.image.set_inode(33, odd);
  drive.image.set_inode(34, Ext4Image::inode(kFile, 4096, {{0, 1, 7000}}));
  drive.image.journal_inodes({33, 34});
  drive.pass_time();
  CHECK_FALSE(drive.keeps(7000, directory_like()));
}

TEST_CASE("without a journal a claim counts when it is repeated", "[ext4]") {
  Mounted drive(small_settings(), false);
  const Block like = directory_like();
  drive.put(7000, like);
  drive.put(7001, like);
  drive.put(7002, noise(1));  // may go when many others came
  CHECK(drive.keeps(7002, noise(1)));
  drive.image.set_inode(20, Ext4Image::inode(kFile, 4096, {{0, 1, 7000}}));
  drive.image.set_inode(21, Ext4Image::inode(kFolder, 4096, {{0, 1, 7001}}));
  const std::uint64_t table = Ext4Image::table_block(20);
  drive.put(table, drive.image.table(table));
  CHECK(drive.keeps(7000, like));
  drive.put(7000, like);  // anew: a claim of before counts no more
  drive.put(table, drive.image.table(table));
  CHECK(drive.keeps(7000, like));
  drive.put(table, drive.image.table(table));
  CHECK_FALSE(drive.keeps(7000, like));
  CHECK(drive.keeps(7001, like));
  for (unsigned i = 0; i < 65; ++i) drive.put(8000 + i, noise(10 + i));
  CHECK_FALSE(drive.keeps(7002, noise(1)));
  CHECK(drive.contents.state().dropped_unclaimed >= 2 * 4096);
  CHECK(drive.keeps(8064, noise(74)));
}

TEST_CASE("a file system made anew, or gone, is another one", "[ext4]") {
  Mounted drive;
  CHECK_FALSE(drive.keeps_when_written(7000, noise(1)));
  drive.image.make('v');
  CHECK(drive.keeps_when_written(7001, noise(2)));
  drive.image.mount();
  CHECK_FALSE(drive.keeps_when_written(7002, noise(3)));
  REQUIRE(drive.contents.state().file_systems.size() == 1);
  drive.put(0, Block(4096));
  CHECK(drive.keeps_when_written(7003, noise(4)));
  drive.image.make('w');
  drive.image.mount();
  CHECK_FALSE(drive.keeps_when_written(7004, noise(5)));
  REQUIRE(drive.contents.discard(0, Ext4Image::kBytes) == 0);
  CHECK(drive.at(7004) == Block(4096));
  CHECK(drive.keeps_when_written(7005, noise(6)));
}

// holds: emulators.md: Of what is no such
TEST_CASE("one whose features or blocks are not known is kept whole", "[ext4]") {
  const auto with = [](std::size_t at, std::uint32_t number) {
    Mounted drive;
    Block superblock = drive.at(0);
    testing::put32(superblock, 1024 + at, number);
    drive.put(0, superblock);
    INFO(drive.contents.state().file_systems.at(0));
    return drive.keeps_when_written(7000, noise(1));
  };
  CHECK_FALSE(with(0x60, 0x46));
  CHECK(with(0x60, 0x446));       // ea_inode
  CHECK(with(0x60, 0x80000046));  // of a time to come
  CHECK(with(0x5C, 0x80000004));
  CHECK(with(0x64, 0x80000001));
  CHECK(with(0x4, 65537));  // larger than its drive: none at all
  CHECK(with(0x18, 4));     // blocks of 16 KiB
}

// holds: emulators.md: Files that `--keep`
TEST_CASE("files are kept by their names, whether these come before their data or behind",
          "[names]") {
  Mounted drive(small_settings({"/a/*.db", "log", "**/deep/x?"}));
  Ext4Image& image = drive.image;
  image.set_inode(2, Ext4Image::inode(kFolder, 4096, {{0, 1, 200}}));
  image.set_inode(30, Ext4Image::inode(kFolder, 4096, {{0, 1, 201}}));
  image.set_inode(40, Ext4Image::inode(kFile, 8192, {{0, 2, 7000}}));
  image.set_inode(41, Ext4Image::inode(kFile, 4096, {{0, 1, 7010}}));
  // Data, then the transaction that names their file.
  for (const std::uint64_t block : {7000ULL, 7001ULL, 7010ULL})
    drive.put(block, noise(static_cast<unsigned>(block)));
  CHECK(drive.waiting() == 3);
  image.journal_inodes({2, 30, 40, 41},
                       {{200, Ext4Image::folder({{30, "a", true}})},
                        {201, Ext4Image::folder({{40, "one.db", false}, {41, "one.txt", false}})}});
  drive.pass_time();
  CHECK(drive.keeps(7000, noise(7000)));
  CHECK(drive.keeps(7001, noise(7001)));
  CHECK_FALSE(drive.keeps(7010, noise(7010)));
  CHECK(drive.waiting() == 0);
  // Overwritten in its place, and grown.
  CHECK(drive.keeps_when_written(7001, noise(1)));
  drive.put(7002, noise(2));
  image.set_inode(40, Ext4Image::inode(kFile, 12288, {{0, 3, 7000}}));
  image.journal_inodes({40});
  drive.pass_time();
  CHECK(drive.keeps(7002, noise(2)));
  // Renamed to a name that is not kept: what is written from then on is data.
  image.journal({{201, Ext4Image::folder({{40, "one.old", false}, {41, "one.txt", false}})}});
  drive.put(7001, noise(3));
  image.journal_inodes({40});
  drive.pass_time();
  CHECK_FALSE(drive.keeps(7001, noise(3)));
  // A folder within a folder, made in one transaction, with a file below.
  image.checkpoint();
  image.set_inode(31, Ext4Image::inode(kFolder, 4096, {{0, 1, 202}}));
  image.set_inode(42, Ext4Image::inode(kFile, 4096, {{0, 1, 7020}}));
  drive.put(7020, noise(4));
  image.journal_inodes({31, 42}, {{201, Ext4Image::folder({{31, "deep", true}})},
                                  {202, Ext4Image::folder({{42, "x1", false}})}});
  drive.pass_time();
  CHECK(drive.keeps(7020, noise(4)));
}

TEST_CASE("data that wait for a name give way when there are too many", "[names]") {
  Mounted drive(small_settings({"keep"}));
  for (unsigned i = 0; i < 80; ++i) drive.put(7000 + i, noise(i));
  CHECK(drive.waiting() <= 64);
  CHECK(drive.waiting() >= 56);
  CHECK(drive.contents.state().dropped_unclaimed == (80 - drive.waiting()) * 4096);
  for (unsigned i = 0; i < 80; ++i)
    CHECK(drive.keeps(7000 + i, noise(i)) == (i >= 80 - drive.waiting()));
}

// holds: emulators.md: What has to be kept
TEST_CASE("what may be kept has a limit, past which there is no space", "[ext4]") {
  GeneratedSettings settings = small_settings();
  settings.stored_bytes = 40 * 4096;
  Mounted drive(settings);
  CHECK_FALSE(drive.keeps_when_written(7000, noise(1)));
  int error = 0;
  for (std::uint64_t i = 0; i < 60 && error == 0; ++i)
    error = drive.contents.write((17 + i) * 4096, noise(static_cast<unsigned>(i)));
  CHECK(error == ENOSPC);
  CHECK(drive.contents.stored_bytes() <= settings.stored_bytes);
  CHECK_FALSE(drive.keeps_when_written(7001, noise(2)));  // data need none
  CHECK(drive.contents.write(17 * 4096, Block(4096)) == 0);
}

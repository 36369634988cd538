#include <deque>
#include <random>

#include "catch.h"
#include "safety/media_check.h"

namespace platter::safety {
namespace {

constexpr std::size_t kBytes = 512;

Block telling(unsigned seed) {
  std::mt19937 dice(seed);
  Block block(kBytes);
  for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(dice());
  return block;
}
Block zeros() { return Block(kBytes, 0); }

// So many blocks of each kind, one behind the other.
struct Drive {
  explicit Drive(const scsi::PhysicalBlocks& physical = {}) : evidence(physical) {}
  Drive& add(int count, bool same, const Block& block) {
    for (int i = 0; i < count; ++i) evidence.add(lbn++, kept.emplace_back(block), same);
    return *this;
  }
  Drive& each_other(int count, bool same) {
    for (int i = 0; i < count; ++i) add(1, same, telling(++seed));
    return *this;
  }

  std::deque<Block> kept;  // does not move them
  DriveEvidence evidence;
  std::uint64_t lbn = 0;
  unsigned seed = 0;
};

TEST_CASE("any drive may hold one byte throughout, or a short pattern again and again") {
  CHECK(is_on_any_drive(zeros()));
  CHECK(is_on_any_drive(Block(kBytes, 0xE5)));
  Block pattern(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i)
    pattern[i] = static_cast<std::uint8_t>("\xDE\xAD\xBE\xEF"[i % 4]);
  CHECK(is_on_any_drive(pattern));
  pattern[300] ^= 1;
  CHECK_FALSE(is_on_any_drive(pattern));
  CHECK_FALSE(is_on_any_drive(telling(1)));
  Block one_byte = zeros();
  one_byte.back() = 1;
  CHECK_FALSE(is_on_any_drive(one_byte));
}

TEST_CASE("most of what can be read decides") {
  CHECK_FALSE(Drive().evidence.speaks_against());
  CHECK_FALSE(Drive().each_other(1, true).evidence.speaks_against());
  CHECK(Drive().each_other(1, false).evidence.speaks_against());
  CHECK_FALSE(Drive().each_other(1, false).each_other(1, true).evidence.speaks_against());
  CHECK(Drive().each_other(2, false).each_other(1, true).evidence.speaks_against());
  CHECK(Drive().each_other(140, false).each_other(1, true).evidence.speaks_against());
  CHECK_FALSE(Drive().each_other(30, false).each_other(70, true).evidence.speaks_against());
}

TEST_CASE("blocks that any drive may hold tell nothing where they are the same") {
  CHECK_FALSE(Drive().add(100, true, zeros()).evidence.speaks_against());
  CHECK(Drive()
            .add(100, true, zeros())
            .each_other(2, false)
            .each_other(1, true)
            .evidence.speaks_against());
  // The owner of a drive that is empty for the most part has written to three tenths of it.
  CHECK_FALSE(Drive()
                  .add(420, true, zeros())
                  .add(180, false, zeros())
                  .each_other(280, true)
                  .each_other(120, false)
                  .evidence.speaks_against());
}

TEST_CASE("blocks that any drive may hold tell something where they are not the same") {
  CHECK(Drive().add(99, true, zeros()).add(1, false, zeros()).evidence.speaks_against());
  CHECK(Drive().add(20, false, zeros()).each_other(3, true).evidence.speaks_against());
  CHECK_FALSE(Drive().add(2, false, zeros()).each_other(3, true).evidence.speaks_against());
}

TEST_CASE("a content that lies in many blocks counts once") {
  CHECK(Drive().add(100, true, telling(9999)).each_other(2, false).evidence.speaks_against());
  CHECK_FALSE(
      Drive().add(70, true, telling(9999)).add(30, false, telling(9999)).evidence.speaks_against());
}

TEST_CASE("what differs is counted in blocks, and in the physical blocks that a write tears") {
  scsi::Capacity capacity;
  capacity.blocks = 1000;
  capacity.block_bytes = kBytes;
  capacity.physical_block_bytes = 8 * kBytes;
  Drive drive{scsi::PhysicalBlocks(capacity)};
  drive.each_other(4, true).each_other(8, false).each_other(4, true);
  CHECK(drive.evidence.readable() == 16);
  CHECK(drive.evidence.differing() == 8);
  CHECK(drive.evidence.differing_physical_blocks() == 2);
}

}  // namespace
}  // namespace platter::safety

#include "emulator/file_systems/partitions.h"

#include <algorithm>
#include <random>

#include "catch.h"

using namespace platter::emulator;

namespace {

struct Drive {
  explicit Drive(std::uint32_t its_block_bytes)
      : block_bytes(its_block_bytes), bytes(std::size_t{8000} * its_block_bytes) {}

  void put(std::uint64_t at, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes.at(at + i) = static_cast<std::uint8_t>(number >> (8 * i));
  }
  void mbr(std::uint64_t block) { put(block * block_bytes + 510, 0xAA55, 2); }
  void entry(std::uint64_t block, int number, std::uint8_t kind, std::uint32_t first,
             std::uint32_t blocks) {
    const std::uint64_t at = block * block_bytes + 446 + 16 * static_cast<std::uint64_t>(number);
    put(at + 4, kind, 1);
    put(at + 8, first, 4);
    put(at + 12, blocks, 4);
    mbr(block);
  }
  void gpt(std::uint32_t count, std::uint32_t size) {
    entry(0, 0, 0xEE, 1, 0xFFFFFFFF);
    put(block_bytes, 0x5452415020494645, 8);
    put(block_bytes + 72, 2, 8);
    put(block_bytes + 80, count, 4);
    put(block_bytes + 84, size, 4);
  }
  void gpt_entry(std::uint32_t number, std::uint32_t size, std::uint64_t first,
                 std::uint64_t last) {
    const std::uint64_t at = 2 * block_bytes + std::uint64_t{number} * size;
    put(at, 1, 1);
    put(at + 32, first, 8);
    put(at + 40, last, 8);
  }

  Partitioning read() const {
    const ReadDrive read = [this](std::uint64_t at, std::span<std::uint8_t> to) {
      if (at > bytes.size() || to.size() > bytes.size() - at) return false;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return true;
    };
    return partitioning_of(read, bytes.size(), block_bytes);
  }
  // In blocks.
  std::vector<Range> places() const {
    std::vector<Range> places = read().places;
    for (Range& place : places) place = {place.first / block_bytes, place.end / block_bytes};
    return places;
  }

  std::uint32_t block_bytes;
  std::vector<std::uint8_t> bytes;
};

}  // namespace

TEST_CASE("a drive without a table is one place", "[partitions]") {
  Drive drive(512);
  CHECK(drive.places() == std::vector<Range>{{0, 8000}});
  drive.mbr(0);  // a boot loader, no partitions
  CHECK(drive.places() == std::vector<Range>{{0, 8000}});
  drive.put(446, 0x37, 1);  // code where a table would be
  drive.entry(0, 1, 0x83, 100, 100);
  CHECK(drive.places() == std::vector<Range>{{0, 8000}});
}

TEST_CASE("primary and logical partitions of either size of blocks", "[partitions]") {
  for (const std::uint32_t size : {512u, 4096u}) {
    Drive drive(size);
    drive.entry(0, 0, 0x83, 64, 1000);
    drive.entry(0, 2, 0x05, 2000, 3000);
    drive.entry(2000, 0, 0x83, 8, 92);  // the first of the chain
    drive.entry(2000, 1, 0x05, 500, 1000);
    drive.entry(2500, 0, 0x83, 8, 100);
    drive.entry(0, 3, 0x83, 7000, 5000);  // past the end
    CHECK(drive.places() ==
          std::vector<Range>{{64, 1064}, {2008, 2100}, {2508, 2608}, {7000, 8000}});
    const auto tables = drive.read().tables;
    for (const std::uint64_t block : {0ULL, 1ULL, 2000ULL, 2500ULL})
      CHECK(std::find(tables.begin(), tables.end(), Range{block * size, (block + 1) * size}) !=
            tables.end());
  }
}

TEST_CASE("partitions of a GPT", "[partitions]") {
  for (const std::uint32_t size : {512u, 4096u}) {
    Drive drive(size);
    drive.gpt(128, 128);
    drive.gpt_entry(0, 128, 64, 999);
    drive.gpt_entry(5, 128, 2048, 4095);
    drive.gpt_entry(6, 128, 4095, 4000);  // ends before it begins
    drive.gpt_entry(7, 128, 90000, 90001);
    CHECK(drive.places() == std::vector<Range>{{64, 1000}, {2048, 4096}});
  }
}

TEST_CASE("no table leads out of the drive, or on for ever", "[partitions]") {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 2000; ++round) {
    Drive drive(512);
    drive.bytes.resize(1 << 17);
    const auto number = [&]() -> std::uint32_t {
      return below(3) == 0 ? static_cast<std::uint32_t>(random())
                           : static_cast<std::uint32_t>(below(300));
    };
    if (below(2) == 0) drive.gpt(number(), below(2) == 0 ? 128 : number());
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t block = below(2) == 0 ? 0 : below(200);
      constexpr std::uint8_t kKinds[] = {0, 0x05, 0x0F, 0x83, 0xEE};
      drive.entry(block, static_cast<int>(below(4)), kKinds[below(5)], number(), number());
    }
    for (int i = 0; i < 20; ++i) drive.put(below(drive.bytes.size()), random(), 1);
    const Partitioning found = drive.read();
    CHECK(found.places.size() <= 2000);
    for (const Range& place : found.places) {
      CHECK(place.first < place.end);
      CHECK(place.end <= drive.bytes.size());
    }
  }
}

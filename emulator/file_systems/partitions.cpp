#include "emulator/file_systems/partitions.h"

#include <algorithm>
#include <array>
#include <optional>

namespace platter::emulator {
namespace {

constexpr std::size_t kSector = 512;  // what is used of a table's block, however long that is
constexpr std::size_t kEntries = 446, kEntryBytes = 16;
constexpr std::uint8_t kExtendedKinds[] = {0x05, 0x0F, 0x85};
constexpr std::uint8_t kProtective = 0xEE;
constexpr int kMostLogical = 128;
constexpr std::uint32_t kMostGptEntries = 1024, kMostGptEntryBytes = 4096;

struct Entry {
  std::uint8_t kind;
  std::uint64_t first, blocks;
};

class Reader {
 public:
  Reader(const ReadDrive& read, std::uint64_t drive_bytes, std::uint32_t block_bytes)
      : read_(read), drive_bytes_(drive_bytes), block_bytes_(block_bytes) {}

  Partitioning partitioning() {
    result_.tables.push_back({0, block_bytes_});
    result_.tables.push_back({block_bytes_, 2 * std::uint64_t{block_bytes_}});
    const auto table = block(0);
    if (table && is_table(*table)) {
      bool gpt = false;
      for (const Entry& entry : entries(*table)) {
        gpt |= entry.kind == kProtective;
        take(entry);
      }
      if (gpt) take_gpt();
    }
    if (result_.places.empty()) result_.places.push_back({0, drive_bytes_});
    return result_;
  }

 private:
  using Block = std::array<std::uint8_t, kSector>;

  std::optional<Block> block(std::uint64_t number) const {
    Block bytes{};
    if (number >= drive_bytes_ / block_bytes_ || !read_(number * block_bytes_, bytes))
      return std::nullopt;
    return bytes;
  }

  static bool is_table(const Block& bytes) { return le16(bytes, 510) == 0xAA55; }

  static std::array<Entry, 4> entries(const Block& bytes) {
    std::array<Entry, 4> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Bytes entry = part_of(bytes, kEntries + i * kEntryBytes, kEntryBytes);
      // A boot loader's code in that place is no table.
      if ((entry[0] & 0x7F) != 0) return {};
      all[i] = {entry[4], le32(entry, 8), le32(entry, 12)};
    }
    return all;
  }

  void add(std::uint64_t first_block, std::uint64_t blocks) {
    const std::uint64_t all = drive_bytes_ / block_bytes_;
    if (blocks == 0 || first_block == 0 || first_block >= all) return;
    const std::uint64_t end = first_block + std::min(blocks, all - first_block);
    result_.places.push_back({first_block * block_bytes_, end * block_bytes_});
  }

  void take(const Entry& entry) {
    if (entry.kind == 0 || entry.kind == kProtective) return;
    if (std::ranges::find(kExtendedKinds, entry.kind) == std::end(kExtendedKinds))
      add(entry.first, entry.blocks);
    else
      take_logical(entry.first);
  }

  // A chain of tables, each with one partition and the place of the next.
  void take_logical(std::uint64_t extended) {
    std::uint64_t at = extended;
    for (int i = 0; i < kMostLogical; ++i) {
      const auto table = block(at);
      if (at != 0) result_.tables.push_back({at * block_bytes_, (at + 1) * block_bytes_});
      if (!table || !is_table(*table)) return;
      const auto [partition, next, unused, unused_too] = entries(*table);
      if (partition.kind != 0) add(at + partition.first, partition.blocks);
      if (next.kind == 0 || next.first == 0) return;
      at = extended + next.first;
    }
  }

  void take_gpt() {
    const auto head = block(1);
    if (!head || le64(*head, 0) != 0x5452415020494645) return;  // "EFI PART"
    const std::uint64_t first = le64(*head, 72);
    const std::uint32_t count = std::min(le32(*head, 80), kMostGptEntries);
    const std::uint32_t size = le32(*head, 84);
    if (size < 128 || size > kMostGptEntryBytes || first >= drive_bytes_ / block_bytes_) return;
    const std::uint64_t begin = first * block_bytes_;
    result_.tables.push_back({begin, begin + std::uint64_t{count} * size});
    std::vector<std::uint8_t> entry(128);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!read_(begin + std::uint64_t{i} * size, entry)) return;
      if (all_zeros(part_of(entry, 0, 16))) continue;
      const std::uint64_t from = le64(entry, 32), to = le64(entry, 40);
      if (to >= from) add(from, to - from + 1);
    }
  }

  const ReadDrive& read_;
  const std::uint64_t drive_bytes_;
  const std::uint32_t block_bytes_;
  Partitioning result_{};
};

}  // namespace

Partitioning partitioning_of(const ReadDrive& read, std::uint64_t drive_bytes,
                             std::uint32_t block_bytes) {
  return Reader(read, drive_bytes, block_bytes).partitioning();
}

}  // namespace platter::emulator

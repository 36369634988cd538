// btrfs by its superblock and its tree of chunks: which parts of a device hold metadata, which
// data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/file_systems/bytes.h"
#include "emulator/file_systems/reading_limit.h"

namespace platter::emulator {

struct BtrfsGeometry {
  static constexpr std::uint64_t kSuperblockAt = 64 * 1024;
  static constexpr std::size_t kSuperblockBytes = 4096;

  std::uint64_t bytes = 0;  // of the device
  std::uint64_t device = 0, generation = 0, chunk_root_generation = 0;
  std::uint64_t root = 0, chunk_root = 0;  // addresses: what they are on a device, chunks say
  std::uint32_t sector_bytes = 0, node_bytes = 0;
  std::uint8_t root_level = 0, chunk_root_level = 0;
  std::uint64_t incompatible = 0, read_only_compatible = 0;
  std::string uuid{};  // 16 bytes, as they are in every block of a tree
  std::vector<std::uint8_t> system_chunks{};

  std::string reason_to_keep_all() const;
  std::string identity() const;
};

std::optional<BtrfsGeometry> btrfs_geometry(Bytes superblock);

// A block of a tree.
struct BtrfsNode {
  static constexpr std::size_t kHeadBytes = 101, kKeyBytes = 17;
  static constexpr std::uint8_t kMostLevels = 8;
  static bool is_one(Bytes bytes, const BtrfsGeometry& geometry);

  struct Key {
    std::uint64_t object = 0;
    std::uint8_t kind = 0;
    std::uint64_t offset = 0;
    auto operator<=>(const Key&) const = default;
  };
  static Key key_at(Bytes bytes, std::size_t at) {
    return {le64(bytes, at), byte_at(bytes, at + 8), le64(bytes, at + 9)};
  }
};

class BtrfsChunks {
 public:
  enum class Holds : std::uint8_t { unknown, data, metadata, both };
  struct Part {
    std::uint64_t first, end;  // bytes of the device
    Holds holds;
  };
  using Read = std::function<bool(std::uint64_t at, std::span<std::uint8_t> to)>;

  BtrfsChunks() = default;
  // What the superblock and the tree of chunks say; of a tree that cannot be followed, what it says
  // until there. `read` reads the device.
  BtrfsChunks(const BtrfsGeometry& geometry, const Read& read, ReadingLimit& limit);

  Holds at(std::uint64_t device_at) const;
  const std::vector<Part>& parts() const { return parts_; }
  // Where an address is on this device, in each of its copies; nowhere, if it is not, or in pieces
  // among others.
  std::vector<std::uint64_t> places_of(std::uint64_t address) const;
  // A block of a tree at that address, of that level.
  bool read_node(std::uint64_t address, std::uint8_t level, std::vector<std::uint8_t>& node) const;
  // The items of a tree whose keys are from `first` to `last`, as far as it can be followed.
  using Visit = std::function<void(const BtrfsNode::Key& key, Bytes item)>;
  void each_item(std::uint64_t root, std::uint8_t level, const BtrfsNode::Key& first,
                 const BtrfsNode::Key& last, const Visit& visit) const;

 private:
  struct Chunk {
    std::uint64_t address, bytes;
    std::vector<std::uint64_t> places;
  };
  void take(std::uint64_t address, Bytes item, ReadingLimit& limit);
  struct Search;
  void follow(std::uint64_t address, std::uint8_t level, Search& search) const;
  void put_in_order();

  BtrfsGeometry geometry_{};
  Read read_{};
  std::vector<Chunk> chunks_{};
  std::vector<Part> parts_{};
};

}  // namespace platter::emulator

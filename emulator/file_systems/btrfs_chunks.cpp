#include "emulator/file_systems/btrfs_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace platter::emulator {
namespace {

// Numbers by the kernel's names: include/uapi/linux/btrfs_tree.h.
constexpr std::uint64_t kMagic = 0x4D5F53665248425F;  // "_BHRfS_M"
constexpr std::uint8_t kChunkItem = 228;
enum Kind : std::uint64_t { kData = 1, kSystem = 2, kMetadata = 4 };
enum Profile : std::uint64_t {
  kRaid0 = 0x8,
  kRaid10 = 0x40,
  kRaid5 = 0x80,
  kRaid6 = 0x100,
};
constexpr std::uint64_t kInPieces = kRaid0 | kRaid10 | kRaid5 | kRaid6;
constexpr std::size_t kKeyBytes = BtrfsNode::kKeyBytes, kItemBytes = 25, kPointerBytes = 33;
constexpr std::size_t kChunkHead = 48, kStripeBytes = 32;
constexpr std::uint32_t kMostNodes = 1 << 12;
constexpr std::uint8_t kMostLevels = BtrfsNode::kMostLevels;

constexpr std::uint64_t kMetadataUuid = 0x400;
// Not known are zones, the second tree of extents, the tree of stripes, and what is newer.
constexpr std::uint64_t kKnownIncompatible = 0xFFF | 0x10000;
constexpr std::uint64_t kKnownReadOnlyCompatible = 0xF;

bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

std::string BtrfsGeometry::reason_to_keep_all() const {
  if (sector_bytes != 4096) return "its blocks have other than 4096 bytes";
  if ((incompatible & ~kKnownIncompatible) != 0 ||
      (read_only_compatible & ~kKnownReadOnlyCompatible) != 0)
    return fmt::format(
        "it has features that are not known here (incompatible {:#x}, read-only {:#x})",
        incompatible & ~kKnownIncompatible, read_only_compatible & ~kKnownReadOnlyCompatible);
  return "";
}

std::string BtrfsGeometry::identity() const {
  std::string id;
  for (const char c : uuid) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("btrfs {} {} {} {} {:x} {:x}", id, device, sector_bytes, node_bytes,
                     incompatible, read_only_compatible);
}

std::optional<BtrfsGeometry> btrfs_geometry(Bytes super) {
  if (super.size() < BtrfsGeometry::kSuperblockBytes || le64(super, 64) != kMagic)
    return std::nullopt;
  BtrfsGeometry g;
  g.generation = le64(super, 72);
  g.root = le64(super, 80);
  g.chunk_root = le64(super, 88);
  g.sector_bytes = le32(super, 144);
  g.node_bytes = le32(super, 148);
  g.chunk_root_generation = le64(super, 164);
  g.read_only_compatible = le64(super, 180);
  g.incompatible = le64(super, 188);
  g.root_level = byte_at(super, 198);
  g.chunk_root_level = byte_at(super, 199);
  g.device = le64(super, 201);
  g.bytes = le64(super, 209);
  const std::size_t uuid_at = (g.incompatible & kMetadataUuid) != 0 ? 571 : 32;
  g.uuid.assign(reinterpret_cast<const char*>(super.data()) + uuid_at, 16);
  const Bytes chunks = part_of(super, 811, std::min<std::size_t>(le32(super, 160), 2048));
  g.system_chunks.assign(chunks.begin(), chunks.end());
  if (!is_power_of_two(g.sector_bytes) || !is_power_of_two(g.node_bytes) || g.sector_bytes < 512 ||
      g.node_bytes < 4096 || g.node_bytes > 65536 || g.node_bytes < g.sector_bytes)
    return std::nullopt;
  return g;
}

bool BtrfsNode::is_one(Bytes bytes, const BtrfsGeometry& geometry) {
  return bytes.size() >= kHeadBytes &&
         std::memcmp(bytes.data() + 32, geometry.uuid.data(), 16) == 0 &&
         byte_at(bytes, 100) < kMostLevels && le64(bytes, 48) % geometry.sector_bytes == 0;
}

BtrfsChunks::BtrfsChunks(const BtrfsGeometry& geometry, const Read& read, ReadingLimit& limit)
    : geometry_(geometry), read_(read) {
  const Bytes system = geometry_.system_chunks;
  for (std::size_t at = 0; at + kKeyBytes + kChunkHead <= system.size();) {
    const Bytes item = system.subspan(at + kKeyBytes);
    take(BtrfsNode::key_at(system, at).offset, item, limit);
    at += kKeyBytes + kChunkHead + le16(item, 44) * kStripeBytes;
  }
  put_in_order();
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> found;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  each_item(geometry_.chunk_root, geometry_.chunk_root_level, {}, {kAll, 0xFF, kAll},
            [&](const BtrfsNode::Key& key, Bytes item) {
              if (key.kind != kChunkItem) return;
              limit.take_extents(1 + item.size() / kStripeBytes);
              found.push_back({key.offset, {item.begin(), item.end()}});
            });
  for (const auto& [address, item] : found) take(address, item, limit);
  put_in_order();
}

void BtrfsChunks::put_in_order() {
  std::ranges::stable_sort(chunks_, {}, &Chunk::address);
  const auto same = [](const Chunk& a, const Chunk& b) { return a.address == b.address; };
  chunks_.erase(std::unique(chunks_.begin(), chunks_.end(), same), chunks_.end());
  // Where parts overlap, nobody knows what is there.
  std::ranges::sort(parts_, {}, &Part::first);
  std::vector<Part> apart;
  for (const Part& part : parts_)
    if (apart.empty() || apart.back().end <= part.first) {
      apart.push_back(part);
    } else {
      if (apart.back().holds != part.holds) apart.back().holds = Holds::both;
      apart.back().end = std::max(apart.back().end, part.end);
    }
  parts_ = std::move(apart);
}

void BtrfsChunks::take(std::uint64_t address, Bytes item, ReadingLimit& limit) {
  const std::uint64_t bytes = le64(item, 0), type = le64(item, 24);
  const std::uint64_t stripes = le16(item, 44), within = std::max<std::uint64_t>(le16(item, 46), 1);
  if (bytes == 0 || stripes == 0 || bytes > std::uint64_t{1} << 60) return;
  std::uint64_t on_each = bytes;
  if ((type & kRaid0) != 0) on_each = bytes / stripes;
  if ((type & kRaid10) != 0) on_each = bytes / std::max<std::uint64_t>(stripes / within, 1);
  if ((type & kRaid5) != 0) on_each = bytes / std::max<std::uint64_t>(stripes - 1, 1);
  if ((type & kRaid6) != 0) on_each = bytes / (stripes > 2 ? stripes - 2 : 1);
  const bool metadata = (type & (kMetadata | kSystem)) != 0, data = (type & kData) != 0;
  const Holds holds = metadata && data ? Holds::both : data ? Holds::data : Holds::metadata;
  Chunk chunk{address, bytes, {}};
  for (std::uint64_t i = 0; i < stripes && kChunkHead + (i + 1) * kStripeBytes <= item.size();
       ++i) {
    const std::size_t at = kChunkHead + i * kStripeBytes;
    if (le64(item, at) != geometry_.device) continue;
    const std::uint64_t first = le64(item, at + 8);
    if (first > std::uint64_t{1} << 60) continue;
    limit.take_extents();
    // More than it takes at the end, rather than less.
    parts_.push_back({first, first + on_each + geometry_.sector_bytes - 1, holds});
    parts_.back().end -= parts_.back().end % geometry_.sector_bytes;
    if ((type & kInPieces) == 0) chunk.places.push_back(first);
  }
  chunks_.push_back(std::move(chunk));
}

std::vector<std::uint64_t> BtrfsChunks::places_of(std::uint64_t address) const {
  std::vector<std::uint64_t> places;
  const auto behind = std::ranges::upper_bound(chunks_, address, {}, &Chunk::address);
  if (behind == chunks_.begin()) return places;
  const Chunk& chunk = *std::prev(behind);
  const std::uint64_t in = address - chunk.address;
  if (in < chunk.bytes)
    for (const std::uint64_t place : chunk.places) places.push_back(place + in);
  return places;
}

bool BtrfsChunks::read_node(std::uint64_t address, std::uint8_t level,
                            std::vector<std::uint8_t>& node) const {
  node.resize(geometry_.node_bytes);
  for (const std::uint64_t place : places_of(address))
    if (read_(place, node) && BtrfsNode::is_one(node, geometry_) && le64(node, 48) == address &&
        byte_at(node, 100) == level)
      return true;
  return false;
}

struct BtrfsChunks::Search {
  const BtrfsNode::Key &first, &last;
  const Visit& visit;
  std::uint32_t left = kMostNodes;
};

void BtrfsChunks::each_item(std::uint64_t root, std::uint8_t level, const BtrfsNode::Key& first,
                            const BtrfsNode::Key& last, const Visit& visit) const {
  Search search{first, last, visit};
  follow(root, level, search);
}

void BtrfsChunks::follow(std::uint64_t address, std::uint8_t level, Search& search) const {
  std::vector<std::uint8_t> node;
  if (search.left == 0 || level >= kMostLevels) return;
  --search.left;
  if (!read_node(address, level, node)) return;
  const std::size_t size = level == 0 ? kItemBytes : kPointerBytes;
  const std::size_t items = std::min<std::size_t>(le32(node, 96),
                                                  (node.size() - BtrfsNode::kHeadBytes) / size);
  const auto key_of = [&](std::size_t i) {
    return BtrfsNode::key_at(node, BtrfsNode::kHeadBytes + i * size);
  };
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t at = BtrfsNode::kHeadBytes + i * size;
    const BtrfsNode::Key key = key_of(i);
    if (key > search.last) return;
    if (level > 0) {  // below it are keys up to the next one
      if (i + 1 == items || key_of(i + 1) > search.first)
        follow(le64(node, at + kKeyBytes), static_cast<std::uint8_t>(level - 1), search);
    } else if (key >= search.first) {
      search.visit(key, part_of(node, BtrfsNode::kHeadBytes + le32(node, at + kKeyBytes),
                                le32(node, at + kKeyBytes + 4)));
    }
  }
}

BtrfsChunks::Holds BtrfsChunks::at(std::uint64_t device_at) const {
  const auto behind = std::ranges::upper_bound(parts_, device_at, {}, &Part::first);
  if (behind == parts_.begin() || device_at >= std::prev(behind)->end) return Holds::unknown;
  return std::prev(behind)->holds;
}

}  // namespace platter::emulator

#include "emulator/file_systems/btrfs.h"

#include <fmt/format.h>

#include <algorithm>

namespace platter::emulator {
namespace {

// Numbers by the kernel's names: include/uapi/linux/btrfs_tree.h.
enum Kind : std::uint8_t { kDirectoryIndex = 96, kExtentData = 108, kRootItem = 132 };
constexpr std::uint64_t kFirstTree = 5, kFirstInode = 256;
constexpr std::uint8_t kFile = 1, kFolder = 2;  // of a directory's entry
constexpr std::uint8_t kInside = 0;             // of data that lie in the tree
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Inodes are numbered within their subvolume.
constexpr unsigned kTreeShift = 44;
std::uint64_t number_of(std::uint64_t tree, std::uint64_t inode) {
  return tree << kTreeShift | (inode & ((std::uint64_t{1} << kTreeShift) - 1));
}

constexpr std::uint64_t kReserved = 1 << 20;  // for boot loaders; the first superblock is in it
constexpr std::uint64_t kOtherSuperblocks[] = {std::uint64_t{64} << 20, std::uint64_t{256} << 30};

bool is_superblock(std::uint64_t at) {
  return at < kReserved || std::ranges::find(kOtherSuperblocks, at) != std::end(kOtherSuperblocks);
}

}  // namespace

std::uint64_t BtrfsFiles::root() const { return number_of(kFirstTree, kFirstInode); }

void BtrfsFiles::each_item(std::uint64_t number, std::uint8_t kind,
                           const BtrfsChunks::Visit& visit) const {
  const std::uint64_t tree = number >> kTreeShift, inode = number - (tree << kTreeShift);
  std::uint64_t root = 0;
  std::uint8_t level = 0;
  chunks_.each_item(geometry_.root, geometry_.root_level, {tree, kRootItem, 0},
                    {tree, kRootItem, kAll}, [&](const BtrfsNode::Key&, Bytes item) {
                      root = le64(item, 176);
                      level = byte_at(item, 238);
                    });
  if (root != 0) chunks_.each_item(root, level, {inode, kind, 0}, {inode, kind, kAll}, visit);
}

std::vector<NamedFiles::Entry> BtrfsFiles::entries(std::uint64_t folder, Sources&) const {
  std::vector<Entry> entries;
  each_item(folder, kDirectoryIndex, [&](const BtrfsNode::Key&, Bytes item) {
    const BtrfsNode::Key place = BtrfsNode::key_at(item, 0);
    limit_.take_entry();
    const std::uint8_t kind = byte_at(item, 29);
    const Bytes name = part_of(item, 30, le16(item, 27));
    if (kind != kFile && kind != kFolder) return;
    const std::uint64_t inode = place.kind == kRootItem
                                    ? number_of(place.object, kFirstInode)
                                    : number_of(folder >> kTreeShift, place.object);
    entries.push_back({std::string(name.begin(), name.end()), inode, kind == kFolder});
  });
  return entries;
}

std::vector<Range> BtrfsFiles::bytes_of(std::uint64_t file, Sources&) const {
  std::vector<Range> bytes;
  each_item(file, kExtentData, [&](const BtrfsNode::Key&, Bytes item) {
    const std::uint64_t address = le64(item, 21), size = le64(item, 29);
    if (byte_at(item, 20) == kInside || address == 0) return;
    for (const std::uint64_t place : chunks_.places_of(address)) {
      limit_.take_extents();
      bytes.push_back({place, place + size});
    }
  });
  return bytes;
}

Btrfs::Btrfs(Surroundings& around, const BtrfsGeometry& geometry,
             const std::vector<std::string>& kept_names)
    : around_(around),
      geometry_(geometry),
      reason_(geometry.reason_to_keep_all()),
      files_(geometry_, chunks_, around.limit()),
      kept_(files_, kept_names) {
  if (!reason_.empty()) return;
  read_chunks();
  keep_files();
}

std::string Btrfs::name() const {
  if (!reason_.empty()) return fmt::format("btrfs, of which all is kept: {}", reason_);
  return fmt::format("btrfs, {} bytes, blocks of trees of {} bytes", geometry_.bytes,
                     geometry_.node_bytes);
}

bool Btrfs::is_in_node(std::uint64_t at) const {
  const auto behind = nodes_.upper_bound(at);
  return behind != nodes_.begin() && at - *std::prev(behind) < geometry_.node_bytes;
}

Verdict Btrfs::classify(std::uint64_t at, Bytes page) {
  if (!reason_.empty() || is_superblock(at) || kept_.holds(at, at + page.size()))
    return Verdict::metadata;
  const BtrfsChunks::Holds holds = chunks_.at(at);
  if (holds == BtrfsChunks::Holds::metadata) return Verdict::metadata;
  if (holds != BtrfsChunks::Holds::data) {
    if (BtrfsNode::is_one(page, geometry_)) {
      nodes_.insert(at);
      return Verdict::metadata;
    }
    nodes_.erase(at);
    if (is_in_node(at)) return Verdict::metadata;
  }
  if (!mounted_) return Verdict::perhaps;
  // The names of files come after their data.
  return holds == BtrfsChunks::Holds::data && !kept_.any() ? Verdict::data : Verdict::unknown;
}

void Btrfs::written(std::uint64_t at, Bytes page) {
  if (!reason_.empty()) return;
  if (at == BtrfsGeometry::kSuperblockAt) take_superblock(page);
  if (nodes_.contains(at)) around_.metadata(at, geometry_.node_bytes);
}

// What is committed with it was written before it.
void Btrfs::take_superblock(Bytes page) {
  const auto now = btrfs_geometry(page);
  if (!now || now->identity() != identity()) return;
  const bool same_chunks = now->chunk_root == geometry_.chunk_root &&
                           now->chunk_root_generation == geometry_.chunk_root_generation &&
                           now->system_chunks == geometry_.system_chunks;
  const bool same_files = now->generation == geometry_.generation;
  mounted_ |= !same_files;
  geometry_ = *now;
  if (!same_chunks) read_chunks();
  if (same_files) return;
  keep_files();
  drop_data();
}

void Btrfs::read_chunks() {
  const auto read = [this](std::uint64_t at, std::span<std::uint8_t> to) {
    return around_.read(at, to);
  };
  chunks_ = BtrfsChunks(geometry_, read, around_.limit());
  for (const BtrfsChunks::Part& part : chunks_.parts()) {
    if (part.holds != BtrfsChunks::Holds::metadata) continue;
    around_.metadata(part.first, part.end - part.first);
    nodes_.erase(nodes_.lower_bound(part.first), nodes_.lower_bound(part.end));
  }
}

void Btrfs::keep_files() {
  kept_.all_changed();
  kept_.keep_in(around_);
}

// What waits in chunks for data. Files of what came after the commit before this one may be told of
// by the next one only.
void Btrfs::drop_data() {
  const std::uint64_t before = kept_.any() ? last_commit_ : around_.now();
  last_commit_ = around_.now();
  for (const BtrfsChunks::Part& part : chunks_.parts())
    if (part.holds == BtrfsChunks::Holds::data && mounted_)
      around_.data(part.first, part.end - part.first, before);
}

}  // namespace platter::emulator

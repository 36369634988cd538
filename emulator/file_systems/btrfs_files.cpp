#include "emulator/file_systems/btrfs_files.h"

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

}  // namespace platter::emulator

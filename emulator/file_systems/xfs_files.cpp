#include "emulator/file_systems/xfs_files.h"

#include <algorithm>

#include "emulator/file_systems/file_system.h"

namespace platter::emulator {
namespace {

// fs/xfs/libxfs/xfs_format.h and xfs_da_format.h.
constexpr std::uint16_t kFolder = 4, kFile = 8;  // the upper bits of a mode
constexpr std::uint8_t kFolderEntry = 2, kFileEntry = 1;
enum Format : std::uint8_t { kInside = 1, kExtents = 2, kTree = 3 };
constexpr std::size_t kInodeHead = 176, kRecordBytes = 16;
constexpr std::size_t kTreeHead = 72, kTreeRootHead = 4;
constexpr std::size_t kEntriesAt = 64;           // in a directory's block
constexpr std::uint64_t kLeavesAt = 1ULL << 35;  // in a directory; entries come before
constexpr std::uint64_t kLargeCounts = 0x10;
constexpr std::uint32_t kMostNodes = 1 << 16;
constexpr std::uint64_t kMostFolderBlocks = 1 << 16;

struct Record {
  std::uint64_t logical, first, blocks;
};

Record record_at(Bytes bytes, std::size_t at) {
  const std::uint64_t high = be64(bytes, at), low = be64(bytes, at + 8);
  return {(high & ~(std::uint64_t{1} << 63)) >> 9, (high & 0x1FF) << 43 | low >> 21,
          low & ((1 << 21) - 1)};
}

}  // namespace

Bytes XfsFiles::Inode::fork() const {
  const std::size_t attributes = std::size_t{byte_at(bytes, 82)} * 8;
  const std::size_t room = bytes.size() - std::min(bytes.size(), kInodeHead);
  return part_of(bytes, kInodeHead, attributes != 0 ? std::min(attributes, room) : room);
}

std::optional<XfsFiles::Inode> XfsFiles::inode(std::uint64_t number, std::uint16_t kind,
                                               Sources& sources) const {
  const std::uint64_t per_block = geometry_.block_bytes / geometry_.inode_bytes;
  const std::uint64_t at = geometry_.place_of(number / per_block) +
                           number % per_block * geometry_.inode_bytes;
  sources.push_back(at / kPage);
  Inode inode{std::vector<std::uint8_t>(geometry_.inode_bytes)};
  if (!read_(at, inode.bytes) || be16(inode.bytes, 0) != 0x494E ||
      be64(inode.bytes, 152) != number || be16(inode.bytes, 2) >> 12 != kind)
    return std::nullopt;
  return inode;
}

bool XfsFiles::read_block(std::uint64_t block, std::vector<std::uint8_t>& to,
                          Sources& sources) const {
  to.resize(geometry_.block_bytes);
  sources.push_back(geometry_.place_of(block) / kPage);
  return read_(geometry_.place_of(block), to);
}

std::vector<XfsFiles::Extent> XfsFiles::extents(const Inode& inode, Sources& sources) const {
  std::vector<Extent> extents;
  const Bytes fork = inode.fork();
  const std::uint8_t format = byte_at(inode.bytes, 5);
  if (format == kExtents) {
    const bool large = (be64(inode.bytes, 120) & kLargeCounts) != 0;
    const std::uint64_t count = large ? be64(inode.bytes, 24) : be32(inode.bytes, 76);
    for (std::size_t i = 0; i < std::min<std::uint64_t>(count, fork.size() / kRecordBytes); ++i) {
      const Record record = record_at(fork, i * kRecordBytes);
      extents.push_back({record.logical, record.first, record.blocks});
    }
  } else if (format == kTree) {
    const std::size_t room = (fork.size() - std::min(fork.size(), kTreeRootHead)) / 16;
    const std::uint32_t level = be16(fork, 0);
    std::uint32_t left = kMostNodes;
    for (std::size_t i = 0; i < std::min<std::size_t>(be16(fork, 2), room) && level > 0; ++i)
      take_tree(be64(fork, kTreeRootHead + 8 * (room + i)), level - 1, left, extents, sources);
  }
  return extents;
}

void XfsFiles::take_tree(std::uint64_t block, std::uint32_t level, std::uint32_t& left,
                         std::vector<Extent>& extents, Sources& sources) const {
  std::vector<std::uint8_t> node;
  if (left == 0 || level > 8) return;
  --left;
  if (!read_block(block, node, sources) || be32(node, 0) != 0x424D4133 || be16(node, 4) != level)
    return;
  const std::size_t room = (node.size() - kTreeHead) / kRecordBytes;
  for (std::size_t i = 0; i < std::min<std::size_t>(be16(node, 6), room); ++i) {
    limit_.take_extents();
    if (level > 0) {
      take_tree(be64(node, kTreeHead + 8 * (room + i)), level - 1, left, extents, sources);
      continue;
    }
    const Record record = record_at(node, kTreeHead + i * kRecordBytes);
    extents.push_back({record.logical, record.first, record.blocks});
  }
}

std::vector<NamedFiles::Entry> XfsFiles::entries(std::uint64_t folder, Sources& sources) const {
  std::vector<Entry> entries;
  const auto its = inode(folder, kFolder, sources);
  if (!its) return entries;
  if (byte_at(its->bytes, 5) == kInside) {
    take_short(its->fork(), entries);
    return entries;
  }
  std::vector<std::uint8_t> block;
  std::uint64_t left = kMostFolderBlocks;
  for (const Extent& extent : extents(*its, sources))
    for (std::uint64_t i = 0; i < extent.blocks && left > 0; ++i, --left)
      if ((extent.logical + i) * geometry_.block_bytes < kLeavesAt &&
          read_block(extent.first + i, block, sources))
        take_block(block, entries);
  return entries;
}

// A folder that is small enough to lie in its inode.
void XfsFiles::take_short(Bytes fork, std::vector<Entry>& entries) const {
  const bool wide = byte_at(fork, 1) != 0;
  const std::size_t number_bytes = wide ? 8 : 4, count = byte_at(fork, 0);
  std::size_t at = 2 + number_bytes;
  for (std::size_t i = 0; i < count && at + 3 < fork.size(); ++i) {
    const std::size_t name = byte_at(fork, at);
    limit_.take_entry();
    const Bytes text = part_of(fork, at + 3, name);
    const std::uint8_t kind = byte_at(fork, at + 3 + name);
    const std::size_t number_at = at + 3 + name + 1;
    const std::uint64_t number = wide ? be64(fork, number_at) : be32(fork, number_at);
    if (kind == kFolderEntry || kind == kFileEntry)
      entries.push_back({std::string(text.begin(), text.end()), number, kind == kFolderEntry});
    at = number_at + number_bytes;
  }
}

void XfsFiles::take_block(Bytes block, std::vector<Entry>& entries) const {
  const std::uint32_t magic = be32(block, 0);
  const bool alone = magic == 0x58444233;  // XDB3: the leaves are at its end
  if (!alone && magic != 0x58444433) return;
  const std::uint64_t leaves = alone ? 8 + std::uint64_t{be32(block, block.size() - 8)} * 8 : 0;
  const std::size_t end = block.size() - std::min<std::uint64_t>(leaves, block.size());
  for (std::size_t at = kEntriesAt; at + 16 <= end;) {
    if (be16(block, at) == 0xFFFF) {  // free
      const std::size_t length = be16(block, at + 2);
      if (length < 8) return;
      at += length;
      continue;
    }
    const std::size_t name = byte_at(block, at + 8);
    limit_.take_entry();
    const Bytes text = part_of(block, at + 9, name);
    const std::uint8_t kind = byte_at(block, at + 9 + name);
    std::string its(text.begin(), text.end());
    if ((kind == kFolderEntry || kind == kFileEntry) && its != "." && its != "..")
      entries.push_back({std::move(its), be64(block, at), kind == kFolderEntry});
    at += (9 + name + 1 + 2 + 7) / 8 * 8;
  }
}

std::vector<Range> XfsFiles::bytes_of(std::uint64_t file, Sources& sources) const {
  std::vector<Range> bytes;
  if (const auto its = inode(file, kFile, sources))
    for (const Extent& extent : extents(*its, sources)) {
      const std::uint64_t at = geometry_.place_of(extent.first);
      bytes.push_back({at, at + extent.blocks * geometry_.block_bytes});
    }
  return bytes;
}

}  // namespace platter::emulator

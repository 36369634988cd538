#include "emulator/file_systems/xfs.h"

#include <fmt/format.h>

namespace platter::emulator {
namespace {

// Where a kind of block has its magic number, the UUID, and where it is: in units of 512 bytes, or
// an inode's number, or nothing. Of fs/xfs/libxfs/xfs_format.h, xfs_da_format.h and
// xfs_log_format.h.
enum class Place : std::uint8_t { none, sectors, inode };
struct Header {
  std::uint32_t magic_at, magic_bytes;
  std::uint32_t magic;
  std::uint32_t uuid_at;
  Place place;
  std::uint32_t place_at;
};
constexpr Header kHeaders[] = {
    {0, 4, 0x41423342, 32, Place::sectors, 16},  // AB3B: free space by block
    {0, 4, 0x41423343, 32, Place::sectors, 16},  // AB3C: free space by size
    {0, 4, 0x49414233, 32, Place::sectors, 16},  // IAB3: inodes
    {0, 4, 0x46494233, 32, Place::sectors, 16},  // FIB3: free inodes
    {0, 4, 0x524D4233, 32, Place::sectors, 16},  // RMB3: reverse map
    {0, 4, 0x52334643, 32, Place::sectors, 16},  // R3FC: reference counts
    {0, 4, 0x424D4133, 40, Place::sectors, 24},  // BMA3: a file's extents
    {0, 4, 0x58444233, 24, Place::sectors, 8},   // XDB3: a directory of one block
    {0, 4, 0x58444433, 24, Place::sectors, 8},   // XDD3: a directory's entries
    {0, 4, 0x58444633, 24, Place::sectors, 8},   // XDF3: a directory's free space
    {8, 2, 0x3EBE, 32, Place::sectors, 16},      // a node of directories and attributes
    {8, 2, 0x3DF1, 32, Place::sectors, 16},      // a leaf of a directory
    {8, 2, 0x3DFF, 32, Place::sectors, 16},      // the same, below nodes
    {8, 2, 0x3BEE, 32, Place::sectors, 16},      // a leaf of attributes
    {0, 4, 0x5841524D, 16, Place::sectors, 40},  // XARM: the value of an attribute
    {0, 4, 0x58534C4D, 16, Place::sectors, 40},  // XSLM: the target of a symbolic link
    {0, 2, 0x494E, 160, Place::inode, 152},      // IN: inodes
    {0, 2, 0x4451, 120, Place::none, 0},         // DQ: quota
};
constexpr std::size_t kUuidBytes = 16;
constexpr std::uint32_t kLogRecord = 0xFEEDBABE;
constexpr std::size_t kLogUuidAt = 304;

std::uint32_t magic_of(const Header& header, Bytes block) {
  return header.magic_bytes == 4 ? be32(block, header.magic_at) : be16(block, header.magic_at);
}

}  // namespace

Xfs::Xfs(Surroundings& around, const XfsGeometry& geometry,
         const std::vector<std::string>& kept_names)
    : around_(around),
      geometry_(geometry),
      reason_(geometry.reason_to_keep_all()),
      files_(
          geometry_,
          [this](std::uint64_t at, std::span<std::uint8_t> to) { return around_.read(at, to); },
          around.limit()),
      kept_(files_, kept_names) {
  if (reason_.empty()) kept_.keep_in(around_);
}

std::string Xfs::name() const {
  if (!reason_.empty()) return fmt::format("XFS, of which all is kept: {}", reason_);
  return fmt::format("XFS, {} blocks of {} bytes", geometry_.blocks, geometry_.block_bytes);
}

bool Xfs::is_log(std::uint64_t at) const {
  if (geometry_.log_block == 0) return false;
  const std::uint64_t begin = geometry_.place_of(geometry_.log_block);
  return at >= begin && at - begin < geometry_.log_blocks * geometry_.block_bytes;
}

// The log, and the four sectors at the beginning of each allocation group.
bool Xfs::has_its_place(std::uint64_t at) const {
  const std::uint64_t group_bytes = std::uint64_t{geometry_.group_blocks} * geometry_.block_bytes;
  return at % group_bytes < std::uint64_t{4} * geometry_.sector_bytes || is_log(at) ||
         at / geometry_.block_bytes >= geometry_.blocks;
}

bool Xfs::has_header(std::uint64_t at, Bytes block) const {
  for (const Header& header : kHeaders) {
    if (magic_of(header, block) != header.magic) continue;
    if (!same_bytes(part_of(block, header.uuid_at, kUuidBytes),
                    {reinterpret_cast<const std::uint8_t*>(geometry_.uuid.data()), kUuidBytes}))
      continue;
    if (header.place == Place::none) return true;
    const std::uint64_t place = be64(block, header.place_at);
    if (header.place == Place::sectors && place == at / 512) return true;
    // An inode's number is that of its block, then its place within.
    const std::uint64_t inodes = geometry_.block_bytes / geometry_.inode_bytes;
    if (header.place == Place::inode && geometry_.place_of(place / inodes) == at) return true;
  }
  return false;
}

Verdict Xfs::classify(std::uint64_t at, Bytes page) {
  if (!reason_.empty() || has_its_place(at) || has_header(at, page) ||
      kept_.holds(at, at + page.size()))
    return Verdict::metadata;
  if (!mounted_) return Verdict::perhaps;
  return kept_.any() ? Verdict::unknown : Verdict::data;  // names may come after data
}

void Xfs::written(std::uint64_t at, Bytes page) {
  if (!reason_.empty()) return;
  kept_.changed(at / kPage);
  kept_.keep_in(around_);
  if (!mounted_ && is_log(at)) look_for_mount(page);
}

// Whoever mounts it writes its log first.
void Xfs::look_for_mount(Bytes page) {
  for (std::size_t in = 0; in < page.size(); in += 512)
    if (be32(page, in) == kLogRecord &&
        same_bytes(part_of(page, in + kLogUuidAt, kUuidBytes),
                   {reinterpret_cast<const std::uint8_t*>(geometry_.log_uuid.data()), kUuidBytes}))
      mounted_ = true;
}

}  // namespace platter::emulator

#include "scsi/physical_blocks.h"

#include <algorithm>

namespace platter::scsi {

PhysicalBlocks::PhysicalBlocks(const Capacity& capacity) : blocks_(capacity.blocks) {
  if (capacity.block_bytes == 0 || capacity.physical_block_bytes <= capacity.block_bytes) return;
  logical_ = capacity.physical_block_bytes / capacity.block_bytes;
  first_aligned_ = capacity.lowest_aligned_lbn % logical_;
}

// In front of the lowest aligned LBN lies the end of a physical block whose beginning has no LBN.
std::uint64_t PhysicalBlocks::begin_of(std::uint64_t lbn) const {
  if (lbn < first_aligned_) return 0;
  return lbn - (lbn - first_aligned_) % logical_;
}

std::uint64_t PhysicalBlocks::end_of(std::uint64_t lbn) const {
  const std::uint64_t end = lbn < first_aligned_ ? first_aligned_ : begin_of(lbn) + logical_;
  return std::min(end, blocks_);
}

LbnRange PhysicalBlocks::covering(std::uint64_t lbn, std::uint64_t blocks) const {
  return {begin_of(lbn), end_of(lbn + blocks - 1) - 1};
}

std::optional<LbnRange> PhysicalBlocks::within(const LbnRange& range) const {
  if (range.first > range.last || range.first >= blocks_) return std::nullopt;
  const std::uint64_t last = std::min(range.last, blocks_ - 1);
  const std::uint64_t begin = begin_of(range.first) == range.first ? range.first
                                                                   : end_of(range.first);
  const std::uint64_t end = end_of(last) == last + 1 ? last + 1 : begin_of(last);
  if (begin >= end) return std::nullopt;
  return LbnRange{begin, end - 1};
}

bool PhysicalBlocks::is_whole(std::uint64_t lbn, std::uint64_t blocks) const {
  return lbn >= first_aligned_ && (lbn - first_aligned_) % logical_ == 0 && blocks > 0 &&
         blocks % logical_ == 0 && lbn + blocks <= blocks_;
}

std::optional<LbnRange> PhysicalBlocks::whole_within(const LbnRange& range) const {
  const auto inside = within({std::max<std::uint64_t>(range.first, first_aligned_), range.last});
  if (!inside) return std::nullopt;
  const std::uint64_t blocks = inside->last - inside->first + 1;
  const std::uint64_t whole = blocks - blocks % logical_;  // less one that the drive's end cuts
  if (whole == 0) return std::nullopt;
  return LbnRange{inside->first, inside->first + whole - 1};
}

std::vector<LbnRange> merged(std::vector<LbnRange> ranges) {
  std::ranges::sort(ranges, {}, &LbnRange::first);
  std::vector<LbnRange> merged;
  for (const LbnRange& range : ranges) {
    const bool touches = !merged.empty() && (range.first <= merged.back().last ||
                                             range.first - merged.back().last == 1);
    if (touches)
      merged.back().last = std::max(merged.back().last, range.last);
    else
      merged.push_back(range);
  }
  return merged;
}

std::vector<LbnRange> whole_physical_blocks(const std::vector<LbnRange>& ranges,
                                            const PhysicalBlocks& physical) {
  std::vector<LbnRange> whole;
  for (const LbnRange& range : merged(ranges))
    if (const auto narrowed = physical.within(range)) whole.push_back(*narrowed);
  return whole;
}

std::vector<LbnRange> touched_physical_blocks(const std::vector<LbnRange>& ranges,
                                              const PhysicalBlocks& physical) {
  std::vector<LbnRange> touched;
  for (const LbnRange& range : ranges)
    touched.push_back(physical.covering(range.first, range.last - range.first + 1));
  return whole_physical_blocks(touched, physical);
}

std::vector<LbnRange> without(const std::vector<LbnRange>& ranges,
                              const std::vector<LbnRange>& holes) {
  std::vector<LbnRange> left;
  for (const LbnRange& range : ranges) {
    std::uint64_t at = range.first;
    for (const LbnRange& hole : holes) {
      if (!hole.meets({at, range.last})) continue;
      if (hole.first > at) left.push_back({at, hole.first - 1});
      at = hole.last + 1;
    }
    if (at <= range.last) left.push_back({at, range.last});
  }
  return left;
}

}  // namespace platter::scsi

#include "virtual_drive/unwritten_blocks.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace platter::virtual_drive {

UnwrittenBlocks::UnwrittenBlocks(const std::vector<LbnRange>& ranges)
    : none_at_first_(ranges.empty()) {
  std::vector<LbnRange> sorted = ranges;
  std::ranges::sort(sorted, {}, &LbnRange::first);
  for (const LbnRange& range : sorted) {  // they may overlap
    if (!ranges_.empty() && range.first <= ranges_.rbegin()->second)
      ranges_.rbegin()->second = std::max(ranges_.rbegin()->second, range.last + 1);
    else
      ranges_[range.first] = range.last + 1;
  }
}

UnwrittenBlocks::Run UnwrittenBlocks::run_at(std::uint64_t lbn) const {
  const auto next = ranges_.upper_bound(lbn);
  if (next != ranges_.begin() && std::prev(next)->second > lbn)
    return {true, std::prev(next)->second};
  return {false, next == ranges_.end() ? std::numeric_limits<std::uint64_t>::max() : next->first};
}

bool UnwrittenBlocks::holds(std::uint64_t lbn, std::uint64_t blocks) const {
  if (ranges_.empty()) return false;
  const Run run = run_at(lbn);
  return run.unwritten && lbn + blocks <= run.end;
}

void UnwrittenBlocks::write(std::uint64_t lbn, std::uint64_t blocks) {
  const std::uint64_t end = lbn + blocks;
  auto range = ranges_.upper_bound(lbn);
  if (range != ranges_.begin()) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [first, last] = *range;
    if (last <= lbn) {
      ++range;
      continue;
    }
    range = ranges_.erase(range);
    if (first < lbn) ranges_[first] = lbn;
    if (last > end) ranges_[end] = last;
  }
}

void UnwrittenBlocks::clear(std::uint64_t lbn, std::uint32_t block_bytes,
                            std::span<std::uint8_t> data) const {
  if (ranges_.empty()) return;
  const std::uint64_t blocks = (data.size() + block_bytes - 1) / block_bytes;
  for (std::uint64_t at = lbn; at < lbn + blocks;) {
    const Run run = run_at(at);
    const std::uint64_t end = std::min(run.end, lbn + blocks);
    if (run.unwritten) {
      const auto from = data.begin() + static_cast<std::ptrdiff_t>((at - lbn) * block_bytes);
      const auto to = data.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                                         (end - lbn) * block_bytes, data.size()));
      std::fill(from, to, std::uint8_t{0});
    }
    at = end;
  }
}

}  // namespace platter::virtual_drive

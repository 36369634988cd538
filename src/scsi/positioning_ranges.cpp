#include "scsi/positioning_ranges.h"

#include <algorithm>
#include <limits>
#include <set>

namespace platter::scsi {
namespace {

constexpr std::uint8_t kPage = 0xB9;
constexpr std::size_t kHeader = 64, kDescriptor = 32;

std::optional<PositioningRange> range_in(Bytes descriptor) {
  const auto first = get_be(&descriptor[8], 8), blocks = get_be(&descriptor[16], 8);
  if (blocks == 0 || blocks - 1 > std::numeric_limits<std::uint64_t>::max() - first)
    return std::nullopt;
  return PositioningRange{descriptor[0], descriptor[1], {first, first + (blocks - 1)}};
}

bool are_apart(const std::vector<PositioningRange>& ascending) {
  const auto meet = [](const PositioningRange& a, const PositioningRange& b) {
    return b.blocks.first <= a.blocks.last;
  };
  return std::adjacent_find(ascending.begin(), ascending.end(), meet) == ascending.end();
}

}  // namespace

std::optional<std::vector<PositioningRange>> decode_positioning_ranges(Bytes reply) {
  const auto page = vpd_page_in(reply, kPage);
  if (!is_whole_vpd_page(page) || page.size() < kHeader + kDescriptor ||
      page.size() % kDescriptor != 0)
    return std::nullopt;
  std::vector<PositioningRange> ranges;
  std::set<std::uint8_t> numbers;
  for (std::size_t at = kHeader; at < page.size(); at += kDescriptor) {
    const auto range = range_in(page.subspan(at, kDescriptor));
    if (!range || !numbers.insert(range->number).second) return std::nullopt;
    ranges.push_back(*range);
  }
  std::ranges::sort(ranges, {}, [](const PositioningRange& range) { return range.blocks.first; });
  if (!are_apart(ranges)) return std::nullopt;
  return ranges;
}

bool lie_within(const std::vector<PositioningRange>& ranges, std::uint64_t blocks) {
  return std::ranges::all_of(
      ranges, [&](const PositioningRange& range) { return range.blocks.last < blocks; });
}

}  // namespace platter::scsi

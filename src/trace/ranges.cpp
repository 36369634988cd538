#include "trace/ranges.h"

#include <algorithm>

namespace platter::trace {
namespace {

__extension__ typedef unsigned __int128 Uint128;

struct Places {
  std::uint64_t first = 0, count = 0;
};

Places places_in(const LbnRange& range, std::uint64_t blocks, std::uint64_t align) {
  const std::uint64_t before = range.first % align;
  const std::uint64_t skip = before == 0 ? 0 : align - before;
  const std::uint64_t size = range.last - range.first;  // less one: a range may hold 2^64 blocks
  if (size < skip || size - skip < blocks - 1) return {};
  return {range.first + skip, (size - skip - (blocks - 1)) / align + 1};
}

std::uint64_t part_of(std::uint64_t whole, Share share) {
  return static_cast<std::uint64_t>(Uint128{whole} * share.part / share.of);
}

}  // namespace

std::uint64_t Ranges::blocks() const {
  std::uint64_t total = 0;
  for (const LbnRange& range : ranges_) total += range.last - range.first + 1;
  return total;
}

bool Ranges::holds(std::uint64_t lbn, std::uint64_t blocks) const {
  return std::ranges::any_of(ranges_,
                             [&](const LbnRange& range) { return range.holds(lbn, blocks); });
}

std::uint64_t Ranges::places(std::uint64_t blocks, std::uint64_t align) const {
  std::uint64_t total = 0;
  for (const LbnRange& range : ranges_) total += places_in(range, blocks, align).count;
  return total;
}

std::uint64_t Ranges::draw(Draws& draws, std::uint64_t blocks, std::uint64_t align) const {
  std::uint64_t place = draws.below(places(blocks, align));
  for (const LbnRange& range : ranges_) {
    const Places here = places_in(range, blocks, align);
    if (place < here.count) return here.first + place * align;
    place -= here.count;
  }
  return ranges_.front().first;
}

std::uint64_t Ranges::next_place(std::optional<std::uint64_t> lbn, std::uint64_t blocks,
                                 std::uint64_t align) const {
  if (lbn && holds(*lbn, blocks)) return *lbn;
  const auto here = std::ranges::find_if(ranges_, [&](const LbnRange& range) {
    return lbn && (range.holds(*lbn, 1) || range.last == *lbn - 1);
  });
  const auto from = here == ranges_.end() ? 0
                                          : static_cast<std::size_t>(here - ranges_.begin()) + 1;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Places places = places_in(ranges_[(from + i) % ranges_.size()], blocks, align);
    if (places.count > 0) return places.first;
  }
  return ranges_.front().first;
}

Ranges Ranges::piece(Share begin, Share end) const {
  const std::uint64_t total = blocks();
  std::uint64_t from = part_of(total, begin), to = part_of(total, end);
  std::vector<LbnRange> cut;
  for (const LbnRange& range : ranges_) {
    const std::uint64_t size = range.last - range.first + 1;
    if (from < size && to > 0)
      cut.push_back({range.first + from, range.first + std::min(to, size) - 1});
    from -= std::min(from, size);
    to -= std::min(to, size);
  }
  std::erase_if(cut, [](const LbnRange& range) { return range.first > range.last; });
  return Ranges(std::move(cut));
}

}  // namespace platter::trace

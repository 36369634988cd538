// Ranges of numbers, in order and apart, for the question whether one lies in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace platter::emulator {

struct Range {
  std::uint64_t first = 0, end = 0;  // [first, end)
  bool operator==(const Range&) const = default;
};

class Ranges {
 public:
  Ranges() = default;
  explicit Ranges(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
    std::erase_if(ranges_, [](const Range& range) { return range.first >= range.end; });
    std::ranges::sort(ranges_, {}, &Range::first);
    std::size_t kept = 0;
    for (const Range& range : ranges_)
      if (kept > 0 && range.first <= ranges_[kept - 1].end)
        ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
      else
        ranges_[kept++] = range;
    ranges_.resize(kept);
  }

  bool contains(std::uint64_t number) const {
    const auto behind = std::ranges::upper_bound(ranges_, number, {}, &Range::first);
    return behind != ranges_.begin() && number < std::prev(behind)->end;
  }
  bool touches(const Range& other) const {
    const auto behind = std::ranges::lower_bound(ranges_, other.end, {}, &Range::first);
    return other.first < other.end && behind != ranges_.begin() &&
           other.first < std::prev(behind)->end;
  }
  const std::vector<Range>& all() const { return ranges_; }

 private:
  std::vector<Range> ranges_{};
};

}  // namespace platter::emulator

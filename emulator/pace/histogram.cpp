#include "emulator/pace/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace platter::emulator {

// Below 2 * kPart each value has its own bucket; from there on a power of two has kPart of them.
std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < 2 * kPart) return value;
  const int shift = static_cast<int>(std::bit_width(value) - std::bit_width(std::uint64_t{kPart}));
  return static_cast<std::size_t>(shift) * kPart + (value >> shift);
}

std::uint64_t Histogram::upper_edge(std::size_t bucket) {
  if (bucket < 2 * kPart) return bucket;
  const auto shift = bucket / kPart - 1;
  return ((bucket - shift * kPart + 1) << shift) - 1;
}

void Histogram::add(Nanoseconds value) {
  const auto held = std::max<Nanoseconds>(value, 0);
  ++counts_[bucket_of(static_cast<std::uint64_t>(held))];
  ++count_;
  max_ = std::max(max_, held);
}

Nanoseconds Histogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= std::max<std::uint64_t>(wanted, 1))
      return std::min(max_, static_cast<Nanoseconds>(upper_edge(bucket)));
  }
  return max_;
}

}  // namespace platter::emulator

// Times by buckets that are 1/32 of their value wide at most; no allocation.
#pragma once

#include <array>
#include <cstdint>

#include "model/units.h"

namespace platter::emulator {

class Histogram {
 public:
  void add(Nanoseconds value);  // below 0: as 0
  std::uint64_t count() const { return count_; }
  // The value that this share of all does not exceed, to the width of its bucket; 0 where there is
  // nothing.
  Nanoseconds quantile(double share) const;
  Nanoseconds max() const { return max_; }

 private:
  static constexpr int kPart = 32;  // buckets between a power of two and the next
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t upper_edge(std::size_t bucket);

  std::array<std::uint64_t, 59 * kPart> counts_{};  // up to 2^63 ns
  std::uint64_t count_ = 0;
  Nanoseconds max_ = 0;
};

}  // namespace platter::emulator

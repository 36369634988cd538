// How true to their times answers were given: the budget "delivery against model". What the model
// is worth against its drive is another matter, which a table's demerit figures say.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/units.h"

namespace platter::emulator {

// Times by buckets that are 1/32 of their value wide at most; no allocation.
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

class Lateness {
 public:
  // A request that the model serves in `model_ns` (arrival to completion, above 0) was answered
  // `late_ns` after its completion; early where that is negative.
  void add(Nanoseconds model_ns, Nanoseconds late_ns);
  std::uint64_t count() const { return error_.count(); }
  // The quantiles are of the absolute error, the shares those of Griffin 2002 and Wu 2016: within
  // 2 % of the model's time.
  std::string text() const;
  std::string json() const;  // an object on one line

 private:
  double share(std::uint64_t count) const;

  Histogram error_;
  std::uint64_t late_20_us_ = 0, late_60_us_ = 0, late_1_ms_ = 0;
  std::uint64_t within_2_percent_ = 0, within_half_percent_ = 0;
};

}  // namespace platter::emulator

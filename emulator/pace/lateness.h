// How true to their times answers were given: the budget "delivery against model". What the model
// is worth against its drive is another matter, which a table's demerit figures say.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/pace/histogram.h"
#include "model/units.h"

namespace platter::emulator {

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

// How much later than an awake drive one answers that has gone to rest.
#pragma once

#include <array>

#include "estimate/samples.h"
#include "model/drive_model.h"
#include "model/power.h"

namespace platter::estimate {

// The time from a command to its block, as far as commands at several phases tell it. Each took its
// share of a revolution more than the drive needed: the least of them at least nothing, the longest
// less than a whole one.
struct Bracket {
  double value_ns = 0, error_ns = 0;
  std::size_t samples = 0;
};
class Bracketing {
 public:
  explicit Bracketing(double period_ns) : period_ns_(period_ns) {}

  void add(double response_ns);
  std::size_t samples() const { return samples_; }
  Bracket bracket() const;  // of one sample at least

 private:
  double period_ns_;
  double least_ns_ = 0, longest_ns_ = 0;
  std::size_t samples_ = 0;
};

// Of samples of Experiment::wake, in the order of model::kPowerConditions. Without samples of a
// condition, or of an awake drive, a figure is empty.
std::array<model::Parameter, model::kPowerConditions.size()> estimate_wakes(const Samples& samples,
                                                                            double period_ns);

}  // namespace platter::estimate

// How a run shares out the drive time that it was given: stages give up precision in a stated order,
// and never the layout.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "extract/stages.h"

namespace platter::extract {

class TimePlan {
 public:
  // `rpm` nominal; 0: not known. Without a budget every stage takes what it needs.
  TimePlan(double rpm, std::optional<double> budget_s);

  // What the run is expected to take, in seconds of the drive's time: all of its stages, or the
  // budget; never less than what the stages need at least.
  double expected_s() const;
  double least_s() const;
  // What a stage may use that begins `elapsed_s` into the run; nullopt: as much as it needs.
  std::optional<double> share_s(std::size_t stage, double elapsed_s) const;
  // What it would take by itself.
  double full_s(std::size_t stage) const { return full_s_[stage]; }

 private:
  std::array<double, kStages.size()> full_s_{};
  std::optional<double> budget_s_;
};

}  // namespace platter::extract

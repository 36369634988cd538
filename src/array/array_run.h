// A trace on an array from its first byte to its summary, as replay::run_on_model() has it of one
// model.
#pragma once

#include <vector>

#include "array/replay_array.h"
#include "replay/model_run.h"

namespace platter::array {

struct PlannedArray {
  ArrayPlan plan{};
  std::vector<replay::Subject> members{};
  ArraySetup setup{};
  replay::Subject subject{};
};

// Throws as setup_of() does.
PlannedArray planned(const ArrayPlan& plan, std::vector<replay::Subject> members);

// Of `run`: fit, shape, think_in_front, how (as replay_on_array() takes it), output, shares. Throws
// as replay::run_on_model() does.
replay::ModelRan run_on_array(const PlannedArray& array, const replay::OpenTrace& open,
                              const replay::ModelRun& run);

}  // namespace platter::array

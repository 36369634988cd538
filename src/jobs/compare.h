// Results of models against the drive's.
#pragma once

#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "replay/compare.h"

namespace platter::jobs {

struct CompareRun {
  std::string drive, plot;  // the drive's result, or its validate trace; plot: a figure, "": none
  std::vector<std::string> models;  // results
  replay::Comparing comparing;
  Outputs outputs;
};

// One for each of the models; the figure is drawn by then.
std::vector<replay::Comparison> compared(const CompareRun& run);

}  // namespace platter::jobs

// What a validation left in its folder, for the report.
#pragma once

#include <string>
#include <vector>

#include "replay/compare.h"
#include "replay/result.h"

namespace platter::report {

// One workload of `platter validate`: NAME.drive.csv and, for each model, NAME.MODEL.csv.
struct WorkloadResults {
  std::string name{};
  replay::Result drive{};
  std::vector<std::string> model_files{};         // MODEL, sorted
  std::vector<replay::Result> models{};           // likewise
  std::vector<replay::Comparison> comparisons{};  // likewise, computed anew from the times
};

// random first, then mixed, then others by name. Throws Error(bad_input) if there are none.
std::vector<WorkloadResults> load_workloads(const std::string& folder);

}  // namespace platter::report

// Results of replays: summed up, written in another form, compared.
#pragma once

#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "replay/compare.h"
#include "replay/summary.h"

namespace platter::jobs {

struct SummedResult {
  replay::ResultHead head;
  replay::Summary summary;
};
SummedResult result_at(const std::string& path);

void export_result(const std::string& path, const std::string& output, const Outputs& outputs);

// Results of models against the drive's.
struct CompareRun {
  std::string drive, plot;  // the drive's result, or its validate trace; plot: a figure, "": none
  std::vector<std::string> models;  // results
  replay::Comparing comparing;
  Outputs outputs;
};

// One for each of the models; the figure is drawn by then.
std::vector<replay::Comparison> compared(const CompareRun& run);

}  // namespace platter::jobs

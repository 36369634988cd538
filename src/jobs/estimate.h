// The model of a run made again of its raw samples.
#pragma once

#include <string>

#include "extract/record_file.h"
#include "jobs/outputs.h"
#include "jobs/progress.h"

namespace platter::jobs {

struct EstimateRun {
  std::string samples, output;
  bool json = false;  // the model is printed, not what it says
  Outputs outputs;
};

// Writes and prints it. Throws Error(incomplete) at the end for what it lacks, Error(refused) where
// a better model is in its place.
void estimate(const EstimateRun& run, const Print& print);

// A run's raw samples from their file.
// Throws Error(bad_input, permission).
extract::KeptRecord samples_at(const std::string& path);

}  // namespace platter::jobs

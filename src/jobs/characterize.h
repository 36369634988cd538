// The run on one drive that makes its model: where its files go and what may be replaced there, how
// an interrupted run is gone on with, how it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/progress.h"
#include "jobs/quiet_host.h"
#include "safety/journal.h"

namespace platter::jobs {

struct Characterization {
  std::string device;   // as open_device() takes it
  std::string output;   // the model's file
  std::string samples;  // "": beside it
  std::string resume;   // the raw samples of the run that is gone on with; "": none
  std::string journal = safety::default_journal_folder();
  std::vector<std::string> writable, skip;  // as lbn_ranges.h takes them
  std::vector<std::string> not_in_use;
  std::optional<std::uint64_t> seed;
  double budget_s = 0;               // of the drive's time; 0: as long as it takes
  std::string precision = "enough";  // or "high"
  bool full_map = false, no_map = false;
  std::string shingles = "recognize";  // or "bands", "all"
  bool json = false;                   // the model is printed, not what it says in brief
  bool says_expected_time = false;     // also without a budget
  QuietHostOption quiet;
  Outputs outputs;
};

// Writes the model and its raw samples, and prints the model. Throws Error: before a command goes
// to the drive for what cannot be done, at the end for what the run lacks; its files are written
// then.
void characterize(const Characterization& run, Progress& progress, const Print& print);

}  // namespace platter::jobs

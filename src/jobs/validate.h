// The same workloads on a drive and its models, compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/progress.h"
#include "jobs/quiet_host.h"

namespace platter::jobs {

struct ValidationRun {
  std::string device, output;  // output: the folder of traces, results and figures
  std::vector<std::string> models, writes, not_in_use;
  std::uint64_t requests = 5000, seed = 1;  // requests: of each workload
  bool json = false;
  bool update = false;                   // demerits and checked ranges go into the models' files
  bool tables = false;                   // each comparison is printed as a whole
  std::optional<std::string> undrawn{};  // why there are no figures
  std::string disksim;                   // as DiskSimColumn takes it
  QuietHostOption quiet;
  Outputs outputs;
};

// Prints each table as it is there, then the verdicts, or all as JSON. Throws Error: before a
// command goes to the drive for what cannot be done, else what replays throw.
void validate(const ValidationRun& run, Progress& progress, const Print& print);

}  // namespace platter::jobs

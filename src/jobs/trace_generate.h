// A workload for a drive, written as a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "trace/adjust.h"

namespace platter::jobs {

struct GenerateRun {
  std::string workload, format, output;     // a profile's and a format's name; a file, or "-"
  std::string model;                        // of the drive; "": one of `blocks`
  std::vector<std::string> within, writes;  // as lbn_ranges() takes them
  std::uint64_t blocks = 0, seed = 1;
  std::optional<std::uint64_t> requests;
  std::uint32_t block_bytes = 512;
  bool reads_only = false;
  trace::Adjustment adjustment;
  Outputs outputs;
};

void generate_trace(const GenerateRun& run);

}  // namespace platter::jobs

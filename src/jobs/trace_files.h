// Traces that are written: of another format, whole or apart by devices; of generated workloads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/trace_options.h"
#include "trace/adjust.h"

namespace platter::jobs {

struct ConvertRun {
  TraceOptions trace;
  std::string to, output;  // the format's name; a file, or "-"
  bool split = false;      // a file for each device, NAME.DEVICE.ENDING of NAME.ENDING
  trace::Fit fit = trace::Fit::none;
  std::optional<std::uint64_t> blocks;  // of the drive that it is to fit
  Outputs outputs;
};

// Says what was passed over.
void convert_trace(const ConvertRun& run);

// A workload for a drive.
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

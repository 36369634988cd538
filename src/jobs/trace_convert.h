// A trace written in another format, whole or apart by devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/outputs.h"
#include "jobs/trace_options.h"

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

}  // namespace platter::jobs

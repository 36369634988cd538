// What a user says of a trace that is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/fit.h"
#include "trace/trace.h"

namespace platter::jobs {

constexpr const char* kThinkInFront = "in-front";

struct TraceOptions {
  std::string path, format, device, think_times, time_unit, columns, line_regex;
  std::uint32_t block_bytes = 512, reorder = 0;
  bool round = false, queued = false;

  // Throws std::out_of_range for a unit that is none of s, ms, us and ns.
  trace::Reading reading() const;
  std::unique_ptr<trace::Reader> open() const { return trace::open_trace(path, reading()); }
  std::unique_ptr<trace::Reader> open(std::uint32_t in_blocks_of) const;
  trace::Trace read() const { return trace::read_trace_file(path, reading()); }
};

// The trace of `options` in blocks of this size, made to fit a drive of so many.
trace::Fitted fitted_trace(const TraceOptions& options, std::uint32_t block_bytes, trace::Fit fit,
                           std::uint64_t blocks);

// Throws Error(usage) where the trace is to be fitted and can be read only once.
void require_read_again(const TraceOptions& options, trace::Fit fit);

// Tells what was passed over in the trace of that name, and what its tracer says is missing.
void print_skipped(const trace::Reader& reader);
void print_skipped(const std::string& name, const std::vector<trace::Skipped>& skipped);

}  // namespace platter::jobs

#include "jobs/trace_options.h"

#include <map>

#include "model/error.h"
#include "model/say.h"
#include "trace/skips.h"

namespace platter::jobs {

const std::map<std::string, Nanoseconds> kUnits = {
    {"s", kSecond}, {"ms", kMillisecond}, {"us", kMicrosecond}, {"ns", 1}};

trace::Reading TraceOptions::reading() const {
  return {.format = trace::format_of(format),
          .device = device,
          .block_bytes = block_bytes,
          .round = round,
          .reorder = reorder,
          .think_in_front = think_times == kThinkInFront,
          .time_unit_ns = time_unit.empty() ? 0 : kUnits.at(time_unit),
          .queued = queued,
          .columns = columns,
          .line_regex = line_regex};
}

std::unique_ptr<trace::Reader> TraceOptions::open(std::uint32_t in_blocks_of) const {
  trace::Reading how = reading();
  how.block_bytes = in_blocks_of;
  return trace::open_trace(path, how);
}

void require_read_again(const TraceOptions& options, trace::Fit fit) {
  if (fit != trace::Fit::none && options.path == "-")
    throw Error(ExitStatus::usage,
                "--fit reads a trace twice, which the standard input cannot give; put it into a "
                "file");
}

trace::Fitted fitted_trace(const TraceOptions& options, std::uint32_t block_bytes, trace::Fit fit,
                           std::uint64_t blocks) {
  require_read_again(options, fit);
  return trace::fitted([&] { return options.open(block_bytes); }, fit, blocks);
}

void print_skipped(const trace::Reader& reader) {
  print_skipped(reader.source().name, reader.skipped());
}

void print_skipped(const std::string& name, const std::vector<trace::Skipped>& skipped) {
  using Kind = trace::Skipped::Kind;
  for (const trace::Skipped& records : skipped)
    if (records.kind == Kind::lost)
      model::say("platter: warning: {}, {}: {}\n", name, to_text(records.first),
                 trace::in_words(records));
    else if (records.kind == Kind::passed_over)
      model::say("platter: {}: passed over {} {} (the first in {})\n", name, records.count,
                 records.what, to_text(records.first));
}

}  // namespace platter::jobs

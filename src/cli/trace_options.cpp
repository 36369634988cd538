#include "cli/trace_options.h"

#include <fmt/core.h>

#include <map>

#include "cli/numbers.h"
#include "model/error.h"
#include "model/say.h"
#include "trace/skips.h"

namespace platter::cli {

constexpr const char* kInFront = "in-front";
const std::map<std::string, Nanoseconds> kUnits = {
    {"s", kSecond}, {"ms", kMillisecond}, {"us", kMicrosecond}, {"ns", 1}};

trace::Reading TraceOptions::reading() const {
  return {.format = trace::format_of(format),
          .device = device,
          .block_bytes = block_bytes,
          .round = round,
          .reorder = reorder,
          .think_in_front = think_times == kInFront,
          .time_unit_ns = time_unit.empty() ? 0 : kUnits.at(time_unit),
          .queued = queued,
          .columns = columns,
          .line_regex = line_regex};
}

void add_trace_options(CLI::App& command, TraceOptions& options, const char* format_option) {
  command
      .add_option("TRACE", options.path,
                  "a trace file (docs/traces.md lists the formats); - for standard input")
      ->required();
  add_reading_options(command, options, format_option);
}

void add_reading_options(CLI::App& command, TraceOptions& options, const char* format_option) {
  command.add_option(format_option, options.format, "of the trace (else: detected)")
      ->check(CLI::IsMember(trace::format_names()));
  command.add_option("--csv-columns", options.columns,
                     "the columns of a text file, as time:us,op,offset:bytes,size:bytes,device");
  command.add_option("--line-regex", options.line_regex,
                     "or an expression that finds them in a line, by groups as (?P<time_us>...)");
  command.add_option("--device-number", options.device,
                     "only this device's requests: its number or name, or MAJOR:MINOR of Linux");
  command
      .add_option("--block-bytes", options.block_bytes,
                  "bytes a block, for formats that count bytes or sectors")
      ->transform(at_least(1))
      ->capture_default_str();
  command.add_flag("--round", options.round,
                   "requests that are no whole blocks grow to whole ones");
  command
      .add_option("--reorder", options.reorder,
                  "requests may be so many places out of the order of their times")
      ->transform(at_least(0));
  command
      .add_option(
          "--think-times", options.think_times,
          "validate: a think time comes after its request (behind), as in DiskSim, or before it "
          "(in-front)")
      ->check(CLI::IsMember({"behind", kInFront}));
  command
      .add_option("--time-unit", options.time_unit,
                  "ascii, validate, spc, mqsim, iolog2, iolog3: the unit of all times in the file "
                  "(else ms, "
                  "us, s, ns, us, us)")
      ->check(CLI::IsMember({"s", "ms", "us", "ns"}));
  command.add_flag("--queued", options.queued,
                   "blktrace, blkparse, ftrace, biosnoop: requests as they were queued (Q), not as "
                   "issued (D)");
}

CLI::Option* add_fit_option(CLI::App& command, trace::Fit& fit) {
  static const std::map<std::string, trace::Fit> kFits = {
      {"wrap", trace::Fit::wrap}, {"scale", trace::Fit::scale}, {"compact", trace::Fit::compact}};
  return command
      .add_option_function<std::string>(
          "--fit", [&fit](const std::string& name) { fit = kFits.at(name); },
          "a trace of a larger drive: addresses modulo the drive's size (wrap), shrunk in "
          "proportion (scale), or without what it never touches (compact)")
      ->check(CLI::IsMember(kFits));
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

}  // namespace platter::cli

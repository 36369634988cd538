#include "cli/trace_options.h"

#include <map>

#include "cli/numbers.h"

namespace platter::cli {

void add_trace_options(CLI::App& command, jobs::TraceOptions& options, const char* format_option) {
  command
      .add_option("TRACE", options.path,
                  "a trace file (docs/traces.md lists the formats); - for standard input")
      ->required();
  add_reading_options(command, options, format_option);
}

void add_reading_options(CLI::App& command, jobs::TraceOptions& options,
                         const char* format_option) {
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
      ->check(CLI::IsMember({"behind", jobs::kThinkInFront}));
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

}  // namespace platter::cli

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/trace_files.h"
#include "model/error.h"
#include "trace/format.h"
#include "trace/profiles.h"

namespace platter::cli {
namespace {

const std::map<std::string, trace::Gap> kGaps = {{"constant", trace::Gap::constant},
                                                 {"uniform", trace::Gap::uniform},
                                                 {"exponential", trace::Gap::exponential}};

struct GenerateOptions {
  jobs::GenerateRun run;
  std::string gap;
  bool list = false, json = false;
};

void require(bool given, const char* what) {
  if (!given)
    throw Error(ExitStatus::usage,
                fmt::format("platter trace generate needs {}; --help tells the options, --list the "
                            "workloads",
                            what));
}

void generate(GenerateOptions& options) {
  if (options.list) {
    const auto profiles = trace::profiles();
    fmt::print("{}", options.json ? trace::list_json(profiles) : trace::list_text(profiles));
    return;
  }
  require(!options.run.workload.empty(), "--workload NAME");
  require(!options.run.model.empty() || options.run.blocks > 0,
          "the drive, --for MODEL or --blocks N");
  require(!options.run.output.empty(), "-o FILE");
  if (!options.gap.empty()) options.run.adjustment.gap = kGaps.at(options.gap);
  jobs::generate_trace(options.run);
}

void add_places(CLI::App& command, trace::Adjustment& adjustment) {
  command
      .add_option("--sequential-share", adjustment.sequential_share,
                  "of the requests, where the one before ended (0 to 1)")
      ->transform(share());
  command
      .add_option("--local-share", adjustment.local_share,
                  "of the requests, near the beginning of the one before (0 to 1)")
      ->transform(share());
  command.add_option("--local-blocks", adjustment.local_blocks, "how near that is")
      ->transform(at_least(0));
  command.add_option("--streams", adjustment.streams, "sequential streams, each in its own region")
      ->transform(at_least(1));
  command.add_flag("--any-stream", adjustment.any_stream,
                   "the stream of each request is drawn at random, not taken in turn");
  command
      .add_option("--stride-kb", adjustment.stride_kb,
                  "from the beginning of a stream's request to the next one's: blocks, in KiB")
      ->transform(kibibytes(0.5));
  command
      .add_option("--run-requests", adjustment.run_requests,
                  "after so many a stream continues anywhere in its region")
      ->transform(at_least(1));
  command.add_option("--hot-share", adjustment.hot_share, "of the requests, to the hot spot")
      ->transform(share());
  command.add_option("--hot-span", adjustment.hot_span, "of the blocks, in the hot spot")
      ->transform(share());
}

void add_times(CLI::App& command, GenerateOptions& options) {
  trace::Adjustment& adjustment = options.run.adjustment;
  command.add_option("--rate", adjustment.rate_hz, "open: requests a second arrive")
      ->transform(at_least(0));
  command
      .add_option("--think-ms", adjustment.think_ms,
                  "closed: from a completion to the next request")
      ->transform(milliseconds(0));
  command.add_option("--gap", options.gap, "how the times between them are distributed")
      ->check(CLI::IsMember(kGaps));
  command.add_option("--burst-requests", adjustment.burst_requests, "requests in a burst")
      ->transform(at_least(1));
  command.add_option("--burst-kb", adjustment.burst_kb, "or KiB in a burst")
      ->transform(kibibytes(1));
  command.add_option("--idle-ms", adjustment.idle_ms, "idle time after a burst")
      ->transform(milliseconds(0));
}

}  // namespace

void add_trace_generate(CLI::App& parent) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = parent.add_subcommand("generate",
                                            "a workload for a drive (docs/workloads.md)");
  CLI::Option* list = command->add_flag("--list", options->list, "the workloads that there are");
  add_json(*command, options->json, "the list for programs")->needs(list);
  command->add_option("--workload", options->run.workload, "one of --list");
  CLI::Option* model = command->add_option("--for", options->run.model, "the model of the drive");
  command->add_option("--blocks", options->run.blocks, "or the drive's number of blocks")
      ->transform(at_least(1))
      ->excludes(model);
  command->add_option("--block-bytes", options->run.block_bytes, "bytes a block, with --blocks")
      ->transform(at_least(1))
      ->excludes(model)
      ->capture_default_str();
  command->add_option("--requests", options->run.requests, "how many (else: as --list --json says)")
      ->transform(at_least(1));
  command->add_option("--seed", options->run.seed, "the same seed makes the same trace")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_option("--within", options->run.within, "LBN ranges FIRST-LAST of all requests");
  command->add_option("--writes-within", options->run.writes, "LBN ranges FIRST-LAST of writes");
  command->add_option("--read-share", options->run.adjustment.read_share, "reads of all (0 to 1)")
      ->transform(share());
  command->add_flag("--reads-only", options->run.reads_only, "reads in place of the writes");
  command->add_option("--request-kb", options->run.adjustment.request_kb,
                      "size in KiB: N, LEAST-MOST or LEAST-MOST:STEP");
  command
      ->add_option("--align-kb", options->run.adjustment.align_kb,
                   "places that are drawn are multiples of it")
      ->transform(kibibytes(0));
  add_places(*command, options->run.adjustment);
  add_times(*command, *options);
  command
      ->add_option("--format", options->run.format,
                   "of the file (else: ascii if open, validate if closed)")
      ->check(CLI::IsMember(trace::format_names()));
  command->add_option("-o,--output", options->run.output,
                      "the trace file to write; - for standard output");
  add_force(*command, options->run.outputs);
  command->callback([options] { generate(*options); });
}

}  // namespace platter::cli

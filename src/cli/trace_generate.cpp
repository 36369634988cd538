#include "trace/workload.h"

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/lbn_ranges.h"
#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "model/file.h"
#include "model/json.h"
#include "trace/trace.h"

namespace platter::cli {
namespace {

const std::map<std::string, trace::WorkloadKind> kWorkloads = {
    {"random", trace::WorkloadKind::random}, {"mixed", trace::WorkloadKind::mixed}};

}  // namespace

void add_trace_generate(CLI::App& parent) {
  struct Options {
    std::string workload, format = "ascii", model, output;
    std::vector<std::string> within, writes;
    std::uint64_t blocks = 0, requests = 5000, seed = 1;
    std::uint32_t block_bytes = 512;
    bool reads_only = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand(
      "generate", "one of the two workloads with which DIXtrac was validated");
  command->add_option("--workload", options->workload, "the cache's (mixed) or all else's (random)")
      ->required()
      ->check(CLI::IsMember(kWorkloads));
  CLI::Option_group* drive = command->add_option_group("drive");
  drive->add_option("--for", options->model, "the model of the drive that the trace is for");
  drive->add_option("--blocks", options->blocks, "or the drive's number of blocks")
      ->check(at_least(1));
  drive->require_option(1);
  command->add_option("--block-bytes", options->block_bytes, "bytes a block, with --blocks")
      ->check(at_least(1));
  command->add_option("--requests", options->requests, "how many")
      ->check(at_least(1))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "the same seed makes the same trace")
      ->check(at_least(0))
      ->capture_default_str();
  command->add_option("--within", options->within, "LBN ranges FIRST-LAST of all requests");
  command->add_option("--writes-within", options->writes, "LBN ranges FIRST-LAST of writes");
  command->add_flag("--reads-only", options->reads_only, "reads in place of the writes");
  command->add_option("--format", options->format, "of the file")
      ->check(CLI::IsMember(trace::format_names()))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "the trace file to write")->required();
  command->callback([options] {
    trace::Workload workload{.kind = kWorkloads.at(options->workload),
                              .blocks = options->blocks,
                              .block_bytes = options->block_bytes,
                              .requests = options->requests,
                              .seed = options->seed,
                              .reads_only = options->reads_only,
                              .within = lbn_ranges(options->within),
                              .writes = lbn_ranges(options->writes)};
    if (!options->model.empty()) {
      const model::Identity identity = model::load_model(options->model).identity;
      workload.blocks = identity.blocks;
      workload.block_bytes = identity.block_bytes;
    }
    std::ostringstream out;
    trace::write_trace(out, trace::generate(workload), trace::format_of(options->format));
    model::write_file(options->output, out.str());
  });
}

}  // namespace platter::cli

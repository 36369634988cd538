#include "cli/numbers.h"
#include "trace/trace.h"

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/lbn_ranges.h"
#include "cli/subcommands.h"
#include "model/file.h"
#include "model/json.h"
#include "trace/statistics.h"
#include "trace/workload.h"

namespace platter::cli {
namespace {

using trace::Format;

const std::map<std::string, trace::WorkloadKind> kWorkloads = {
    {"random", trace::WorkloadKind::random}, {"mixed", trace::WorkloadKind::mixed}};
const std::map<std::string, trace::Format> kFormats = {{"ascii", trace::Format::ascii},
                                                     {"validate", trace::Format::validate}};

void save(const trace::Trace& trace, trace::Format format, const std::string& path) {
  std::ostringstream out;
  trace::write_trace(out, trace, format);
  model::write_file(path, out.str());
}

void add_generate(CLI::App& parent) {
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
      ->check(CLI::IsMember(kFormats))
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
    save(trace::generate(workload), kFormats.at(options->format), options->output);
  });
}

struct Reading {
  std::string trace, format;
  std::optional<std::uint32_t> device;

  trace::Trace read() const {
    const trace::Format chosen = format.empty() ? trace::Format::detect : kFormats.at(format);
    return trace::read_trace_file(trace, {.format = chosen, .device = device});
  }
};

void add_reading(CLI::App& command, Reading& reading, const char* format_option) {
  command.add_option("TRACE", reading.trace, "a trace, ascii or validate")->required();
  command.add_option(format_option, reading.format, "of the file (else: detected)")
      ->check(CLI::IsMember(kFormats));
  command.add_option("--device-number", reading.device, "only this device's requests");
}

void add_convert(CLI::App& parent) {
  struct Options {
    Reading reading;
    std::string to, output;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("convert", "a trace in the other format");
  add_reading(*command, options->reading, "--from");
  command->add_option("--to", options->to, "the other format")
      ->required()
      ->check(CLI::IsMember(kFormats));
  command->add_option("-o,--output", options->output, "the trace file to write")->required();
  command->callback(
      [options] { save(options->reading.read(), kFormats.at(options->to), options->output); });
}

void add_stats(CLI::App& parent) {
  struct Options {
    Reading reading;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("stats", "what a trace asks for");
  add_reading(*command, options->reading, "--format");
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] {
    const trace::Statistics statistics = trace::statistics_of(options->reading.read());
    fmt::print("{}", options->json ? trace::to_json(statistics) : trace::to_text(statistics));
  });
}

}  // namespace

void add_trace(CLI::App& app) {
  CLI::App* command = app.add_subcommand("trace", "make, convert and describe traces");
  command->require_subcommand(1);
  add_generate(*command);
  add_convert(*command);
  add_stats(*command);
}

}  // namespace platter::cli

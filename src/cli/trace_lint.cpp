#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/numbers.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "cli/trace_options.h"
#include "model/error.h"
#include "trace/lint.h"

namespace platter::cli {

void add_trace_lint(CLI::App& parent) {
  struct Options {
    jobs::TraceOptions trace;
    std::vector<std::string> traces;
    std::optional<std::uint64_t> blocks;
    std::size_t limit = 100;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("lint", "all that is wrong with a trace");
  command
      ->add_option("TRACE", options->traces,
                   "a trace file, or several (docs/traces.md lists the formats); - for standard "
                   "input")
      ->required();
  add_reading_options(*command, options->trace);
  command
      ->add_option("--blocks", options->blocks,
                   "blocks of the drive: a request beyond them is an error")
      ->transform(at_least(1));
  command->add_option("--limit", options->limit, "findings to show; the others are counted")
      ->transform(at_least(0))
      ->capture_default_str();
  add_json(*command, options->json);
  command->callback([options] {
    trace::Reading reading = options->trace.reading();
    reading.blocks = options->blocks;
    for_each_of(options->traces, options->json, Heading::name,
                [&](const std::string& path, const Print& print) {
                  const trace::Lint lint = trace::lint(path, reading, options->limit);
                  print(options->json ? to_json(lint) : to_text(lint));
                  if (lint.errors > 0)
                    throw Error(ExitStatus::bad_input,
                                fmt::format("{} has {} error{}", lint.name, lint.errors,
                                            lint.errors == 1 ? "" : "s"));
                });
  });
}

}  // namespace platter::cli

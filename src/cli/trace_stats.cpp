#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/subcommands.h"
#include "cli/trace_options.h"
#include "trace/access_table.h"
#include "trace/statistics.h"

namespace platter::cli {
namespace {

struct StatsOptions {
  jobs::TraceOptions trace;
  std::vector<std::string> more;
  bool json = false, tables = false;
};

std::vector<trace::Statistics> all_statistics(const StatsOptions& options) {
  std::vector<std::string> paths = {options.trace.path};
  paths.insert(paths.end(), options.more.begin(), options.more.end());
  std::vector<trace::Statistics> all;
  for (const std::string& path : paths) {
    jobs::TraceOptions one = options.trace;
    one.path = path;
    const std::unique_ptr<trace::Reader> reader = one.open();
    all.push_back(trace::statistics_of(*reader));
    jobs::print_skipped(*reader);
  }
  return all;
}

void print_statistics(const StatsOptions& options) {
  const std::vector<trace::Statistics> all = all_statistics(options);
  if (options.json)
    fmt::print("{}", trace::to_json(all));
  else if (options.tables)
    fmt::print("{}", trace::access_table(all));
  else
    fmt::print("{}", trace::to_text(all));
}

}  // namespace

void add_trace_stats(CLI::App& parent) {
  auto options = std::make_shared<StatsOptions>();
  CLI::App* command = parent.add_subcommand("stats", "what traces ask for: sizes, places, times");
  add_trace_options(*command, options->trace);
  command->add_option("MORE", options->more, "more traces");
  CLI::Option* tables = command->add_flag(
      "--tables", options->tables,
      "only the table of Salam-Alada 2004, one configuration for each trace");
  add_json(*command, options->json)->excludes(tables);
  command->callback([options] { print_statistics(*options); });
}

}  // namespace platter::cli

#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "jobs/results.h"

namespace platter::cli {
namespace {

void add_result_show(CLI::App& parent) {
  struct Options {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("show",
                                            "response times, hits and lateness in a few figures");
  command->add_option("RESULT", options->path, "a result of platter replay")->required();
  add_json(*command, options->json);
  command->callback([options] {
    const jobs::SummedResult result = jobs::result_at(options->path);
    fmt::print("{}", options->json ? replay::summary_json(result.head, result.summary)
                                   : replay::summary_text(result.head, result.summary));
  });
}

void add_result_export(CLI::App& parent) {
  struct Options {
    std::string path, output;
    jobs::Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("export", "a result as CSV, compressed or not");
  command->add_option("RESULT", options->path, "a result of platter replay")->required();
  command
      ->add_option("-o,--output", options->output,
                   "CSV, compressed where it ends in .gz, .zst, .bz2, .xz or .lz4")
      ->required();
  add_force(*command, options->outputs);
  command->callback(
      [options] { jobs::export_result(options->path, options->output, options->outputs); });
}

}  // namespace

void add_result(CLI::App& app) {
  CLI::App* command = app.add_subcommand("result", "result files: show, export");
  command->require_subcommand(1);
  add_result_show(*command);
  add_result_export(*command);
}

}  // namespace platter::cli

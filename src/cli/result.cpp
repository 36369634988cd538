#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "model/file.h"
#include "replay/result_file.h"
#include "replay/summary.h"

namespace platter::cli {
namespace {

// Hands all requests on, piece by piece.
void read_all(replay::ResultReader& reader, const std::vector<replay::Rows*>& receivers) {
  replay::Part part = replay::Part::trace;
  for (std::vector<replay::Response> rows; reader.read(part, rows);)
    for (replay::Rows* receiver : receivers) receiver->add(part, rows);
}

void add_result_show(CLI::App& parent) {
  struct Options {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("show",
                                            "response times, hits and lateness in a few figures");
  command->add_option("RESULT", options->path, "a result of platter replay")->required();
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] {
    const std::unique_ptr<replay::ResultReader> reader = replay::open_result(options->path);
    replay::Summarizer summarizer;
    read_all(*reader, {&summarizer});
    const replay::Summary summary = summarizer.summary();
    fmt::print("{}", options->json ? replay::summary_json(reader->head(), summary)
                                   : replay::summary_text(reader->head(), summary));
  });
}

void add_result_export(CLI::App& parent) {
  struct Options {
    std::string path, output;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("export", "a result as CSV, compressed or not");
  command->add_option("RESULT", options->path, "a result of platter replay")->required();
  command->add_option("-o,--output", options->output, "CSV, compressed if it ends in .gz or .zst")
      ->required();
  options->outputs.add_force(*command);
  command->callback([options] {
    replay::require_result_name(options->output);
    const std::unique_ptr<replay::ResultReader> reader = replay::open_result(options->path);
    options->outputs.writes(options->output, content_of(reader->head()));
    replay::Summarizer summarizer;
    const std::unique_ptr<replay::ResultWriter> writer = replay::create_result(options->output,
                                                                               reader->head());
    read_all(*reader, {writer.get(), &summarizer});
    replay::ResultHead head = reader->head();
    head.lateness = summarizer.lateness();
    writer->finish(head);
  });
}

}  // namespace

void add_result(CLI::App& app) {
  CLI::App* command = app.add_subcommand("result", "result files: show, export");
  command->require_subcommand(1);
  add_result_show(*command);
  add_result_export(*command);
}

}  // namespace platter::cli

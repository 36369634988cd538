#include "jobs/report.h"

#include <memory>

#include "cli/subcommands.h"

namespace platter::cli {

void add_report(CLI::App& app) {
  auto options = std::make_shared<jobs::ReportRun>();
  CLI::App* command = app.add_subcommand(
      "report", "one HTML file for people: models, figures, drive against model");
  command->add_option("MODEL", options->models, "model files")->required();
  command->add_option("--results", options->results, "the folder that platter validate -o wrote");
  command->add_option("-o,--output", options->output, "the HTML file")
      ->check(named_for(Written::page))
      ->required();
  add_force(*command, options->outputs);
  command->callback([options] { jobs::write_report(*options); });
}

}  // namespace platter::cli

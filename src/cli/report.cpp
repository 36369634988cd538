#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/needs.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "fleet/reported.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "report/html_report.h"

namespace platter::cli {

void add_report(CLI::App& app) {
  struct Options {
    std::vector<std::string> models;
    std::string results, output;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "one HTML file for people: models, figures, drive against model");
  command->add_option("MODEL", options->models, "model files")->required();
  command->add_option("--results", options->results, "the folder that platter validate -o wrote");
  command->add_option("-o,--output", options->output, "the HTML file")
      ->check(named_for(Written::page))
      ->required();
  options->outputs.add_force(*command);
  command->callback([options] {
    std::vector<report::ReportedModel> models;
    for (const std::string& path : options->models)
      models.push_back({std::filesystem::path(path).stem().string(), model::load_model(path)});
    std::vector<report::WorkloadResults> workloads;
    if (!options->results.empty()) workloads = report::load_workloads(options->results);
    options->outputs.writes(options->output);
    if (const auto why = no_pictures({"figure in " + options->output}))
      model::say("platter: {}\n", *why);
    std::vector<fleet::Drive> drives;
    for (const report::ReportedModel& reported : models)
      drives.push_back({reported.file, reported.model});
    model::write_file(options->output,
                      report::html_report(models, workloads, fleet::found_among(drives)));
  });
}

}  // namespace platter::cli

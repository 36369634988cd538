#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/doubts.h"
#include "cli/outputs.h"
#include "cli/show_table.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "model/error.h"
#include "model/json.h"
#include "report/model_summary.h"
#include "report/plots.h"

namespace platter::cli {
namespace {

void draw(const model::DriveModel& model, const std::string& folder, const Outputs& outputs) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!model.seek.points.empty()) outputs.writes(folder + "/seeks.svg");
  if (!model.layout.zones.empty()) outputs.writes(folder + "/zones.svg");
  const std::string& name = model.identity.name.empty() ? model.identity.product
                                                        : model.identity.name;
  if (!model.seek.points.empty())
    report::plot_seeks("Seek time of " + name, report::seek_curves_of(model, name),
                       folder + "/seeks.svg");
  if (!model.layout.zones.empty())
    report::plot_zones("Zones of " + name, model.layout, folder + "/zones.svg");
}

}  // namespace

void add_show(CLI::App& app) {
  struct Options {
    std::string model, plots;
    bool json = false;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "what a model says about its drive");
  command->add_option("MODEL", options->model, "the model file, or a table (.ptab)")->required();
  command->add_flag("--json", options->json, "the same for programs");
  command->add_option("--plots", options->plots,
                      "also draw the seek curve and the zones into this folder (SVG)");
  options->outputs.add_force(*command);
  command->callback([options] {
    if (emit_table::is_table_file(options->model)) {
      if (!options->plots.empty())
        throw Error(ExitStatus::usage, "--plots draws models; give the model that the table is of");
      show_table(options->model, options->json);
      return;
    }
    const model::DriveModel model = model::load_model(options->model);
    tell_doubts(model);
    if (!options->plots.empty()) draw(model, options->plots, options->outputs);
    fmt::print("{}", options->json ? report::model_as_json(model) : report::model_as_text(model));
  });
}

}  // namespace platter::cli

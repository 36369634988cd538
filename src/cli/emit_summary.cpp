#include <memory>

#include "cli/several.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "emit/summary/simulators.h"
#include "emit/summary/summary_text.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

emit_summary::DriveSummary loaded(const std::string& path, emit_summary::RandomMeans means) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "be summed up");
  emit_summary::DriveSummary drive = emit_summary::summary_of(model, means);
  drive.name = model::printable(drive.name);
  return drive;
}

}  // namespace

void add_emit_summary(CLI::App& emit) {
  struct Options {
    std::vector<std::string> models;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = emit.add_subcommand("summary",
                                          "a few figures, for simulators that model no disk");
  command->add_option("MODEL", options->models, "the model file, or several")->required();
  add_json(*command, options->json, "the figures, all zones and the texts as JSON");
  command->callback([options] {
    for_each_of(options->models, options->json, Heading::name,
                [&](const std::string& path, const Print& print) {
                  const emit_summary::DriveSummary drive = loaded(
                      path, emit_summary::RandomMeans::computed);
                  print(options->json ? emit_summary::summary_json(drive)
                                      : emit_summary::summary_in_words(drive));
                });
  });
}

void add_emit_86box(CLI::App& emit) {
  auto models = std::make_shared<std::vector<std::string>>();
  CLI::App* command = emit.add_subcommand("86box", "a disk preset for 86Box' source");
  command->add_option("MODEL", *models, "the model file, or several")->required();
  command->callback([models] {
    print_as_it_is();
    for_each_of(*models, false, Heading::none, [](const std::string& path, const Print& print) {
      print(emit_summary::preset_86box(loaded(path, emit_summary::RandomMeans::left_out)));
    });
  });
}

}  // namespace platter::cli

#include "emit/disksim/import.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>

#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "model/json.h"
#include "model/printable.h"

namespace platter::cli {

void add_import(CLI::App& app) {
  struct Options {
    std::string file, output, drive, with;
    emit_disksim::ContinuousRead continuous_read = emit_disksim::ContinuousRead::code;
    bool json = false;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("import",
                                         "a model from another program's parameter files");
  command->require_subcommand(1);
  CLI::App* disksim = command->add_subcommand(
      "disksim", "from a DiskSim 4.0 .parv, .diskspecs or .model file");
  disksim
      ->add_option("FILE", options->file,
                   "the parameter file; what it names with source is read too")
      ->required();
  disksim->add_option("-o,--output", options->output, "the model file to write (else: to stdout)");
  disksim->add_option("--drive", options->drive,
                      "the disksim_disk block, where the files hold several");
  disksim->add_option(
      "--with", options->with,
      "a model (.json) or DiskSim file that has what FILE, a .model or a layout alone, lacks");
  static const std::map<std::string, emit_disksim::ContinuousRead> kReadings{
      {"code", emit_disksim::ContinuousRead::code},
      {"manual", emit_disksim::ContinuousRead::manual}};
  disksim
      ->add_option("--continuous-read", options->continuous_read,
                   "scheme 4 of Buffer continuous read reads ahead behind any read, as DiskSim's "
                   "code does (code), or behind sequential ones, as its manual says (manual)")
      ->transform(CLI::CheckedTransformer(kReadings));
  options->outputs.add_force(*disksim);
  disksim->add_flag("--json", options->json, "write the model to stdout");
  disksim->callback([options] {
    const emit_disksim::Imported imported = emit_disksim::import_disksim(
        options->file, options->drive, options->with, options->continuous_read);
    for (const std::string& warning : imported.warnings)
      fmt::print(stderr, "platter: warning: {}\n", model::printable(warning));
    if (!options->output.empty()) {
      options->outputs.writes(options->output, content_of(imported.model));
      model::save_model(imported.model, options->output);
    }
    if (options->output.empty() || options->json)
      fmt::print("{}", model::to_json_text(imported.model));
  });
}

}  // namespace platter::cli

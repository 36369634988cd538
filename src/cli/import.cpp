#include "emit/disksim/import.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/choices.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "emit/disksim_check/check.h"
#include "model/error.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

void print_findings(const std::string& file, bool as_json) {
  const std::vector<emit_disksim_check::Finding> findings = emit_disksim_check::check_files(file);
  nlohmann::ordered_json answer = model::json_head("platter-disksim-check");
  answer["file"] = file;
  answer["runs"] = emit_disksim_check::runs(findings);
  answer["findings"] = nlohmann::ordered_json::array();
  for (const emit_disksim_check::Finding& finding : findings) {
    answer["findings"].push_back({{"effect", emit_disksim_check::name_of(finding.effect)},
                                  {"where", finding.where},
                                  {"what", finding.what},
                                  {"source", finding.source}});
    if (!as_json) fmt::print("{}\n", model::printable(emit_disksim_check::in_words(finding)));
  }
  if (as_json) fmt::print("{}\n", model::json_text(answer, model::JsonForm::indented));
  if (!emit_disksim_check::runs(findings))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: DiskSim would stop at these files, or not answer; mend what is "
                            "told above",
                            file));
}

}  // namespace

void add_import(CLI::App& app) {
  struct Options {
    std::string file, output, drive, with;
    emit_disksim::ContinuousRead continuous_read = emit_disksim::ContinuousRead::code;
    bool json = false, check = false;
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
  CLI::Option* output = disksim->add_option("-o,--output", options->output,
                                            "the model file to write (else: to stdout)");
  disksim
      ->add_flag("--check", options->check,
                 "no model: what DiskSim itself would stop at, never end with, or take otherwise")
      ->excludes(output);
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
      ->transform(one_of(kReadings))
      ->type_name("NAME");
  options->outputs.add_force(*disksim);
  disksim->add_flag("--json", options->json,
                    "write the model, or with --check the findings, to stdout");
  disksim->callback([options] {
    if (options->check) return print_findings(options->file, options->json);
    const emit_disksim::Imported imported = emit_disksim::import_disksim(
        options->file, options->drive, options->with, options->continuous_read);
    for (const std::string& warning : imported.warnings)
      model::say("platter: warning: {}\n", model::printable(warning));
    if (!options->output.empty()) {
      options->outputs.writes(options->output, content_of(imported.model));
      model::save_model(imported.model, options->output);
    }
    if (options->output.empty() || options->json)
      fmt::print("{}", model::to_json_text(imported.model));
  });
}

}  // namespace platter::cli

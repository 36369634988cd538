#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/choices.h"
#include "cli/disksim_programs.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "emit/disksim/export.h"
#include "emit/disksim_check/check.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

// What the rules say of the files is told already.
void add_findings(emit_disksim::Program program, emit_disksim::Exported& exported) {
  auto findings = emit_disksim_check::check_files(exported.files.front(), program);
  std::erase_if(findings, [&](const emit_disksim_check::Finding& finding) {
    return finding.effect == emit_disksim_check::Effect::stops_there ||
           std::ranges::find(exported.warnings, finding.what) != exported.warnings.end();
  });
  for (const std::string& line : emit_disksim_check::in_brief(findings))
    exported.warnings.push_back(line);
}

struct DisksimOptions {
  std::vector<std::string> models;
  std::string folder;
  emit_disksim::ExportOptions files;
  bool json = false;
  Outputs outputs;
};

void emit_one_disksim(const std::string& path, const std::string& folder,
                      const DisksimOptions& options, const Print& print) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "become DiskSim files");
  emit_disksim::Exported exported = emit_disksim::export_disksim(
      model, folder, options.files, [&](const std::string& file, const std::string& content) {
        options.outputs.writes_bytes(file, content);
      });
  add_findings(options.files.program, exported);
  for (const std::string& warning : exported.warnings)
    model::say("platter: warning: {}\n", model::printable(warning));
  if (options.json) {
    nlohmann::ordered_json answer = model::json_head("platter-emit-disksim");
    answer["name"] = exported.name;
    answer["layout"] = exported.layout;
    answer["files"] = exported.files;
    answer["warnings"] = exported.warnings;
    return print(model::json_text(answer, model::JsonForm::indented) + "\n");
  }
  for (const std::string& file : exported.files) print(file + "\n");
}

}  // namespace

void add_emit_disksim(CLI::App& app) {
  auto options = std::make_shared<DisksimOptions>();
  CLI::App* command = app.add_subcommand("disksim", "DiskSim 4.0 parameter files, ready to run");
  command->add_option("MODEL", options->models, "the model file, or several")->required();
  command
      ->add_option("-o,--output", options->folder,
                   "the folder for the files, made if it is not there; of several models they go "
                   "into folders of their own in it")
      ->check(named_for(Written::folder))
      ->required()
      ->type_name("DIR");
  command->add_option("--name", options->files.name,
                      "of the files and of the drive in them (else: made of the drive's name)");
  static const std::map<std::string, emit_disksim::LayoutType> kLayouts{
      {"g1", emit_disksim::LayoutType::g1}, {"g4", emit_disksim::LayoutType::g4}};
  command
      ->add_option("--layout", options->files.layout,
                   "g1 or g4, DiskSim's types (else: g1 where it says the map in less than 100 KB, "
                   "or g4)")
      ->transform(one_of(kLayouts))
      ->type_name("NAME");
  command
      ->add_option(
          "--dialect", options->files.program,
          "cmu4, which Western Digital's DiskSim runs too; wd: with times of writes' seeks, for "
          "forks of it that have a dual seek profile; wd64: for its 64-bit DiskSim, which alone "
          "counts 2^31 blocks and more")
      ->transform(one_of(emit_disksim_programs()))
      ->type_name("NAME");
  options->outputs.add_force(*command);
  command->add_flag("--json", options->json, "name, files and warnings as JSON on stdout");
  command->callback([options] {
    const EachOutput places(options->models, options->folder, "");
    for_each_of(options->models, options->json, Heading::none,
                [&](const std::string& path, const Print& print) {
                  emit_one_disksim(path, places.of(path), *options, print);
                });
  });
}

}  // namespace platter::cli

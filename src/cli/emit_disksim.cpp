#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/numbers.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "jobs/disksim_files.h"
#include "jobs/outputs.h"
#include "model/json_text.h"

namespace platter::cli {
namespace {

struct DisksimOptions {
  std::vector<std::string> models;
  std::string folder;
  emit_disksim::ExportOptions files;
  bool json = false;
  jobs::Outputs outputs;
};

void emit_one_disksim(const std::string& path, const std::string& folder,
                      const DisksimOptions& options, const Print& print) {
  const emit_disksim::Exported exported = jobs::disksim_files(path, folder, options.files,
                                                              options.outputs);
  if (options.json) {
    return print(model::json_document("platter-emit-disksim", {{"name", exported.name},
                                                               {"layout", exported.layout},
                                                               {"files", exported.files},
                                                               {"warnings", exported.warnings}}));
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
  add_force(*command, options->outputs);
  add_json(*command, options->json, "name, files and warnings as JSON on stdout");
  command->callback([options] {
    const EachOutput places(options->models, options->folder, "");
    for_each_of(options->models, options->json, Heading::none,
                [&](const std::string& path, const Print& print) {
                  emit_one_disksim(path, places.of(path), *options, print);
                });
  });
}

}  // namespace platter::cli

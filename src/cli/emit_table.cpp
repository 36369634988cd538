#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/several.h"
#include "cli/subcommands.h"
#include "jobs/outputs.h"
#include "jobs/table_and_layout.h"
#include "model/json_text.h"

namespace platter::cli {
namespace {

struct TableOptions {
  std::vector<std::string> models;
  std::string output, format = "table";
  bool json = false;
  jobs::Outputs outputs;
};

const std::map<std::string, std::string> kEndings = {
    {"table", ".ptab"}, {"csv", ".csv"}, {"c", ".h"}};

void emit_one_table(const std::string& path, const std::string& file, const TableOptions& options,
                    const Print& print) {
  const jobs::WrittenTable made = jobs::write_table(path, file, options.format, options.outputs);
  const bool to_stdout = jobs::goes_to_standard_output(file);
  if (!options.json) return to_stdout ? void() : print(file + "\n");
  const std::string text = model::json_document(
      "platter-emit-table", {{"file", file},
                             {"bytes", made.bytes},
                             {"model_sha256", made.table.model_sha256},
                             {"validated", !made.table.validity.demerits.empty()}});
  to_stdout ? print_beside(file, text) : print(text);
}

}  // namespace

void add_emit_table(CLI::App& app) {
  auto options = std::make_shared<TableOptions>();
  CLI::App* command = app.add_subcommand(
      "table", "the lookup-table model: compact, all that an engine needs");
  command->add_option("MODEL", options->models, "the model file, or several")->required();
  command
      ->add_option("-o,--output", options->output,
                   "the file to write (FILE.ptab); of several models a folder")
      ->required();
  command
      ->add_option("--format", options->format,
                   "what is written: a table file, its fields as csv, or a C header")
      ->check(CLI::IsMember({"table", "csv", "c"}))
      ->capture_default_str();
  add_force(*command, options->outputs);
  add_json(*command, options->json, "file, size and origin as JSON on stdout");
  command->callback([options] {
    const EachOutput places(options->models, options->output, kEndings.at(options->format));
    for_each_of(options->models, options->json, Heading::none,
                [&](const std::string& path, const Print& print) {
                  emit_one_table(path, places.of(path), *options, print);
                });
  });
}

}  // namespace platter::cli

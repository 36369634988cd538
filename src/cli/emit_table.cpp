#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/several.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "model/say.h"
#include "model/standing.h"

namespace platter::cli {
namespace {

// What others will see; a pipe or /dev/null cannot be read again.
emit_table::Table as_written(const std::string& bytes, const std::string& path) {
  if (!goes_to_standard_output(path) && model::is_file(path)) return emit_table::load_table(path);
  return emit_table::read_table(std::as_bytes(std::span(bytes)), path);
}

std::string in_format(const std::string& format, const std::string& table) {
  if (format == "csv") return emit_table::as_csv(std::as_bytes(std::span(table)));
  if (format == "c") return emit_table::as_c_header(std::as_bytes(std::span(table)));
  return table;
}

struct TableOptions {
  std::vector<std::string> models;
  std::string output, format = "table";
  bool json = false;
  Outputs outputs;
};

const std::map<std::string, std::string> kEndings = {
    {"table", ".ptab"}, {"csv", ".csv"}, {"c", ".h"}};

const std::map<std::string, Written> kWritten = {
    {"table", Written::table}, {"csv", Written::csv}, {"c", Written::c_header}};

void tell_standing(const emit_table::Table& table) {
  const std::string standing = model::standing_of(table.provenance, table.validity);
  if (!standing.empty())
    model::say("platter: the model is {}, and so is the table\n", standing);
  else if (table.validity.demerits.empty())
    model::say("platter: the model was not validated, and so neither is the table\n");
}

void emit_one_table(const std::string& path, const std::string& file, const TableOptions& options,
                    const Print& print) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "become a table");
  if (const std::string why = why_not_named(file, kWritten.at(options.format)); !why.empty())
    throw Error(ExitStatus::usage, fmt::format("{}: {}", file, why));
  options.outputs.writes(file);
  const std::string bytes = emit_table::compile_table(model);
  const std::string written = in_format(options.format, bytes);
  model::write_file(file, written);
  const emit_table::Table table =
      options.format == "table" ? as_written(bytes, file)
                                : emit_table::read_table(std::as_bytes(std::span(bytes)), file);
  tell_standing(table);
  if (!options.json) return goes_to_standard_output(file) ? void() : print(file + "\n");
  nlohmann::ordered_json answer = model::json_head("platter-emit-table");
  answer["file"] = file;
  answer["bytes"] = written.size();
  answer["model_sha256"] = table.model_sha256;
  answer["validated"] = !table.validity.demerits.empty();
  const std::string text = model::json_text(answer, model::JsonForm::indented) + "\n";
  goes_to_standard_output(file) ? print_beside(file, text) : print(text);
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
  options->outputs.add_force(*command);
  command->add_flag("--json", options->json, "file, size and origin as JSON on stdout");
  command->callback([options] {
    const EachOutput places(options->models, options->output, kEndings.at(options->format));
    for_each_of(options->models, options->json, Heading::none,
                [&](const std::string& path, const Print& print) {
                  emit_one_table(path, places.of(path), *options, print);
                });
  });
}

}  // namespace platter::cli

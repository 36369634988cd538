#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"
#include "model/completeness.h"
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
  if (model::is_file(path)) return emit_table::load_table(path);
  return emit_table::read_table(std::as_bytes(std::span(bytes)), path);
}

std::string in_format(const std::string& format, const std::string& table) {
  if (format == "csv") return emit_table::as_csv(std::as_bytes(std::span(table)));
  if (format == "c") return emit_table::as_c_header(std::as_bytes(std::span(table)));
  return table;
}

}  // namespace

void add_emit_table(CLI::App& emit) {
  struct Options {
    std::string model, file, format = "table";
    bool json = false;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = emit.add_subcommand(
      "table", "the lookup-table model: compact, all that an engine needs");
  command->add_option("MODEL", options->model, "the model file")->required();
  command->add_option("-o,--output", options->file, "the file to write (FILE.ptab)")->required();
  command
      ->add_option("--format", options->format,
                   "what is written: a table file, its fields as csv, or a C header")
      ->check(CLI::IsMember({"table", "csv", "c"}))
      ->capture_default_str();
  options->outputs.add_force(*command);
  command->add_flag("--json", options->json, "file, size and origin as JSON on stdout");
  command->callback([options] {
    const model::DriveModel model = model::load_model(options->model);
    model::require_what_predicts(model, options->model, "become a table");
    options->outputs.writes(options->file);
    const std::string bytes = emit_table::compile_table(model);
    const std::string written = in_format(options->format, bytes);
    model::write_file(options->file, written);
    const emit_table::Table table = options->format == "table"
                                        ? as_written(bytes, options->file)
                                        : emit_table::read_table(std::as_bytes(std::span(bytes)),
                                                                 options->file);
    const std::string standing = model::standing_of(table.provenance, table.validity);
    if (!standing.empty())
      model::say("platter: the model is {}, and so is the table\n", standing);
    else if (table.validity.demerits.empty())
      model::say("platter: the model was not validated, and so neither is the table\n");
    if (!options->json) return fmt::print("{}\n", options->file);
    nlohmann::ordered_json answer = model::json_head("platter-emit-table");
    answer["file"] = options->file;
    answer["bytes"] = written.size();
    answer["model_sha256"] = table.model_sha256;
    answer["validated"] = !table.validity.demerits.empty();
    fmt::print("{}\n", model::json_text(answer, model::JsonForm::indented));
  });
}

}  // namespace platter::cli

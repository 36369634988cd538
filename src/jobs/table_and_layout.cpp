#include "jobs/table_and_layout.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <map>
#include <span>

#include "emit/table/text_forms.h"
#include "model/claims.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"

namespace platter::jobs {
namespace {

std::string in_format(const std::string& format, const std::string& table) {
  if (format == "csv") return emit_table::as_csv(std::as_bytes(std::span(table)));
  if (format == "c") return emit_table::as_c_header(std::as_bytes(std::span(table)));
  return table;
}

void tell_standing_of(const emit_table::Table& table) {
  const std::string standing = model::standing_of(table.provenance, table.validity);
  if (!standing.empty())
    model::say("platter: the model is {}, and so is the table\n", standing);
  else if (table.validity.demerits.empty())
    model::say("platter: the model was not validated, and so neither is the table\n");
}

}  // namespace

LoadedLayout layout_of(const std::string& path) {
  if (emit_table::is_table_file(path)) {
    model::note_input(path);
    return {emit_table::load_table(path).tables->layout, {}};
  }
  const model::DriveModel model = model::load_model(path);
  if (model.layout.zones.empty()) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: has no layout: {}", path,
                    model.layout.reason.empty() ? "no reason is given" : model.layout.reason));
  }
  return {engine::LayoutMap(model.layout), model.layout.not_understood};
}

void note_not_understood(const LoadedLayout& layout, std::vector<report::Place>& places) {
  for (report::Place& place : places)
    for (const model::NotUnderstood& range : layout.not_understood)
      if (place.lbn && range.first_lbn <= *place.lbn && *place.lbn <= range.last_lbn)
        place.not_understood = range.reason;
}

WrittenTable write_table(const std::string& path, const std::string& file,
                         const std::string& format, const Outputs& outputs) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "become a table");
  static const std::map<std::string, Written> kWritten = {
      {"table", Written::table}, {"csv", Written::csv}, {"c", Written::c_header}};
  if (const std::string why = why_not_named(file, kWritten.at(format)); !why.empty())
    throw Error(ExitStatus::usage, fmt::format("{}: {}", file, why));
  outputs.writes(file);
  const std::string bytes = emit_table::compile_table(model);
  emit_table::Table table = emit_table::read_table(std::as_bytes(std::span(bytes)), file);
  const std::string written = in_format(format, bytes);
  model::write_file(file, written);
  // What others will see; a pipe or /dev/null cannot be read again.
  if (format == "table" && !goes_to_standard_output(file) && model::is_file(file))
    table = emit_table::load_table(file);
  tell_standing_of(table);
  return {std::move(table), written.size()};
}

}  // namespace platter::jobs

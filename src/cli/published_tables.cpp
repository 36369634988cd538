#include "cli/published_tables.h"

#include <fmt/core.h>

#include <span>
#include <string>

#include "emit/small/small_table.h"
#include "emit/table/table.h"
#include "model/error.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

std::string table_of_model(const model::DriveModel& model, bool small) {
  return small ? emit_small::compile_small_table(model) : emit_table::compile_table(model);
}

// The number of its format, where the layer says it or the table can be read; else "".
std::string format_of(const registry::Descriptor& layer, const std::string& content) {
  const std::string stated = layer.annotation(registry::kTableFormatKey);
  if (!stated.empty()) return stated;
  try {
    return std::to_string(
        emit_table::read_table(std::as_bytes(std::span(content)), "the table").format);
  } catch (const Error&) {  // of a time before its format was stated
    return "";
  }
}

}  // namespace

registry::Tables published_tables() {
  return {.form =
              [](const std::string& content, const std::string& path) {
                const emit_table::Table table = emit_table::read_table(
                    std::as_bytes(std::span(content)), path);
                return registry::TableForm{table.format, table.simplified.has_value()};
              },
          .make = table_of_model};
}

registry::MadeAgain tables_made_again(const registry::Contents& contents) {
  return [&contents](const registry::Descriptor& layer,
                     const std::string& content) -> std::optional<std::string> {
    if (layer.media_type != registry::kTableType) return {};
    const std::string format = format_of(layer, content);
    if (format == std::to_string(emit_table::kTableFormat)) return {};
    model::say("platter: {} is a table of {}, and was written again from the model\n",
               model::printable(layer.annotation(registry::kTitleKey)),
               format.empty() ? "an unknown format" : "format " + model::printable(format));
    return table_of_model(contents.model, layer.annotation(registry::kTableProfileKey) == "small");
  };
}

}  // namespace platter::cli

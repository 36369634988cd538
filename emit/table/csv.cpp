#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "emit/table/fields.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"

namespace platter::emit_table {
namespace {

constexpr std::string_view kColumns = "section,index,field,value,unit\n";

// By the ends of the fields' names, first come.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"_ns", "ns"},
                                                                    {"_ms", "ms"},
                                                                    {"_percent", "%"},
                                                                    {"_bytes", "bytes"},
                                                                    {"_blocks", "blocks"},
                                                                    {"blocks", "blocks"},
                                                                    {"angle", "rev/2^64"},
                                                                    {"angle_step", "rev/2^64"},
                                                                    {"jumps", "rev/2^32"},
                                                                    {"_requests", "requests"},
                                                                    {"cylinder", "cylinders"},
                                                                    {"cylinders", "cylinders"},
                                                                    {"cylinder_step", "cylinders"},
                                                                    {"sectors", "sectors"}};

std::string_view unit_of(const Field& field) {
  if (field.kind == Field::Kind::text || field.kind == Field::Kind::name) return "";
  for (const auto& [end, unit] : kUnits)
    if (std::string_view(field.name).ends_with(end)) return unit;
  return "";
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string as_csv(std::span<const std::byte> table) {
  read_table(table, "the table");
  std::string text(kColumns);
  for (const Field& field : fields_of(table))
    text += fmt::format("{},{},{},{},{}\n", field.section.empty() ? "drive" : field.section,
                        field.index ? fmt::format("{}", *field.index) : "", field.name,
                        quoted(field.value), unit_of(field));
  return text;
}

bool begins_text_form(std::string_view beginning) {
  return beginning.starts_with(kColumns) || beginning.starts_with(kHeaderBegins);
}

}  // namespace platter::emit_table

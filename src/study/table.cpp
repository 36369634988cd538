#include "study/table.h"

#include <string_view>

#include "registry/canonical_json.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchemaName = "platter-study-table";

std::string field(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_number_float()) return registry::ecmascript_number(value.get<double>());
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace

Table table_of(const Study& study, const Points& points, const Store& store) {
  Table table;
  for (std::size_t index = 0; index < points.points.size(); ++index) {
    const Point& point = points.points[index];
    const Json stored = store.point(point.key);
    if (stored.is_null()) {
      table.missing.push_back(index);
      continue;
    }
    table.failed += !is_result(stored);
    std::vector<Json> row;
    for (const Column& column : columns())
      row.push_back(column.value({study, points, point, stored}));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string csv_of(const Table& table) {
  std::string text;
  const auto add_line = [&](std::size_t many, const auto& value) {
    for (std::size_t i = 0; i < many; ++i) {
      if (i > 0) text += ',';
      text += value(i);
    }
    text += '\n';
  };
  add_line(columns().size(), [&](std::size_t i) { return columns()[i].name; });
  for (const std::vector<Json>& row : table.rows)
    add_line(row.size(), [&](std::size_t i) { return field(row[i]); });
  return text;
}

bool begins_table(std::string_view beginning) {
  return beginning.starts_with("platter_study_table_");
}

std::string json_lines_of(const Table& table) {
  std::string text;
  for (const std::vector<Json>& row : table.rows) {
    nlohmann::ordered_json line = {{"schema", {{"name", kSchemaName}, {"version", "1.0"}}}};
    for (std::size_t i = 0; i < row.size(); ++i) line[columns()[i].name] = row[i];
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace platter::study

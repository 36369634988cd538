#include "study/table.h"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>

#include "model/json_text.h"
#include "model/strict_json.h"
#include "registry/canonical_json.h"
#include "study/options.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchemaName = "platter-study-table";

std::string field(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_number_float()) return registry::ecmascript_number(value.get<double>());
  if (!value.is_string()) return model::json_text(value);
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

// What tells a row from the others of its study, whichever version computed it.
std::string place_of(const std::function<Json(const std::string& column)>& value) {
  Json place = Json::array({value("model"), value("trace"), value("device")});
  for (const Option& option : options()) place.push_back(value(option.name));
  return model::json_text(place);
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
    nlohmann::ordered_json line = {{"schema", model::schema_of(kSchemaName)}};
    for (std::size_t i = 0; i < row.size(); ++i) line[columns()[i].name] = row[i];
    text += model::json_text(line) + "\n";
  }
  return text;
}

std::uint64_t rows_of_others(const std::string& json_lines, const Study& study,
                             const Points& points) {
  std::set<std::string> places;
  for (const Point& point : points.points) {
    places.insert(place_of([&](const std::string& name) {
      return std::ranges::find(columns(), name, &Column::name)
          ->value({study, points, point, Json()});
    }));
  }
  std::uint64_t others = 0;
  std::istringstream lines(json_lines);
  for (std::string line; std::getline(lines, line);) {
    const Json row = model::parse_or_null<Json>(line);
    if (!row.is_object()) continue;
    others += !places.contains(
        place_of([&](const std::string& column) { return row.value(column, Json()); }));
  }
  return others;
}

}  // namespace platter::study

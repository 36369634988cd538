#include "report/diff_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/pretty.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "-";
}

const char* verdict(const model::Difference& difference) {
  if (!difference.within_error) return "in one only";
  return *difference.within_error ? "equal" : "differs";
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

DifferenceCount count(const std::vector<model::Difference>& differences) {
  DifferenceCount result;
  for (const model::Difference& difference : differences) {
    if (!difference.within_error) {
      ++result.in_one_only;
      continue;
    }
    ++result.compared;
    if (!*difference.within_error) ++result.differing;
  }
  return result;
}

std::string differences_as_text(const std::vector<model::Difference>& differences, bool all) {
  const DifferenceCount counted = count(differences);
  std::string text = fmt::format(
      "{} figures compared: {} equal within their errors, {} differ; {} in one model only\n",
      counted.compared, counted.compared - counted.differing, counted.differing,
      counted.in_one_only);
  bool head = false;
  for (const model::Difference& difference : differences) {
    if (!all && difference.within_error.value_or(false)) continue;
    if (!head) {
      text += fmt::format("\n  {:<38} {:>14} {:>14} {:>12} {:>9} {:<7} {}\n", "figure", "a", "b",
                          "b - a", "relative", "unit", "");
      head = true;
    }
    const std::string relative = difference.relative
                                     ? fmt::format("{:.2f} %", 100 * *difference.relative)
                                     : std::string("-");
    text += fmt::format("  {:<38} {:>14} {:>14} {:>12} {:>9} {:<7} {}\n", difference.path,
                        number(difference.a), number(difference.b), number(difference.difference),
                        relative, difference.unit, verdict(difference));
  }
  return text;
}

std::string differences_as_json(const std::vector<model::Difference>& differences) {
  Json list = Json::array();
  for (const model::Difference& d : differences) {
    list.push_back({{"path", d.path},
                    {"unit", d.unit},
                    {"a", or_null(d.a)},
                    {"b", or_null(d.b)},
                    {"difference", or_null(d.difference)},
                    {"relative", or_null(d.relative)},
                    {"within_error", or_null(d.within_error)}});
  }
  return model::pretty(list);
}

}  // namespace platter::report

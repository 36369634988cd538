#include "report/diff_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/json_head.h"
#include "model/pretty.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "-";
}

const char* verdict(const model::Difference& difference) {
  if (!difference.not_judged.empty()) return "not judged";
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
    if (!difference.not_judged.empty()) {
      ++result.not_judged;
      continue;
    }
    if (!difference.within_error) {
      ++result.in_one_only;
      continue;
    }
    ++result.compared;
    if (difference.in_errors) {
      ++result.with_error;
      if (*difference.in_errors > 2) ++result.beyond_two;
    }
    if (!*difference.within_error) ++result.differing;
  }
  return result;
}

std::string differences_as_text(const std::vector<model::Difference>& differences, bool all) {
  const DifferenceCount counted = count(differences);
  std::string text = fmt::format(
      "{} figures compared: {} equal within their errors, {} differ; {} in one model only{}\n",
      counted.compared, counted.compared - counted.differing, counted.differing,
      counted.in_one_only,
      counted.not_judged > 0 ? fmt::format(", {} not judged", counted.not_judged) : "");
  if (counted.with_error > 0)
    text += fmt::format(
        "of {} with an error {} ({:.1f} %) lie more than two errors apart, 4.6 % "
        "would by chance\n",
        counted.with_error, counted.beyond_two,
        100.0 * static_cast<double>(counted.beyond_two) / static_cast<double>(counted.with_error));
  bool head = false;
  for (const model::Difference& difference : differences) {
    // What only one model has says nothing of the other.
    const bool in_one_only = !difference.within_error && difference.not_judged.empty();
    if (!all && (difference.within_error.value_or(false) || in_one_only)) continue;
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
    if (!difference.not_judged.empty()) text += "      " + difference.not_judged + "\n";
    if (!difference.instead.empty()) text += fmt::format("      in one: {}\n", difference.instead);
  }
  return text;
}

std::string differences_as_json(const std::vector<model::Difference>& differences) {
  const DifferenceCount counted = count(differences);
  Json json = model::json_head("platter-diff");
  json["compared"] = counted.compared;
  json["differing"] = counted.differing;
  json["in_one_only"] = counted.in_one_only;
  json["not_judged"] = counted.not_judged;
  json["with_error"] = counted.with_error;
  json["beyond_two_errors"] = counted.beyond_two;
  Json& list = json["differences"] = Json::array();
  for (const model::Difference& d : differences) {
    list.push_back({{"path", d.path},
                    {"unit", d.unit},
                    {"a", or_null(d.a)},
                    {"b", or_null(d.b)},
                    {"difference", or_null(d.difference)},
                    {"relative", or_null(d.relative)},
                    {"in_errors", or_null(d.in_errors)},
                    {"within_error", or_null(d.within_error)},
                    {"not_judged", d.not_judged},
                    {"instead", d.instead}});
  }
  return model::pretty(json);
}

}  // namespace platter::report

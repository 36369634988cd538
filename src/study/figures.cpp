#include "study/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/error.h"
#include "model/json_text.h"
#include "registry/canonical_json.h"
#include "report/gnuplot.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;
using Cells = std::vector<Json>;  // a row of the table

std::size_t index_of(const std::string& column) {
  return static_cast<std::size_t>(std::ranges::find(columns(), column, &Column::name) -
                                  columns().begin());
}

std::string words_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? registry::ecmascript_number(value.get<double>())
                                 : model::json_text(value);
}

std::string label_of(const Cells& row, const std::vector<std::string>& of) {
  std::string label;
  for (const std::string& column : of) {
    if (!label.empty()) label += ", ";
    label += words_of(row[index_of(column)]);
  }
  return label;
}

// What nobody could tell apart is not drawn.
constexpr std::size_t kMostPanels = 64, kMostCurves = 1000;

// Keeps the order in which things come.
template <class Value>
Value& at(std::vector<std::pair<std::string, Value>>& all, const std::string& name,
          const char* what, std::size_t most) {
  for (auto& [label, value] : all)
    if (label == name) return value;
  if (all.size() == most)
    throw Error(ExitStatus::bad_input,
                fmt::format("a figure has at most {} {}; leave out one of the columns that its "
                            "plot tells apart by",
                            most, what));
  return all.emplace_back(name, Value{}).second;
}

using Curve = std::vector<std::pair<double, double>>;
using Panel = std::vector<std::pair<std::string, Curve>>;

std::string axis_words(std::string column) {
  std::ranges::replace(column, '_', ' ');
  if (column.ends_with(" ms")) column.replace(column.size() - 3, 3, ", ms");
  return column;
}

std::string panel_script(const std::string& title, const Panel& panel, std::size_t number) {
  std::string data;
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < panel.size(); ++i) {
    const auto& [label, curve] = panel[i];
    const std::string name = fmt::format("$curve{}_{}", number, i);
    data += name + " << EOD\n";
    for (const auto& [x, y] : curve)
      data += fmt::format("{} {}\n", registry::ecmascript_number(x),
                          registry::ecmascript_number(y));
    data += "EOD\n";
    const std::string key = label.empty() ? "notitle" : "title " + report::quoted(label);
    // The first of the house's line types is the drive's, wide and grey.
    curves.push_back(fmt::format("{} with linespoints linetype {} pointtype {} {}", name, i % 6 + 2,
                                 i % 6 + 4, key));
  }
  return fmt::format("set title {}\n", report::quoted(title)) + data + report::plot_of(curves);
}

// Letters, digits and dashes of a study's name, so that studies share a folder.
std::string file_stem(const std::string& name) {
  std::string stem;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      stem += c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  return stem.empty() ? "study" : stem;
}

}  // namespace

std::vector<std::string> figure_names(const Study& study) {
  std::vector<std::string> names;
  for (const PlotSpec& plot : study.plots)
    names.push_back(
        fmt::format("{}-{}-{}-by-{}.svg", file_stem(study.name), names.size() + 1, plot.y, plot.x));
  return names;
}

Figure figure_of(const PlotSpec& plot, const Table& table) {
  const std::size_t x_at = index_of(plot.x), y_at = index_of(plot.y);
  std::vector<std::string> places;  // of an x that is no number
  std::map<std::string, std::size_t> place_of;
  std::vector<std::pair<std::string, Panel>> panels;
  for (const Cells& row : table.rows) {
    if (!row[y_at].is_number()) continue;
    double x = 0;
    if (row[x_at].is_number()) {
      x = row[x_at].get<double>();
    } else {
      const std::string word = words_of(row[x_at]);
      const auto [known, is_new] = place_of.try_emplace(word, places.size());
      x = static_cast<double>(known->second);
      if (is_new) places.push_back(word);
    }
    Panel& panel = at(panels, label_of(row, plot.panel), "panels", kMostPanels);
    at(panel, label_of(row, plot.series), "curves", kMostCurves)
        .emplace_back(x, row[y_at].get<double>());
  }
  std::string script = fmt::format(
      "set xlabel {}\nset ylabel {}\nset yrange [0:]\nset rmargin 8\nset key below left Left "
      "reverse\n",
      report::quoted(axis_words(plot.x)), report::quoted(axis_words(plot.y)));
  if (!places.empty()) {
    script += "set xtics rotate by -90 (";
    for (std::size_t i = 0; i < places.size(); ++i)
      script += fmt::format("{}{} {}", i == 0 ? "" : ", ", report::quoted(places[i]), i);
    script += ")\n";
  }
  if (panels.empty()) panels.emplace_back("", Panel{{"no points", {{0, 0}}}});
  if (panels.size() > 1)
    script += fmt::format("set multiplot layout {},1 title {}\n", panels.size(),
                          report::quoted(plot.title));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Panel& panel = panels[i].second;
    for (auto& [label, curve] : panel) std::ranges::sort(curve);
    script += panel_script(panels.size() > 1 ? panels[i].first : plot.title, panel, i);
  }
  if (panels.size() > 1) script += "unset multiplot\n";
  return {script, panels.size()};
}

}  // namespace platter::study

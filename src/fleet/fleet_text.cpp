#include "fleet/fleet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "model/printable.h"
#include "model/quality.h"

namespace platter::fleet {
namespace {

using Json = nlohmann::ordered_json;

// A period in ns keeps its last digit: that is what tells drives apart.
std::string number(double value) {
  constexpr double kSixDigits = 1e6;
  return std::abs(value) < kSixDigits ? fmt::format("{:.6g}", value) : fmt::format("{:.0f}", value);
}

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? number(value) : number(value) + " " + unit;
}

std::string counted(std::size_t n, const char* one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string named(const Group& group) {
  std::string name = group.unknown ? "product not told" : group.product;
  if (group.vendor.find_first_not_of(' ') != std::string::npos)
    name = group.vendor + (group.unknown ? ", " : " ") + name;
  if (!group.revision.empty()) name += ", firmware " + group.revision;
  return model::printable(name);
}

std::size_t longest_name(const Group& group) {
  std::size_t width = 5;
  for (const Drive* drive : group.drives)
    width = std::max(width, model::printable(drive->name).size());
  return width;
}

const Figure* find(const Group& group, const std::string& path) {
  const auto found = std::ranges::find(group.figures, path, &Figure::path);
  return found == group.figures.end() ? nullptr : &*found;
}

std::string_view quality_of(const Drive& drive) {
  return model::name_of(model::qualities_of(drive.model).all);
}

// Those of a table: what most often tells drives apart.
std::vector<const Figure*> table_figures(const Group& group) {
  std::vector<const Figure*> list;
  for (const char* path : {"rotation.period", "head_switch", "write_settle"})
    if (const Figure* figure = find(group, path)) list.push_back(figure);
  for (const Figure& figure : group.figures)
    if (figure.path.starts_with("seek[")) list.push_back(&figure);
  for (const char* path : {kZones, "layout.remaps", "layout.skips"})
    if (const Figure* figure = find(group, path)) list.push_back(figure);
  return list;
}

std::string heading(const Figure& figure) {
  if (figure.path == kZones) return "zones";
  const std::size_t dot = figure.path.rfind('.');
  return dot == std::string::npos ? figure.path : figure.path.substr(dot + 1);
}

// Of a figure what stands in its column, heading and unit first, as wide as it must be.
std::vector<std::string> column(const Group& group, const Figure& figure) {
  std::vector<std::string> cells = {
      heading(figure) + " ", (figure.unit == "of the stroke" ? "of stroke" : figure.unit) + " "};
  for (std::size_t i = 0; i < group.drives.size(); ++i) {
    const bool odd = std::ranges::any_of(group.findings, [&](const Finding& finding) {
      return finding.drive == i && &group.figures[finding.figure] == &figure;
    });
    const auto& value = figure.values[i].value;
    cells.push_back((value ? number(*value) : "-") + (odd ? '!' : ' '));
  }
  const std::size_t width = std::ranges::max(cells, {}, &std::string::size).size();
  for (std::string& cell : cells) cell = fmt::format(" {:>{}}", cell, width);
  return cells;
}

std::string table(const Group& group) {
  const std::size_t width = longest_name(group);
  std::vector<std::string> lines = {fmt::format("\n  {:<{}} quality  ", "drive", width),
                                    fmt::format("  {:<{}}          ", "", width)};
  for (const Drive* drive : group.drives)
    lines.push_back(
        fmt::format("  {:<{}} {:<9}", model::printable(drive->name), width, quality_of(*drive)));
  for (const Figure* figure : table_figures(group)) {
    const std::vector<std::string> cells = column(group, *figure);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += cells[i];
  }
  std::string text;
  for (const std::string& line : lines)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::string outliers(const Group& group) {
  std::string text;
  for (const std::size_t drive : group.outliers()) {
    text += "\n  " + model::printable(group.drives[drive]->name) + "\n";
    for (const Finding& finding : group.findings)
      if (finding.drive == drive) text += "    " + words_of(group, finding) + "\n";
  }
  return text;
}

std::string unresolved(const Group& group) {
  std::string text;
  for (const Finding& finding : group.unresolved)
    text += "    " + unresolved_words(group, finding) + "\n";
  return text.empty() ? text : "\n  within what the measuring resolves\n" + text;
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json as_json(const Group& group, const Finding& finding) {
  const Figure& figure = group.figures[finding.figure];
  const Figure::Value& value = figure.values[finding.drive];
  return {{"drive", group.drives[finding.drive]->name},
          {"what", finding.what},
          {"figure", figure.path},
          {"unit", figure.unit},
          {"value", or_null(value.value)},
          {"error", or_null(value.error)},
          {"typical", finding.typical},
          {"in_spreads", finding.fact ? Json() : Json(finding.in_spreads)},
          {"others", finding.others},
          {"alike", finding.alike},
          {"fact", finding.fact},
          {"chance", finding.chance},
          {"among_all", finding.among_all},
          {"resolution", finding.resolution}};
}

Json as_json(const Change& change) {
  return {{"path", change.path},
          {"unit", change.unit},
          {"before", change.before},
          {"after", change.after},
          {"in_errors", or_null(change.in_errors)},
          {"chance", change.in_errors ? Json(change.chance) : Json()},
          {"among_all", change.in_errors ? Json(change.among_all) : Json()},
          {"resolution", change.in_errors ? Json() : Json(change.resolution)}};
}

std::string line_of(const Change& change) {
  std::string text = fmt::format("    {}: {} -> {}", change.path, number(change.before),
                                 with_unit(change.after, change.unit));
  if (change.in_errors)
    text += fmt::format("; {:.1f} errors, {:.1g} among all looks", *change.in_errors,
                        change.among_all);
  else if (std::abs(change.after - change.before) <= change.resolution)
    text += fmt::format("; within what the measuring resolves ({:.2g})", change.resolution);
  return text + "\n";
}

std::string as_text(std::span<const LeftOut> left_out) {
  std::string text;
  for (const LeftOut& one : left_out)
    text += fmt::format("left out: {}\n", model::printable(one.error));
  return text;
}

Json as_json(std::span<const LeftOut> left_out) {
  Json list = Json::array();
  for (const LeftOut& one : left_out)
    list.push_back({{"name", one.name},
                    {"status", static_cast<int>(one.status)},
                    {"error", model::printable(one.error)}});
  return list;
}

}  // namespace

report::FleetFound found_among(std::span<const Drive> drives) {
  const Fleet fleet = side_by_side(drives, false);
  report::FleetFound found;
  found.remarks.push_back(summary_of(fleet));
  for (const Group& group : fleet.groups) {
    found.remarks.push_back(heading_of(group));
    for (const Finding& finding : group.findings)
      found.standouts.push_back(
          {.drive = static_cast<std::size_t>(group.drives[finding.drive] - drives.data()),
           .figure = group.figures[finding.figure].path,
           .words = words_of(group, finding)});
    for (const Finding& finding : group.unresolved)
      found.remarks.push_back(unresolved_words(group, finding));
  }
  return found;
}

std::size_t outliers_in(const Fleet& fleet) {
  std::size_t outliers = 0;
  for (const Group& group : fleet.groups) outliers += group.outliers().size();
  return outliers;
}

std::size_t changed_in(const std::vector<Step>& steps) {
  std::size_t changed = 0;
  for (const Step& step : steps)
    changed += step.changes.measured.size() + step.changes.facts.size();
  return changed;
}

std::string words_of(const Group& group, const Finding& finding) {
  const Figure& figure = group.figures[finding.figure];
  const Figure::Value& value = figure.values[finding.drive];
  std::string text = fmt::format("{}: {} {}", finding.what, figure.path,
                                 with_unit(*value.value, figure.unit));
  if (value.error) text += fmt::format(" (error {:.2g})", *value.error);
  text += fmt::format(", the others' median {}", number(finding.typical));
  if (finding.fact) {
    text += fmt::format("; {} of {} others are so", finding.alike, finding.others);
  } else {
    text += fmt::format("; {:.1f} spreads, chance {:.1g}, {:.1g} among all looks",
                        std::abs(finding.in_spreads), finding.chance, finding.among_all);
  }
  return text;
}

std::string unresolved_words(const Group& group, const Finding& finding) {
  const Figure& figure = group.figures[finding.figure];
  return fmt::format("{}: {} {}, the others' median {}; they tell {:.2g} apart",
                     model::printable(group.drives[finding.drive]->name), figure.path,
                     with_unit(*figure.values[finding.drive].value, figure.unit),
                     number(finding.typical), finding.resolution);
}

std::string summary_of(const Fleet& fleet) {
  std::size_t drives = 0, products = 0, unknown = 0;
  for (const Group& group : fleet.groups) {
    (group.unknown ? unknown : drives) += group.drives.size();
    products += group.unknown ? 0 : 1;
  }
  return fmt::format(
      "{} of {}{}; {} by {} looks, whose chance of any false alarm is {:.0f} % at most",
      counted(drives, "drive"), counted(products, "product"),
      unknown == 0 ? ""
                   : fmt::format(", {} of products that are not told", counted(unknown, "drive")),
      counted(outliers_in(fleet), "outlier"), fleet.looks, 100 * kFalseAlarm);
}

std::string heading_of(const Group& group) {
  const std::string head = fmt::format("{}: {}, ", named(group),
                                       counted(group.drives.size(), "drive"));
  if (group.unknown)
    return head + "not compared, since their models do not say that they are of one product";
  if (group.too_few)
    return head + fmt::format("too few to tell outliers ({} are needed)", statistics::kFewestAlike);
  return head + counted(group.outliers().size(), "outlier");
}

std::string fleet_as_text(const Fleet& fleet, std::span<const LeftOut> left_out) {
  std::string text = summary_of(fleet) + "\n" + as_text(left_out);
  for (const Group& group : fleet.groups)
    text += fmt::format("\n{}\n{}{}{}", heading_of(group), outliers(group), unresolved(group),
                        table(group));
  return text;
}

std::string history_as_text(const std::vector<Step>& steps, std::span<const LeftOut> left_out) {
  std::string text = as_text(left_out);
  for (const Step& step : steps) {
    const Changes& changes = step.changes;
    text += fmt::format("{} -> {}: {} compared, {} changed by more than the errors explain, {}\n",
                        model::printable(step.from), model::printable(step.to),
                        counted(changes.looks, "figure"), changes.measured.size(),
                        counted(changes.facts.size(), "other") + " without a stated error");
    for (const Change& change : changes.measured) text += line_of(change);
    for (const Change& change : changes.facts) text += line_of(change);
    for (const Change& change : changes.unresolved) text += line_of(change);
  }
  return text;
}

Json fleet_as_json(const Fleet& fleet, std::span<const LeftOut> left_out) {
  Json groups = Json::array();
  for (const Group& group : fleet.groups) {
    Json drives = Json::array(), figures = Json::array(), qualities = Json::array();
    Json findings = Json::array(), unresolved = Json::array();
    for (const Drive* drive : group.drives) {
      drives.push_back(drive->name);
      qualities.push_back(quality_of(*drive));
    }
    for (const Figure& figure : group.figures) {
      Json values = Json::array(), errors = Json::array();
      for (const Figure::Value& value : figure.values)
        values.push_back(or_null(value.value)), errors.push_back(or_null(value.error));
      figures.push_back(
          {{"figure", figure.path}, {"unit", figure.unit}, {"values", values}, {"errors", errors}});
    }
    for (const Finding& finding : group.findings) findings.push_back(as_json(group, finding));
    for (const Finding& finding : group.unresolved) unresolved.push_back(as_json(group, finding));
    groups.push_back({{"vendor", group.vendor},
                      {"product", group.product},
                      {"revision", group.revision},
                      {"unknown", group.unknown},
                      {"too_few", group.too_few},
                      {"outliers", group.outliers().size()},
                      {"drives", drives},
                      {"qualities", qualities},
                      {"findings", findings},
                      {"unresolved", unresolved},
                      {"figures", figures}});
  }
  return {{"looks", fleet.looks},
          {"false_alarm", kFalseAlarm},
          {"outliers", outliers_in(fleet)},
          {"products", groups},
          {"left_out", as_json(left_out)}};
}

Json history_as_json(const std::vector<Step>& steps, std::span<const LeftOut> left_out) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json measured = Json::array(), facts = Json::array(), unresolved = Json::array();
    for (const Change& change : step.changes.measured) measured.push_back(as_json(change));
    for (const Change& change : step.changes.facts) facts.push_back(as_json(change));
    for (const Change& change : step.changes.unresolved) unresolved.push_back(as_json(change));
    list.push_back({{"from", step.from},
                    {"to", step.to},
                    {"looks", step.changes.looks},
                    {"measured", measured},
                    {"facts", facts},
                    {"unresolved", unresolved}});
  }
  return {{"false_alarm", kFalseAlarm}, {"steps", list}, {"left_out", as_json(left_out)}};
}

}  // namespace platter::fleet

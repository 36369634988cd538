#include "fleet/outliers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/interruption.h"

namespace platter::fleet {
namespace {

// A look at one drive in one figure, before it is known how many there are.
struct Look {
  std::size_t group;
  Finding finding;
};

std::string word_for(const Figure& figure, bool above) {
  const std::string& word = above ? figure.above : figure.below;
  return word.empty() ? figure.path + (above ? " high" : " low") : word;
}

// In the unit of the figure again.
double uncounted(const Figure& figure, double typical) {
  return figure.counted ? std::max(0.0, typical * typical / 4 - 0.375) : typical;
}

void look_at(const Group& group, std::size_t group_number, std::size_t figure_number,
             std::vector<Look>& looks) {
  const Figure& figure = group.figures[figure_number];
  std::vector<std::size_t> drives;
  std::vector<statistics::Estimate> values;
  std::vector<double> resolutions;
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    if (!figure.values[i].value) continue;
    drives.push_back(i);
    resolutions.push_back(figure.values[i].resolution);
    values.push_back(comparable(figure, figure.values[i]));
  }
  const std::vector<statistics::Standing> standings = statistics::standings(values, figure.side);
  const double most_tell = statistics::median(resolutions);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const statistics::Standing& standing = standings[i];
    const double off = values[i].value - standing.typical;
    Finding finding{.drive = drives[i],
                    .figure = figure_number,
                    .what = word_for(figure, off > 0),
                    .typical = uncounted(figure, standing.typical),
                    .in_spreads = standing.spread > 0 ? off / standing.spread : 0,
                    .others = standing.others,
                    .alike = standing.alike,
                    .chance = standing.chance,
                    .among_all = standing.chance,
                    .fact = standing.spread == 0,
                    .resolution = std::max(resolutions[i], most_tell)};
    looks.push_back({group_number, std::move(finding)});
  }
}

bool is_blank(const std::string& name) { return name.find_first_not_of(' ') == std::string::npos; }

std::vector<Group> groups_of(std::span<const Drive> drives, bool by_firmware) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const Drive& drive : drives) {
    const model::Identity& identity = drive.model.identity;
    const std::string revision = by_firmware ? identity.revision : std::string();
    Group& group = groups[{identity.vendor, identity.product, revision}];
    group.vendor = identity.vendor, group.product = identity.product, group.revision = revision;
    group.unknown = is_blank(identity.product);
    group.drives.push_back(&drive);
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

// Chances of measured figures become those among all; facts have none of noise.
void correct(std::vector<Look>& looks) {
  std::vector<double> chances;
  for (const Look& look : looks)
    if (!look.finding.fact) chances.push_back(look.finding.chance);
  const std::vector<double> among_all = statistics::chances_among_all(chances);
  std::size_t next = 0;
  for (Look& look : looks)
    if (!look.finding.fact) look.finding.among_all = among_all[next++];
}

bool is_resolved(const Group& group, const Finding& finding) {
  constexpr double kRounding = 1e-9;
  const double value = *group.figures[finding.figure].values[finding.drive].value;
  return std::abs(value - finding.typical) > finding.resolution * (1 + kRounding);
}

}  // namespace

std::vector<std::size_t> Group::outliers() const {
  std::vector<std::size_t> drives;
  for (const Finding& finding : findings)
    if (drives.empty() || drives.back() != finding.drive) drives.push_back(finding.drive);
  return drives;
}

Fleet side_by_side(std::span<const Drive> drives, bool by_firmware) {
  Fleet fleet{.groups = groups_of(drives, by_firmware)};
  std::vector<Look> looks;
  for (std::size_t i = 0; i < fleet.groups.size(); ++i) {
    Group& group = fleet.groups[i];
    group.figures = figures_of(group.drives);
    group.too_few = group.drives.size() < statistics::kFewestAlike;
    if (group.unknown) {
      std::erase_if(group.figures, [](const Figure& figure) { return figure.path == kZones; });
      continue;
    }
    for (std::size_t figure = 0; figure < group.figures.size(); ++figure) {
      stop_if_asked();
      look_at(group, i, figure, looks);
    }
  }
  correct(looks);
  fleet.looks = looks.size();
  for (Look& look : looks) {
    if (look.finding.among_all > kFalseAlarm) continue;
    Group& group = fleet.groups[look.group];
    (is_resolved(group, look.finding) ? group.findings : group.unresolved)
        .push_back(std::move(look.finding));
  }
  for (Group& group : fleet.groups)
    for (std::vector<Finding>* list : {&group.findings, &group.unresolved})
      std::ranges::sort(*list, {}, [](const Finding& finding) {
        return std::tuple(finding.drive, finding.among_all, finding.figure);
      });
  return fleet;
}

}  // namespace platter::fleet

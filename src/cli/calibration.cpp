#include "cli/calibration.h"

#include <algorithm>
#include <map>
#include <utility>

namespace platter::cli {
namespace {

const std::map<std::string, bool calibrate::Groups::*> kGroups = {
    {"rotation", &calibrate::Groups::rotation},
    {"angles", &calibrate::Groups::angles},
    {"hits", &calibrate::Groups::hits},
    {"positioning", &calibrate::Groups::positioning},
    {"cache", &calibrate::Groups::cache}};

}  // namespace

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const auto& [name, member] : kGroups) names.push_back(name);
  return names;
}

calibrate::Groups groups_named(const std::vector<std::string>& names) {
  calibrate::Groups groups;
  if (names.empty()) return groups;
  for (const auto& [name, member] : kGroups) groups.*member = std::ranges::count(names, name) > 0;
  return groups;
}

calibrate::Measurement halved(replay::Result drive, bool learn_first) {
  const std::size_t n = drive.requests.size(), half = n / 2;
  const calibrate::Range first{0, half}, second{half, n};
  return {std::move(drive), learn_first ? first : second, learn_first ? second : first};
}

}  // namespace platter::cli

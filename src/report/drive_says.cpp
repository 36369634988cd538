#include "report/drive_says.h"

#include <fmt/format.h>

#include <utility>

#include "model/zones.h"

namespace platter::report {
namespace {

std::string ranges_of(const model::Identity& drive) {
  std::vector<std::string> ranges;
  for (const model::PositioningRange& range : drive.positioning_ranges)
    ranges.push_back(fmt::format("LBN {} to {}", range.first, range.first + range.blocks - 1));
  return fmt::format("{} ({})", ranges.size(), fmt::join(ranges, ", "));
}

std::string timers_of(const model::Identity& drive) {
  std::vector<std::string> timers;
  for (const model::PowerTimer& timer : drive.power_timers)
    timers.push_back(
        fmt::format("{} after {:g} s", timer.condition, static_cast<double>(timer.after_ms) / 1e3));
  return fmt::format("{}", fmt::join(timers, ", "));
}

}  // namespace

std::vector<SaidByDrive> drive_says(const model::Identity& drive) {
  std::vector<SaidByDrive> said;
  const auto add = [&](const char* what, std::string says) {
    said.push_back({what, std::move(says)});
  };
  if (!drive.failure_predicted.empty()) add("warning", drive.failure_predicted);
  if (!drive.bridge.empty()) add("bridge", drive.bridge);
  if (drive.stated_blocks)
    add("stated",
        fmt::format("{} blocks, of which {} can be addressed", *drive.stated_blocks, drive.blocks));
  if (!drive.zone_runs.empty())
    add("zones", fmt::format("{}, {}", drive.zones, model::zones_in_words(drive)));
  else if (!drive.zones.empty())
    add("zones", drive.zones + ": shingled, its blocks may move");
  if (drive.trims) add("TRIM", "yes, of a drive that rotates: its blocks may move");
  if (drive.positioning_ranges.size() > 1) add("actuators", ranges_of(drive));
  if (drive.logical_units)
    add("logical units",
        fmt::format("{} at its address: of this drive, or of a dock", *drive.logical_units));
  if (drive.depopulated_elements.value_or(0) > 0)
    add("out of use", fmt::format("{} of its surfaces", *drive.depopulated_elements));
  if (!drive.power_timers.empty()) add("power timers", timers_of(drive));
  return said;
}

}  // namespace platter::report

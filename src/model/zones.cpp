#include "model/zones.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace platter::model {
namespace {

void append_range(std::vector<LbnRange>& ranges, std::uint64_t first, std::uint64_t end) {
  if (first == end) return;
  if (!ranges.empty() && ranges.back().last + 1 == first)
    ranges.back().last = end - 1;
  else
    ranges.push_back({first, end - 1});
}

}  // namespace

std::uint64_t written_in(const ZoneRun& run) {
  if (run.condition == "not-write-pointer" || run.condition == "full") return run.blocks;
  if (run.condition == "read-only" || run.condition == "offline") return 0;
  return run.written;
}

void append_zone(std::vector<ZoneRun>& runs, const ZoneRun& zone) {
  if (!runs.empty()) {
    ZoneRun next = runs.back();
    next.first_lbn += next.zones * next.blocks;
    next.zones = 1;
    if (next == zone) {
      ++runs.back().zones;
      return;
    }
  }
  runs.push_back(zone);
}

std::vector<LbnRange> unwritten_in_zones(const Identity& drive) {
  std::vector<LbnRange> ranges;
  for (const ZoneRun& run : drive.zone_runs) {
    const std::uint64_t written = written_in(run);
    if (written == 0) append_range(ranges, run.first_lbn, run.first_lbn + run.zones * run.blocks);
    for (std::uint64_t i = 0; written > 0 && written < run.blocks && i < run.zones; ++i)
      append_range(ranges, run.first_lbn + i * run.blocks + written,
                   run.first_lbn + (i + 1) * run.blocks);
  }
  return ranges;
}

std::vector<LbnRange> sequential_zones(const Identity& drive) {
  std::vector<LbnRange> ranges;
  for (const ZoneRun& run : drive.zone_runs)
    if (run.type != kZoneTypes[0])
      append_range(ranges, run.first_lbn, run.first_lbn + run.zones * run.blocks);
  return ranges;
}

bool crosses_zones(const std::vector<ZoneRun>& runs, std::uint64_t lbn, std::uint64_t blocks) {
  const auto behind = std::ranges::upper_bound(runs, lbn, {}, &ZoneRun::first_lbn);
  if (behind == runs.begin()) return false;
  const ZoneRun& run = *std::prev(behind);
  const bool in_any_order = run.type == kZoneTypes[0];
  const std::uint64_t zones = in_any_order ? run.zones : (lbn - run.first_lbn) / run.blocks + 1;
  return lbn + blocks > run.first_lbn + zones * run.blocks;
}

double unwritten_share(const Identity& drive) {
  std::uint64_t blocks = 0;
  for (const LbnRange& range : unwritten_in_zones(drive)) blocks += range.last - range.first + 1;
  return drive.blocks == 0 ? 0 : static_cast<double>(blocks) / static_cast<double>(drive.blocks);
}

std::string zones_in_words(const Identity& drive) {
  std::uint64_t zones = 0, longest = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> by_type;
  for (const ZoneRun& run : drive.zone_runs) {
    zones += run.zones;
    longest = std::max(longest, run.blocks);
    by_type[run.type][run.condition] += run.zones;
  }
  std::vector<std::string> types;
  for (const auto& [type, conditions] : by_type) {
    std::uint64_t all = 0;
    std::vector<std::string> parts;
    for (const auto& [condition, count] : conditions) {
      all += count;
      if (condition != kZoneConditions[0]) parts.push_back(fmt::format("{} {}", count, condition));
    }
    types.push_back(fmt::format("{} {}", all, type));
    if (!parts.empty()) types.back() += fmt::format(" ({})", fmt::join(parts, ", "));
  }
  return fmt::format(
      "{} of {} blocks: {}{}", zones, longest, fmt::join(types, "; "),
      drive.most_open_zones ? fmt::format("; at most {} open", *drive.most_open_zones) : "");
}

}  // namespace platter::model

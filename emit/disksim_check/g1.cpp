#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "emit/disksim_check/findings.h"
#include "emit/disksim_check/g1_walk.h"

namespace platter::emit_disksim_check {
namespace {

constexpr const char *kLoad = "layout_g1_load.c, dm_layout_g1_loadparams",
                     *kMap = "layout_g1.c, dm_translate_ltop";

constexpr std::int64_t kFarMore = std::int64_t{1} << 40;  // than DiskSim holds

// Without overflow.
std::int64_t product(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  constexpr auto kMost = static_cast<double>(kFarMore);
  const double exact = static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  return static_cast<std::int64_t>(std::clamp(exact, -kMost, kMost));
}

std::int64_t cylinders_of(const G1Zone& zone) { return zone.last - zone.first + 1; }

// dm_layout_g1_compute_blksinband().
std::int64_t blocks_of(const G1Zone& zone, std::int64_t scheme, std::int64_t range,
                       std::int64_t surfaces) {
  const std::int64_t slots = product(cylinders_of(zone), zone.sectors, surfaces) - zone.dead;
  const auto slips = static_cast<std::int64_t>(zone.slips.size());
  switch (scheme) {
    case kTracks:
      return slots - product(zone.spares, zone.sectors);
    case kPerTrack:
      return slots - product(zone.spares, cylinders_of(zone), surfaces);
    case kAtEnd:
      return slots - slips;
    case kZone:
      return slots - zone.spares;
    case kZoneToEnd:
      return slots - zone.spares - slips;
    case kRange:
      return slots - product(zone.spares, cylinders_of(zone) / std::max<std::int64_t>(range, 1));
    case kCylinderToEnd:
    case kCylinderFrontToEnd:
      return slots - product(zone.spares, cylinders_of(zone)) - slips;
    default:
      return slots - product(zone.spares, cylinders_of(zone));
  }
}

void check_units(const Values& values, Findings& findings) {
  const std::string units = values.text("Skew units");
  if (!units.empty() && units != "revolutions" && units != "sectors")
    findings.add(Effect::stops, values.where("Skew units"),
                 fmt::format("there are no \"Skew units\" {}", units), "dm_layout_g1.modspec");
}

// DiskSim says so and drops the list, but has counted what came in front.
void check_numbers(const Values& zone, const char* name, Findings& findings) {
  const std::vector<Value>& list = zone.list(name);
  const auto bad = std::ranges::find_if(
      list, [](const Value& value) { return whole(value).value_or(-1) < 0; });
  if (bad != list.end())
    findings.add(bad == list.begin() ? Effect::otherwise : Effect::stops, bad->where,
                 fmt::format("{} in \"{}\" is no whole number from 0 on: DiskSim drops the list",
                             to_text(*bad), name),
                 "layout_g1_load.c, getslips");
}

void check_slips(const Values& zone, std::int64_t slots, Findings& findings) {
  const std::vector<Value>& slips = zone.list("slips");
  check_numbers(zone, "slips", findings);
  for (const Value& slip : slips) {
    const std::int64_t place = whole(slip).value_or(-1);
    if (place < 0) return;
    if (place >= slots)
      return findings.add(
          Effect::otherwise, slip.where,
          fmt::format("the slip {} is outside of the zone's {} places", place, slots), kMap);
  }
  // 0.3 us of processor time for a slip and a request (measured, gcc -O1).
  constexpr std::size_t kMost = 5000;
  if (slips.size() > kMost)
    findings.add(
        Effect::never_answers, zone.where("slips"),
        fmt::format("the zone has {} slips, and DiskSim looks through them several times a "
                    "request; with more than {} a request takes milliseconds of processor "
                    "time",
                    slips.size(), kMost),
        kMap);
}

// Pairs of a defect and its replacement.
void check_defects(const Values& zone, Findings& findings) {
  const std::vector<Value>& defects = zone.list("defects");
  if (defects.empty()) return;
  check_numbers(zone, "defects", findings);
  if (defects.size() % 2 != 0)
    findings.add(Effect::stops, zone.where("defects"),
                 "\"defects\" must be pairs of a defect and its replacement",
                 "layout_g1_load.c, getdefects");
}

std::vector<std::int64_t> numbers_of(const std::vector<Value>& list) {
  std::vector<std::int64_t> numbers;
  for (const Value& value : list) {
    const std::optional<std::int64_t> number = whole(value);
    if (!number || *number < 0) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

// Of one zone, but for its place among the others.
G1Zone check_zone(const Values& zone, std::int64_t scheme, std::int64_t surfaces,
                  Findings& findings) {
  G1Zone found{.first = zone.integer("First cylinder number"),
               .last = zone.integer("Last cylinder number"),
               .sectors = zone.integer("Blocks per track"),
               .spares = zone.integer("Number of spares"),
               .dead = zone.integer("Empty space at zone front"),
               .slips = numbers_of(zone.list("slips"))};
  const std::vector<std::int64_t> defects = numbers_of(zone.list("defects"));
  for (std::size_t i = 0; i + 2 <= defects.size(); i += 2)
    found.defects.emplace_back(defects[i], defects[i + 1]);
  const std::size_t lost = found.slips.size() + found.defects.size();
  if (found.sectors < 1)
    findings.add(
        found.sectors == 0 ? Effect::stops : Effect::otherwise, zone.where("Blocks per track"),
        fmt::format("\"Blocks per track\" = {}", found.sectors), "dm_layout_g1_zone.modspec");
  if (found.first < 0 || cylinders_of(found) < 1)
    findings.add(Effect::otherwise, zone.where("First cylinder number"),
                 fmt::format("cylinders {} to {} are no zone", found.first, found.last), kLoad);
  if (found.spares < 0 || found.dead < 0)
    findings.add(Effect::otherwise,
                 zone.where(found.spares < 0 ? "Number of spares" : "Empty space at zone front"),
                 "a zone has fewer than no spares, or less than no space at its front", kLoad);
  if (scheme == kTracks && static_cast<std::int64_t>(lost) > found.spares)
    findings.add(
        Effect::stops, zone.where("Number of spares"),
        fmt::format("the zone has {} spare tracks for {} slips and defects", found.spares, lost),
        "layout_g1_load.c, dm_layout_g1_initialize");
  check_units(zone, findings);
  check_slips(zone, product(cylinders_of(found), found.sectors, surfaces), findings);
  check_defects(zone, findings);
  return found;
}

void check_places(const Value& value, const G1Zone& zone,
                  std::map<std::int64_t, std::int64_t>& taken, Findings& findings) {
  if (cylinders_of(zone) < 1) return;
  const auto next = taken.upper_bound(zone.last);
  if (next != taken.begin() && std::prev(next)->second >= zone.first)
    findings.add(Effect::stops, value.where,
                 fmt::format("cylinders {} to {} are in another zone too", zone.first, zone.last),
                 "disksim_diskctlr.c, disk_buffer_seekdone");
  taken[zone.first] = std::max(taken[zone.first], zone.last);
}

// Slips that stand in another order than their numbers', where that puts a block elsewhere, or
// where they are too many to tell.
void check_order(const G1Drive& drive, const Where& where, Findings& findings) {
  constexpr std::int64_t kMostCost = 1'000'000'000;  // a second or two
  std::int64_t cost = 0;
  const bool moved = std::ranges::any_of(drive.zones, [&](const G1Zone& zone) {
    return !std::ranges::is_sorted(zone.slips) &&
           ((cost += cost_of_order(zone)) > kMostCost || is_moved_by_order(zone, drive));
  });
  if (moved)
    findings.add(Effect::otherwise, where,
                 "slips do not stand in order, and DiskSim, which needs them in order, puts blocks "
                 "elsewhere",
                 kMap);
}

// What requests meet, or any block.
void check_places_of_blocks(const G1Drive& drive, const Where& where, Findings& findings) {
  check_order(drive, where, findings);
  std::map<std::string, std::vector<BadBlocks>> by_reason;
  for (BadBlocks& bad : walk_g1(drive)) by_reason[bad.why].push_back(bad);
  for (const auto& [why, bad] : by_reason) {
    std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
    for (const BadBlocks& one : bad) blocks.emplace_back(one.first, one.last);
    findings.add_at_blocks(blocks, where, why,
                           "disksim_diskctlr.c, disk_buffer_sector_done (fpcheck)");
  }
}

}  // namespace

std::int64_t check_g1(const Block& block, std::int64_t surfaces, std::int64_t cylinders,
                      Findings& findings) {
  const Values layout(block);
  const std::int64_t mapping = layout.integer("LBN-to-PBN mapping scheme"),
                     scheme = layout.integer("Sparing scheme used"),
                     range = layout.integer("Rangesize for sparing");
  if (mapping < 0 || mapping > 2)
    findings.add(Effect::stops, layout.where("LBN-to-PBN mapping scheme"),
                 fmt::format("\"LBN-to-PBN mapping scheme\" = {} is none of 0 to 2", mapping),
                 kLoad);
  if (scheme < kTracks || scheme > kZoneToEnd)
    findings.add(Effect::stops, layout.where("Sparing scheme used"),
                 scheme == 0 ? "\"Sparing scheme used\" = 0 is in no count of blocks"
                             : fmt::format("\"Sparing scheme used\" = {} is none of 1 to {}",
                                           scheme, static_cast<std::int64_t>(kZoneToEnd)),
                 "layout_g1_load.c, dm_layout_g1_compute_blksinband");
  if (scheme == kRange && range < 1)
    findings.add(Effect::stops, layout.where("Rangesize for sparing"),
                 fmt::format("\"Rangesize for sparing\" = {}", range),
                 "layout_g1_load.c, dm_layout_g1_compute_blksinband");
  check_units(layout, findings);
  const std::vector<Value>& zones = layout.list("Zones");
  std::int64_t blocks = 0;
  std::map<std::int64_t, std::int64_t> taken;
  G1Drive drive{scheme, range, surfaces, cylinders, {}};
  bool whole_zones = surfaces > 0 && scheme >= kTracks && scheme <= kZoneToEnd && range > 0;
  for (const Value& value : zones) {
    const auto* const inner = std::get_if<std::shared_ptr<const Block>>(&value.data);
    if (!inner) {
      findings.add(Effect::stops, value.where, "\"Zones\" holds something else than zones",
                   "layout_g1_load.c, disk_load_zones");
      continue;
    }
    G1Zone zone = check_zone(Values(**inner), scheme, surfaces, findings);
    check_places(value, zone, taken, findings);
    const std::int64_t of_zone = blocks_of(zone, scheme, range, surfaces);
    if (of_zone < 1)
      findings.add(Effect::otherwise, value.where,
                   fmt::format("the zone has {} blocks by its sectors and spares", of_zone), kLoad);
    blocks += std::clamp(of_zone, -kFarMore, kFarMore);
    zone.blocks = of_zone;
    whole_zones = whole_zones && zone.sectors > 0 && cylinders_of(zone) > 0 && zone.first >= 0 &&
                  of_zone <= product(cylinders_of(zone), zone.sectors, surfaces);
    drive.zones.push_back(std::move(zone));
  }
  const std::int64_t most = emit_disksim::most_counted(findings.program());
  if (blocks < 1 || blocks >= most)
    findings.add(Effect::stops, layout.where("Zones"),
                 fmt::format("the zones have {} blocks, and DiskSim holds 1 to {}", blocks,
                             findings.program() == Program::wd64 ? "2^62" : "2^31 - 1"),
                 "layout_g1_load.c, checknumblocks");
  else if (whole_zones)
    check_places_of_blocks(drive, layout.where("Zones"), findings);
  return blocks;
}

}  // namespace platter::emit_disksim_check

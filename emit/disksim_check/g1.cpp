#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

constexpr const char *kLoad = "layout_g1_load.c, dm_layout_g1_loadparams",
                     *kMap = "layout_g1.c, dm_translate_ltop";

enum Scheme : std::int64_t {
  kTracks = 1,
  kPerTrack = 3,
  kCylinderToEnd = 4,
  kCylinderFrontToEnd = 6,
  kAtEnd = 7,
  kRange = 8,
  kZone = 9,
  kZoneToEnd = 10
};

struct G1ZoneOfFile {
  std::int64_t first = 0, last = 0, sectors = 0, spares = 0, dead = 0, slips = 0;
  std::int64_t cylinders() const { return last - first + 1; }
};

constexpr std::int64_t kFarMore = std::int64_t{1} << 40;  // than DiskSim holds

// Without overflow.
std::int64_t product(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  constexpr auto kMost = static_cast<double>(kFarMore);
  const double exact = static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  return static_cast<std::int64_t>(std::clamp(exact, -kMost, kMost));
}

// dm_layout_g1_compute_blksinband().
std::int64_t blocks_of(const G1ZoneOfFile& zone, std::int64_t scheme, std::int64_t range,
                       std::int64_t surfaces) {
  const std::int64_t slots = product(zone.cylinders(), zone.sectors, surfaces) - zone.dead;
  switch (scheme) {
    case kTracks:
      return slots - product(zone.spares, zone.sectors);
    case kPerTrack:
      return slots - product(zone.spares, zone.cylinders(), surfaces);
    case kAtEnd:
      return slots - zone.slips;
    case kZone:
      return slots - zone.spares;
    case kZoneToEnd:
      return slots - zone.spares - zone.slips;
    case kRange:
      return slots - product(zone.spares, zone.cylinders() / std::max<std::int64_t>(range, 1));
    case kCylinderToEnd:
    case kCylinderFrontToEnd:
      return slots - product(zone.spares, zone.cylinders()) - zone.slips;
    default:
      return slots - product(zone.spares, zone.cylinders());
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
  std::int64_t before = -1;
  for (const Value& slip : slips) {
    const std::int64_t place = whole(slip).value_or(-1);
    if (place < 0) return;
    if (place <= before)
      return findings.add(
          Effect::otherwise, slip.where,
          fmt::format("the slip {} stands behind {}: DiskSim needs them in order", place, before),
          kMap);
    if (place >= slots)
      return findings.add(
          Effect::otherwise, slip.where,
          fmt::format("the slip {} is outside of the zone's {} places", place, slots), kMap);
    before = place;
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

// Whole tracks (scheme 1) are no remapped blocks to DiskSim.
void check_defects(const Values& zone, std::int64_t scheme, Findings& findings) {
  const std::vector<Value>& defects = zone.list("defects");
  if (defects.empty()) return;
  check_numbers(zone, "defects", findings);
  if (defects.size() % 2 != 0)
    return findings.add(Effect::stops, zone.where("defects"),
                        "\"defects\" must be pairs of a defect and its replacement",
                        "layout_g1_load.c, getdefects");
  if (scheme == kTracks) return;
  findings.add(Effect::stops, zone.where("defects"),
               "the zone has remapped blocks, and DiskSim stops where it reads one",
               "disksim_diskctlr.c, disk_buffer_sector_done (fpcheck)");
}

// Of one zone, but for its place among the others.
G1ZoneOfFile check_zone(const Values& zone, std::int64_t scheme, std::int64_t surfaces,
                        bool last_zone, Findings& findings) {
  const G1ZoneOfFile found{.first = zone.integer("First cylinder number"),
                           .last = zone.integer("Last cylinder number"),
                           .sectors = zone.integer("Blocks per track"),
                           .spares = zone.integer("Number of spares"),
                           .dead = zone.integer("Empty space at zone front"),
                           .slips = static_cast<std::int64_t>(zone.list("slips").size())};
  const auto defects = static_cast<std::int64_t>(zone.list("defects").size()) / 2;
  if (found.sectors < 1)
    findings.add(
        found.sectors == 0 ? Effect::stops : Effect::otherwise, zone.where("Blocks per track"),
        fmt::format("\"Blocks per track\" = {}", found.sectors), "dm_layout_g1_zone.modspec");
  if (found.first < 0 || found.cylinders() < 1)
    findings.add(Effect::otherwise, zone.where("First cylinder number"),
                 fmt::format("cylinders {} to {} are no zone", found.first, found.last), kLoad);
  if (found.spares < 0 || found.dead < 0)
    findings.add(Effect::otherwise,
                 zone.where(found.spares < 0 ? "Number of spares" : "Empty space at zone front"),
                 "a zone has fewer than no spares, or less than no space at its front", kLoad);
  if (scheme == kTracks && found.slips + defects > found.spares)
    findings.add(Effect::stops, zone.where("Number of spares"),
                 fmt::format("the zone has {} spare tracks for {} slips and defects", found.spares,
                             found.slips + defects),
                 "layout_g1_load.c, dm_layout_g1_initialize");
  if (scheme == kZone && found.slips > found.spares)
    findings.add(last_zone ? Effect::stops : Effect::otherwise, zone.where("Number of spares"),
                 fmt::format("the zone has {} spares for {} slips: its last blocks lie behind it",
                             found.spares, found.slips),
                 "layout_g1.c, find_band_pbn");
  check_units(zone, findings);
  check_slips(zone, product(found.cylinders(), found.sectors, surfaces), findings);
  check_defects(zone, scheme, findings);
  return found;
}

void check_places(const Value& value, const G1ZoneOfFile& zone, std::int64_t cylinders,
                  std::map<std::int64_t, std::int64_t>& taken, Findings& findings) {
  if (zone.last >= cylinders)
    findings.add(Effect::stops, value.where,
                 fmt::format("the zone ends with cylinder {}, and \"Number of cylinders\" is {}",
                             zone.last, cylinders),
                 "layout_g1.c, g1_ptol_*");
  if (zone.cylinders() < 1) return;
  const auto next = taken.upper_bound(zone.last);
  if (next != taken.begin() && std::prev(next)->second >= zone.first)
    findings.add(Effect::stops, value.where,
                 fmt::format("cylinders {} to {} are in another zone too", zone.first, zone.last),
                 "disksim_diskctlr.c, disk_buffer_seekdone");
  taken[zone.first] = std::max(taken[zone.first], zone.last);
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
  for (const Value& value : zones) {
    const auto* const inner = std::get_if<std::shared_ptr<const Block>>(&value.data);
    if (!inner) {
      findings.add(Effect::stops, value.where, "\"Zones\" holds something else than zones",
                   "layout_g1_load.c, disk_load_zones");
      continue;
    }
    const G1ZoneOfFile zone = check_zone(Values(**inner), scheme, surfaces, &value == &zones.back(),
                                         findings);
    check_places(value, zone, cylinders, taken, findings);
    const std::int64_t of_zone = blocks_of(zone, scheme, range, surfaces);
    if (of_zone < 1)
      findings.add(Effect::otherwise, value.where,
                   fmt::format("the zone has {} blocks by its sectors and spares", of_zone), kLoad);
    blocks += std::clamp(of_zone, -kFarMore, kFarMore);
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (blocks < 1 || blocks >= kMost)
    findings.add(Effect::stops, layout.where("Zones"),
                 fmt::format("the zones have {} blocks, and DiskSim holds 1 to 2^31 - 1", blocks),
                 "layout_g1_load.c, checknumblocks");
  return blocks;
}

}  // namespace platter::emit_disksim_check

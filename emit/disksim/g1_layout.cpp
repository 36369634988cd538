#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "emit/disksim/block_places.h"
#include "emit/disksim/import_parts.h"
#include "emit/disksim/no_place.h"
#include "emit/disksim/track_runs.h"

namespace platter::emit_disksim {
namespace {

constexpr std::int64_t kMostSlots = std::int64_t{1} << 31;  // DiskSim counts sectors in a signed
                                                            // int
constexpr std::int64_t kMostSpareUnits = std::int64_t{1} << 22;  // of all zones together
constexpr std::int64_t kMostSlippedSectors = std::int64_t{1} << 24;
constexpr std::size_t kMostPieces = std::size_t{1} << 18;  // of a zone, each with another turn

enum class Mapping : std::int64_t {
  straight = 0,
  serpentine_from_zone = 1,
  serpentine_from_disk = 2
};

enum class Sparing : std::int64_t {
  none = 0,
  tracks_per_zone = 1,
  per_cylinder = 2,
  per_track = 3,
  per_cylinder_slip_to_end = 4,
  per_cylinder_in_front = 5,
  per_cylinder_in_front_slip_to_end = 6,
  at_end = 7,
  per_range = 8,
  per_zone = 9,
  per_zone_slip_to_end = 10,
};

struct Scheme {
  Mapping mapping;
  Sparing sparing;
  std::int64_t range_cylinders;
  bool skews_in_revolutions;
  std::int64_t heads;

  bool per_cylinder() const {
    return sparing == Sparing::per_cylinder || sparing == Sparing::per_cylinder_slip_to_end ||
           sparing == Sparing::per_cylinder_in_front ||
           sparing == Sparing::per_cylinder_in_front_slip_to_end;
  }
  bool spares_in_front() const {
    return sparing == Sparing::per_cylinder_in_front ||
           sparing == Sparing::per_cylinder_in_front_slip_to_end;
  }
  bool slips_to_end() const {
    return sparing == Sparing::per_cylinder_slip_to_end ||
           sparing == Sparing::per_cylinder_in_front_slip_to_end || sparing == Sparing::at_end;
  }
};

// Sector numbers within a zone count from its first sector, in the order of its tracks.
struct Zone {
  Where where;
  std::int64_t first_cylinder, last_cylinder, sectors, dead, spares;
  double offset_rev, track_skew_rev, cylinder_skew_rev;
  bool sorted;                      // whether the file has the slips in ascending order
  std::vector<std::int64_t> slips;  // ascending sector numbers; track numbers for tracks_per_zone
  std::vector<std::pair<std::int64_t, std::int64_t>> defects;  // (defect, its replacement)

  std::int64_t cylinders() const { return last_cylinder - first_cylinder + 1; }
};

// ---------------------------------------------------------------- reading a zone

std::vector<std::int64_t> whole_numbers(const std::vector<Value>& list) {
  std::vector<std::int64_t> numbers;
  for (const Value& value : list) {
    numbers.push_back(integer_of(value));
    if (numbers.back() < 0) fail_at(value.where, "slips and defects must not be negative");
  }
  return numbers;
}

Zone read_zone(const Block& block, const Scheme& scheme, std::vector<std::string>& notes) {
  BlockReader reader(block);
  if (block.type != "dm_layout_g1_zone") {
    fail_at(block.where, fmt::format("a dm_layout_g1_zone is needed, not {}", block.type));
  }
  Zone zone{};
  zone.where = block.where;
  zone.first_cylinder = reader.integer("First cylinder number", 0, kMostCylinders);
  zone.last_cylinder = reader.integer("Last cylinder number", zone.first_cylinder, kMostCylinders);
  zone.sectors = reader.integer("Blocks per track", 1, 1 << 20);
  if (zone.cylinders() * scheme.heads * zone.sectors >= kMostSlots) {
    fail_at(block.where, "the zone has more sectors than DiskSim can count");
  }
  const std::int64_t all = zone.cylinders() * scheme.heads * zone.sectors;
  zone.dead = reader.integer("Empty space at zone front", 0, all);
  zone.spares = reader.integer("Number of spares", 0, all);
  bool revolutions = scheme.skews_in_revolutions;
  if (reader.has("Skew units")) revolutions = reader.text("Skew units") == "revolutions";
  const auto angle = [&](const char* name) {  // in sectors only whole ones count, as in DiskSim
    const double number = reader.real(name);
    if (!(std::fabs(number) <= 1e9))
      fail_at(reader.where(name), fmt::format("\"{}\" is too large", name));
    return fraction(revolutions ? number : std::trunc(number) / static_cast<double>(zone.sectors));
  };
  zone.offset_rev = angle("Offset of first block");
  zone.track_skew_rev = angle("Skew for track switch");
  zone.cylinder_skew_rev = angle("Skew for cylinder switch");
  zone.slips = whole_numbers(reader.list("slips"));
  zone.sorted = std::is_sorted(zone.slips.begin(), zone.slips.end());
  std::sort(zone.slips.begin(), zone.slips.end());
  const std::int64_t units = scheme.sparing == Sparing::tracks_per_zone ? all / zone.sectors : all;
  if (!zone.slips.empty() && zone.slips.back() >= units) {
    fail_at(reader.where("slips"),
            fmt::format("the slip {} lies outside its zone", zone.slips.back()));
  }
  const std::vector<std::int64_t> defects = whole_numbers(reader.list("defects"));
  note_unknown(reader, notes);
  if (defects.size() % 2 != 0) fail_at(reader.where("defects"), "defects must be pairs of numbers");
  for (std::size_t i = 0; i < defects.size(); i += 2)
    zone.defects.emplace_back(defects[i], defects[i + 1]);
  return zone;
}

// ---------------------------------------------------------------- which sectors hold blocks

// All sectors of [first, end) but the slips, as runs; `slips` is ascending, `at` the first of them
// that may lie here.
void append_good(std::int64_t first, std::int64_t end, const std::vector<std::int64_t>& slips,
                 std::size_t& at, std::vector<Run>& runs) {
  while (at < slips.size() && slips[at] < first) ++at;
  for (; at < slips.size() && slips[at] < end; ++at) {
    if (slips[at] > first) runs.push_back({first, slips[at] - first});
    first = std::max(first, slips[at] + 1);
  }
  if (end > first) runs.push_back({first, end - first});
}

std::int64_t length_of(const std::vector<Run>& runs, std::size_t from = 0) {
  std::int64_t total = 0;
  for (; from < runs.size(); ++from) total += runs[from].length;
  return total;
}

void keep_first(std::vector<Run>& runs, std::size_t from, std::int64_t length) {
  while (from < runs.size() && length > 0) {
    runs[from].length = std::min(runs[from].length, length);
    length -= runs[from++].length;
  }
  runs.resize(from);
}

void drop_first(std::vector<Run>& runs, std::size_t from, std::int64_t length) {
  std::size_t emptied = from;
  while (emptied < runs.size() && runs[emptied].length <= length) length -= runs[emptied++].length;
  if (emptied < runs.size()) {
    runs[emptied].first += length;
    runs[emptied].length -= length;
  }
  runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(from),
             runs.begin() + static_cast<std::ptrdiff_t>(emptied));
}

std::vector<std::int64_t> sectors_of_slipped_tracks(const Zone& zone) {
  if (static_cast<std::int64_t>(zone.slips.size()) > kMostSlippedSectors / zone.sectors)
    fail_at(zone.where, "the zone slips too many tracks");
  std::vector<std::int64_t> sectors;
  for (const std::int64_t track : zone.slips) {
    for (std::int64_t i = 0; i < zone.sectors; ++i) sectors.push_back(track * zone.sectors + i);
  }
  return sectors;
}

// Each unit (track, cylinder, range or zone) has its own spares; a slip uses up one of its unit.
std::vector<Run> runs_with_spares_per_unit(const Zone& zone, const Scheme& scheme,
                                           std::int64_t unit, std::int64_t spares,
                                           bool spares_in_last) {
  const std::int64_t all = zone.cylinders() * scheme.heads * zone.sectors;
  if (spares > unit) fail_at(zone.where, "\"Number of spares\" is more than there are sectors");
  const std::vector<std::int64_t> slips = scheme.sparing == Sparing::tracks_per_zone
                                              ? sectors_of_slipped_tracks(zone)
                                              : zone.slips;
  std::vector<Run> runs;
  std::size_t slip = 0;
  for (std::int64_t first = 0; first < all; first += unit) {
    const std::int64_t end = std::min(first + unit, all);
    const bool whole = end - first == unit;
    const std::int64_t wanted = end - first - (whole || spares_in_last ? spares : 0);
    const std::size_t from = runs.size();
    append_good(first, end, slips, slip, runs);
    const std::int64_t spare = length_of(runs, from) - wanted;
    if (spare < 0 && whole) fail_at(zone.where, "the zone has more slips than spares");
    if (spare < 0) continue;
    if (scheme.spares_in_front()) {
      drop_first(runs, from, spare);
    } else {
      keep_first(runs, from, wanted);
    }
  }
  return runs;
}

// The sectors of each cylinder but its spares follow on each other; a slip moves all blocks behind
// it, and one among the spares still costs a block at the end.
std::vector<Run> runs_with_slips_to_end(const Zone& zone, const Scheme& scheme) {
  const std::int64_t cylinder = scheme.heads * zone.sectors;
  const std::int64_t usable = cylinder - zone.spares;
  if (usable <= 0) fail_at(zone.where, "\"Number of spares\" leaves no sector of a cylinder");
  const std::int64_t front = scheme.spares_in_front() ? zone.spares : 0;
  std::vector<std::int64_t> holes;  // among the usable sectors, numbered through
  for (const std::int64_t slip : zone.slips) {
    const std::int64_t within = slip % cylinder - front;
    if (within >= 0 && within < usable) holes.push_back(slip / cylinder * usable + within);
  }
  std::vector<Run> numbered;
  std::size_t hole = 0;
  append_good(0, zone.cylinders() * usable, holes, hole, numbered);
  keep_first(numbered, 0, zone.cylinders() * usable - static_cast<std::int64_t>(zone.slips.size()));
  if (zone.spares == 0) return numbered;
  std::vector<Run> runs;
  for (Run run : numbered) {
    while (run.length > 0) {
      const std::int64_t within = run.first % usable;
      const std::int64_t length = std::min(run.length, usable - within);
      runs.push_back({run.first / usable * cylinder + front + within, length});
      run.first += length;
      run.length -= length;
    }
  }
  return runs;
}

// The stretches that are counted one by one.
std::int64_t units_of(const Zone& zone, const Scheme& scheme) {
  if (scheme.sparing == Sparing::per_track) return zone.cylinders() * scheme.heads;
  if (scheme.per_cylinder() || scheme.sparing == Sparing::at_end) return zone.cylinders();
  if (scheme.sparing == Sparing::per_range) return zone.cylinders() / scheme.range_cylinders + 1;
  return 1;
}

std::vector<Run> runs_of(const Zone& zone, const Scheme& scheme) {
  const std::int64_t cylinder = scheme.heads * zone.sectors, all = zone.cylinders() * cylinder;
  switch (scheme.sparing) {
    case Sparing::none:
      return runs_with_spares_per_unit(zone, scheme, all, 0, true);
    case Sparing::tracks_per_zone:
      return runs_with_spares_per_unit(zone, scheme, all, zone.spares * zone.sectors, true);
    case Sparing::per_track:
      return runs_with_spares_per_unit(zone, scheme, zone.sectors, zone.spares, true);
    case Sparing::per_cylinder:
    case Sparing::per_cylinder_in_front:
      return runs_with_spares_per_unit(zone, scheme, cylinder, zone.spares, true);
    case Sparing::per_cylinder_slip_to_end:
    case Sparing::per_cylinder_in_front_slip_to_end:
    case Sparing::at_end:
      return runs_with_slips_to_end(zone, scheme);
    case Sparing::per_range:  // the cylinders that make no whole range have no spares
      return runs_with_spares_per_unit(zone, scheme, cylinder * scheme.range_cylinders, zone.spares,
                                       false);
    case Sparing::per_zone:
      return runs_with_spares_per_unit(zone, scheme, all, zone.spares, true);
    case Sparing::per_zone_slip_to_end: {
      // The slips come on top of the spares: as many sectors fewer hold blocks.
      const auto slips = static_cast<std::int64_t>(zone.slips.size());
      return runs_with_spares_per_unit(zone, scheme, all, zone.spares + slips, true);
    }
  }
  fail_at(zone.where, "unknown sparing scheme");
}

// ---------------------------------------------------------------- where the tracks are

class ZoneGeometry {
 public:
  ZoneGeometry(const Zone& zone, const Scheme& scheme)
      : zone_(zone),
        scheme_(scheme),
        cylinder_step_rev_(fraction(static_cast<double>(scheme.heads - 1) * zone.track_skew_rev +
                                    zone.cylinder_skew_rev)) {}

  model::LayoutNode node() const {
    std::vector<model::LayoutNode> pieces;
    std::int64_t from = 0;
    while (from < zone_.cylinders()) {
      if (pieces.size() > kMostPieces)
        fail_at(zone_.where, "the zone's slips turn too many of its cylinders");
      const std::int64_t end = end_of_equal_slips(from);
      if (end > from) {
        append_cylinders(from, end, pieces);
        from = end;
      } else {
        pieces.push_back(mixed_cylinder(from++));
      }
    }
    if (pieces.size() == 1) {
      pieces[0].cylinder += static_cast<std::int32_t>(zone_.first_cylinder);
      pieces[0].angle_rev = fraction(pieces[0].angle_rev + zone_.offset_rev);
      return pieces[0];
    }
    model::LayoutNode zone;
    zone.cylinder = static_cast<std::int32_t>(zone_.first_cylinder);
    zone.angle_rev = zone_.offset_rev;
    zone.children = std::move(pieces);
    return zone;
  }

 private:
  // In the schemes with spares per cylinder or track, each slip in front of a cylinder (or, per
  // track, of a track as its head is numbered) turns everything behind it by one sector.
  std::int64_t slips_before_track(std::int64_t track) const {
    if (!scheme_.per_cylinder() && scheme_.sparing != Sparing::per_track) return 0;
    const auto end = std::lower_bound(zone_.slips.begin(), zone_.slips.end(),
                                      track * zone_.sectors);
    return end - zone_.slips.begin();
  }
  std::int64_t slips_before(std::int64_t cylinder, std::int64_t head) const {
    return slips_before_track(cylinder * scheme_.heads +
                              (scheme_.sparing == Sparing::per_track ? head : 0));
  }

  // The first cylinder from `from` on in which some track has another count of slips before it than
  // the first track of `from`.
  std::int64_t end_of_equal_slips(std::int64_t from) const {
    const std::int64_t slips = slips_before(from, 0);
    const bool turns = scheme_.per_cylinder() || scheme_.sparing == Sparing::per_track;
    if (!turns || slips == static_cast<std::int64_t>(zone_.slips.size())) return zone_.cylinders();
    const std::int64_t cylinder = zone_.slips[static_cast<std::size_t>(slips)] /
                                  (scheme_.heads * zone_.sectors);
    // That slip counts from the next cylinder on; per track already within its own.
    const std::int64_t end = scheme_.per_cylinder() || last_track_slips(cylinder) == slips
                                 ? cylinder + 1
                                 : cylinder;
    return std::min(end, zone_.cylinders());
  }
  std::int64_t last_track_slips(std::int64_t cylinder) const {
    return slips_before(cylinder, scheme_.heads - 1);
  }

  bool descends(std::int64_t cylinder) const {
    switch (scheme_.mapping) {
      case Mapping::straight:
        return false;
      case Mapping::serpentine_from_zone:
        return cylinder % 2 != 0;
      case Mapping::serpentine_from_disk:
        return (cylinder + zone_.first_cylinder) % 2 != 0;
    }
    return false;
  }

  model::LayoutNode tracks(bool descending) const {
    model::LayoutNode run;
    run.count = static_cast<std::uint32_t>(scheme_.heads);
    run.head = descending ? static_cast<std::int32_t>(scheme_.heads) - 1 : 0;
    run.head_step = descending ? -1 : 1;
    run.angle_step_rev = zone_.track_skew_rev;
    run.sectors = static_cast<std::uint32_t>(zone_.sectors);
    return run;
  }

  // Of the first track of a cylinder, against the zone's first.
  double angle_of(std::int64_t cylinder, std::int64_t slips) const {
    return fraction(static_cast<double>(cylinder) * cylinder_step_rev_ + in_revolutions(slips));
  }
  double in_revolutions(std::int64_t slips) const {
    return static_cast<double>(slips) / static_cast<double>(zone_.sectors);
  }

  // Cylinders [from, end), all with as many slips before them as the first.
  void append_cylinders(std::int64_t from, std::int64_t end,
                        std::vector<model::LayoutNode>& pieces) const {
    const bool straight = scheme_.mapping == Mapping::straight || scheme_.heads == 1;
    const std::int64_t width = straight ? 1 : 2;
    const std::int64_t slips = slips_before(from, 0), repeats = (end - from) / width;
    if (repeats > 0) {
      model::LayoutNode node;
      node.count = static_cast<std::uint32_t>(repeats);
      node.cylinder = static_cast<std::int32_t>(from);
      node.cylinder_step = static_cast<std::int32_t>(width);
      node.angle_rev = angle_of(from, slips);
      node.angle_step_rev = fraction(static_cast<double>(width) * cylinder_step_rev_);
      node.children.push_back(tracks(!straight && descends(from)));
      if (!straight) {
        node.children.push_back(tracks(descends(from + 1)));
        node.children.back().cylinder = 1;
        node.children.back().angle_rev = cylinder_step_rev_;
      }
      pieces.push_back(node);
    }
    if ((end - from) % width != 0) {
      model::LayoutNode last = tracks(descends(end - 1));
      last.cylinder = static_cast<std::int32_t>(end - 1);
      last.angle_rev = angle_of(end - 1, slips);
      pieces.push_back(last);
    }
  }

  // A cylinder in which the count of slips changes from one head to the next.
  model::LayoutNode mixed_cylinder(std::int64_t cylinder) const {
    model::LayoutNode node;
    node.cylinder = static_cast<std::int32_t>(cylinder);
    node.angle_rev = angle_of(cylinder, 0);
    const bool descending = descends(cylinder);
    std::int64_t previous = -1;
    for (std::int64_t track = 0; track < scheme_.heads; ++track) {
      const std::int64_t head = descending ? scheme_.heads - 1 - track : track;
      const std::int64_t slips = slips_before(cylinder, head);
      if (slips == previous) {
        ++node.children.back().count;
        continue;
      }
      previous = slips;
      model::LayoutNode run = tracks(descending);
      run.count = 1;
      run.head = static_cast<std::int32_t>(head);
      run.angle_rev =
          fraction(static_cast<double>(track) * zone_.track_skew_rev + in_revolutions(slips));
      node.children.push_back(run);
    }
    return node;
  }

  const Zone& zone_;
  const Scheme& scheme_;
  double cylinder_step_rev_;  // from the first track of a cylinder to that of the next
};

// ---------------------------------------------------------------- the whole layout

Scheme read_scheme(BlockReader& reader, std::uint32_t heads) {
  Scheme scheme{};
  scheme.mapping = static_cast<Mapping>(reader.integer("LBN-to-PBN mapping scheme", 0, 2));
  scheme.sparing = static_cast<Sparing>(reader.integer("Sparing scheme used", 0, 10));
  scheme.range_cylinders = reader.integer("Rangesize for sparing", 0, 1 << 24);
  if (scheme.sparing == Sparing::per_range && scheme.range_cylinders == 0) {
    fail_at(reader.where("Rangesize for sparing"),
            "\"Rangesize for sparing\" must be above 0 for scheme 8");
  }
  if (reader.has("Skew units")) {
    const std::string& units = reader.text("Skew units");
    if (units != "revolutions" && units != "sectors") {
      fail_at(reader.where("Skew units"), "\"Skew units\" must be revolutions or sectors");
    }
    scheme.skews_in_revolutions = units == "revolutions";
  }
  scheme.heads = heads;
  return scheme;
}

std::vector<Zone> read_zones(BlockReader& reader, const Scheme& scheme,
                             std::vector<std::string>& notes) {
  std::vector<Zone> zones;
  std::int64_t slots = 0;
  for (const Value& value : reader.list("Zones")) {
    const auto* block = std::get_if<std::shared_ptr<const Block>>(&value.data);
    if (block == nullptr)
      fail_at(value.where, "\"Zones\" must be a list of dm_layout_g1_zone blocks");
    zones.push_back(read_zone(**block, scheme, notes));
    const Zone& zone = zones.back();
    if (zones.size() > 1 && zone.first_cylinder <= zones[zones.size() - 2].last_cylinder) {
      fail_at(zone.where, "the zone begins before the one in front of it ends");
    }
    slots += zone.cylinders() * scheme.heads * zone.sectors;
    if (slots >= kMostSlots)
      fail_at(zone.where, "the zones have more sectors than DiskSim can count");
  }
  if (zones.empty()) fail_at(reader.where("Zones"), "\"Zones\" must not be empty");
  return zones;
}

class BlockNumbers {
 public:
  explicit BlockNumbers(const std::vector<Run>& runs) : runs_(runs) {
    std::int64_t lbn = 0;
    for (const Run& run : runs) {
      first_lbns_.push_back(lbn);
      lbn += run.length;
    }
  }
  std::optional<std::int64_t> of_slot(std::int64_t slot) const {
    const auto after = std::upper_bound(
        runs_.begin(), runs_.end(), slot,
        [](std::int64_t s, const Run& run) { return s < run.first; });
    if (after == runs_.begin()) return std::nullopt;
    const auto run = after - 1;
    if (slot >= run->first + run->length) return std::nullopt;
    return first_lbns_[static_cast<std::size_t>(run - runs_.begin())] + slot - run->first;
  }

 private:
  const std::vector<Run>& runs_;
  std::vector<std::int64_t> first_lbns_;
};

void append_remaps(const Zone& zone, const Scheme& scheme, std::int64_t base,
                   const BlockNumbers& numbers, std::vector<model::Remap>& remaps,
                   std::vector<std::string>& notes) {
  const std::int64_t width = scheme.sparing == Sparing::tracks_per_zone ? zone.sectors : 1;
  const std::int64_t all = zone.cylinders() * scheme.heads * zone.sectors;
  for (const auto& [defect, replacement] : zone.defects) {
    if (defect == replacement) continue;
    if (defect >= all / width || replacement >= all / width)
      fail_at(zone.where, "a defect lies outside its zone");
    for (std::int64_t i = 0; i < width; ++i) {
      const auto lbn = numbers.of_slot(base + defect * width + i);
      const std::int64_t slot = base + replacement * width + i;
      if (!lbn) {
        notes.push_back(fmt::format("{}: the defect {} holds no block; its replacement is ignored",
                                    zone.where.brief(), defect));
        break;
      }
      if (numbers.of_slot(slot)) {
        fail_at(zone.where, fmt::format("the defect {} is replaced by {}, which is no spare",
                                        defect, replacement));
      }
      remaps.push_back({static_cast<std::uint64_t>(*lbn), static_cast<std::uint64_t>(slot)});
    }
  }
}

}  // namespace

model::Layout import_g1_layout(const Block& block, std::uint32_t heads,
                               std::vector<std::string>& notes) {
  BlockReader reader(block);
  const Scheme scheme = read_scheme(reader, heads);
  std::vector<Zone> zones = read_zones(reader, scheme, notes);
  note_unknown(reader, notes);
  model::Layout layout;
  layout.method = "imported";
  std::vector<Run> runs;
  std::vector<std::int64_t> bases;
  std::int64_t slots = 0, units = 0;
  for (Zone& zone : zones) {
    units += units_of(zone, scheme);
    if (units > kMostSpareUnits)
      fail_at(zone.where, "the zones have too many units with spares of their own");
    if (scheme.sparing == Sparing::none && !(zone.slips.empty() && zone.defects.empty())) {
      notes.push_back(zone.where.brief() +
                      ": sparing scheme 0 knows no slips and defects; they are ignored");
      zone.slips.clear();
      zone.defects.clear();
    }
    if (!zone.sorted) {
      notes.push_back(zone.where.brief() +
                      ": the slips are not in ascending order; they are taken where they say, "
                      "DiskSim shifts some by a few sectors");
    }
    std::vector<Run> own = runs_of(zone, scheme);
    drop_first(own, 0, zone.dead);
    bases.push_back(slots);
    for (const Run& run : own) runs.push_back({slots + run.first, run.length});
    slots += zone.cylinders() * scheme.heads * zone.sectors;
    layout.zones.push_back(ZoneGeometry(zone, scheme).node());
  }
  layout.skips = gaps_between(runs, slots);
  const BlockNumbers numbers(runs);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    append_remaps(zones[i], scheme, bases[i], numbers, layout.remaps, notes);
  }
  std::sort(layout.remaps.begin(), layout.remaps.end(),
            [](const model::Remap& a, const model::Remap& b) { return a.lbn < b.lbn; });
  return layout;
}

}  // namespace platter::emit_disksim

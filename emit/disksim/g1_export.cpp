#include "emit/disksim/g1_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "emit/disksim/g1_geometry.h"
#include "emit/disksim/track_runs.h"

namespace platter::emit_disksim {
namespace {

constexpr int kLargestRange = 64;

// One zone's sectors, counted from its first; `holes` hold no LBN.
struct Holes {
  std::int64_t track = 0, cylinder = 0, all = 0;  // sectors of each
  std::vector<Interval> holes;
  std::vector<std::pair<std::int64_t, std::int64_t>> remaps;

  std::int64_t front() const {
    return !holes.empty() && holes[0].first == 0 ? static_cast<std::int64_t>(holes[0].end) : 0;
  }
  std::int64_t tail() const {
    if (holes.empty() || static_cast<std::int64_t>(holes.back().end) != all) return 0;
    return static_cast<std::int64_t>(holes.back().end - holes.back().first);
  }
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const Interval& hole : holes) sum += static_cast<std::int64_t>(hole.end - hole.first);
    return sum;
  }
};

struct LeftOut {
  std::int64_t dead = 0, spares = 0;
  std::vector<std::int64_t> slips;
};

void append(std::int64_t first, std::int64_t end, std::vector<std::int64_t>& slips) {
  for (; first < end; ++first) slips.push_back(first);
}

// ---------------------------------------------------------------- the schemes
// Each says how it leaves out a zone's holes, or that it cannot. Schemes 0, 2, 5 and 6 are left
// aside: DiskSim computes them wrongly; 4 and 10 express nothing that these do not.

using WayToLeaveOut = std::optional<LeftOut> (*)(const Holes&, std::int64_t range_sectors);

// 9: what is not the zone's tail are slips. (DiskSim's way back from PBN to LBN is wrong at the end
// of a zone with a dead front, so that a front is slips too.)
std::optional<LeftOut> per_zone(const Holes& zone, std::int64_t) {
  LeftOut sparing;
  sparing.spares = zone.total();
  const std::int64_t tail = zone.all - zone.tail();
  for (const Interval& hole : zone.holes) {
    append(static_cast<std::int64_t>(hole.first),
           std::min(static_cast<std::int64_t>(hole.end), tail), sparing.slips);
  }
  return sparing;
}

// 7: no spares, a front, and slips.
std::optional<LeftOut> at_end(const Holes& zone, std::int64_t) {
  LeftOut sparing;
  sparing.dead = zone.front();
  for (const Interval& hole : zone.holes) {
    if (hole.first == 0) continue;
    append(static_cast<std::int64_t>(hole.first), static_cast<std::int64_t>(hole.end),
           sparing.slips);
  }
  return sparing;
}

// 1: whole tracks, and a front.
std::optional<LeftOut> tracks_per_zone(const Holes& zone, std::int64_t) {
  if (!zone.remaps.empty()) return std::nullopt;
  LeftOut sparing;
  sparing.dead = zone.front();
  for (const Interval& hole : zone.holes) {
    const auto first = static_cast<std::int64_t>(hole.first),
               end = static_cast<std::int64_t>(hole.end);
    if (first == 0) continue;
    if (first % zone.track != 0 || end % zone.track != 0) return std::nullopt;
    sparing.spares += (end - first) / zone.track;
    if (end != zone.all) append(first / zone.track, end / zone.track, sparing.slips);
  }
  return sparing;
}

// 3: as many at the end of each track, a front, and nothing else (slips would turn the tracks).
std::optional<LeftOut> per_track(const Holes& zone, std::int64_t) {
  LeftOut sparing;
  const std::int64_t front = zone.front();
  sparing.spares = zone.tail();
  const std::int64_t usable = zone.track - sparing.spares;
  if (sparing.spares == 0 || usable <= 0 || front == zone.all) return std::nullopt;
  sparing.dead = front / zone.track * usable + std::min(front % zone.track, usable);
  std::int64_t expected = front / zone.track;  // the track whose spares come next
  if (front % zone.track > usable) return std::nullopt;
  for (const Interval& hole : zone.holes) {
    if (hole.first == 0) continue;
    const auto first = static_cast<std::int64_t>(hole.first),
               end = static_cast<std::int64_t>(hole.end);
    if (first != expected * zone.track + usable || end != (expected + 1) * zone.track)
      return std::nullopt;
    ++expected;
  }
  if (expected != zone.all / zone.track) return std::nullopt;
  return sparing;
}

// 8: as many in each whole range of cylinders, those that are not its tail as slips; a front within
// the first range; nothing in cylinders that make no whole range.
std::optional<LeftOut> per_range(const Holes& zone, std::int64_t range) {
  LeftOut sparing;
  const std::int64_t whole = zone.all / range, front = zone.front();
  if (whole == 0 || front >= range) return std::nullopt;
  sparing.dead = front;
  std::vector<std::int64_t> missing(static_cast<std::size_t>(whole), 0);
  for (const Interval& hole : zone.holes) {
    auto first = static_cast<std::int64_t>(hole.first);
    const auto end = static_cast<std::int64_t>(hole.end);
    if (first == 0) continue;
    while (first < end) {
      const std::int64_t number = first / range, stop = std::min(end, (number + 1) * range);
      if (number >= whole) return std::nullopt;
      missing[static_cast<std::size_t>(number)] += stop - first;
      if (stop != (number + 1) * range) append(first, stop, sparing.slips);
      first = stop;
    }
  }
  sparing.spares = missing[0];
  if (std::any_of(missing.begin(), missing.end(),
                  [&](std::int64_t m) { return m != sparing.spares; })) {
    return std::nullopt;
  }
  for (const auto& [defect, replacement] : zone.remaps) {
    if (defect / range != replacement / range) return std::nullopt;
  }
  return sparing;
}

struct Choice {
  int scheme = 9, range_cylinders = 1;
  std::vector<LeftOut> zones;
};

std::optional<Choice> try_scheme(int number, WayToLeaveOut scheme, int range,
                                 const std::vector<Holes>& zones) {
  Choice choice{number, range, {}};
  for (const Holes& zone : zones) {
    auto sparing = scheme(zone, range * zone.cylinder);
    if (!sparing) return std::nullopt;
    choice.zones.push_back(std::move(*sparing));
  }
  return choice;
}

std::size_t slips_of(const Choice& choice) {
  std::size_t slips = 0;
  for (const LeftOut& zone : choice.zones) slips += zone.slips.size();
  return slips;
}

Choice choose(const std::vector<Holes>& zones) {
  Choice best = *try_scheme(9, per_zone, 1, zones);
  const auto consider = [&](std::optional<Choice> other) {
    if (other && slips_of(*other) < slips_of(best)) best = std::move(*other);
  };
  consider(try_scheme(7, at_end, 1, zones));
  consider(try_scheme(1, tracks_per_zone, 1, zones));
  consider(try_scheme(3, per_track, 1, zones));
  for (int range = 1; range <= kLargestRange; ++range)
    consider(try_scheme(8, per_range, range, zones));
  return best;
}

// ---------------------------------------------------------------- holes of a zone

class ZoneSectors {
 public:
  ZoneSectors(const Geometry& geometry, const std::vector<Interval>& used)
      : geometry_(geometry), used_(used) {}

  Holes holes_of(const GeometryZone& zone) const {
    Holes result;
    result.track = zone.sectors;
    result.cylinder = result.track * geometry_.heads;
    result.all = result.cylinder * (zone.last_cylinder - zone.first_cylinder + 1);
    std::uint64_t next = 0;
    for (std::size_t t = zone.first_track; t < zone.end_track; ++t) {
      const engine::Track& track = geometry_.tracks[t];
      const std::uint64_t base = base_of(zone, track), end = track.first_slot + track.sectors;
      auto run = std::upper_bound(
          used_.begin(), used_.end(), track.first_slot,
          [](std::uint64_t slot, const Interval& i) { return slot < i.end; });
      for (; run != used_.end() && run->first < end; ++run) {
        const std::uint64_t first = base + std::max(run->first, track.first_slot) -
                                    track.first_slot;
        if (first > next) result.holes.push_back({next, first});
        next = base + std::min(run->end, end) - track.first_slot;
      }
    }
    const auto all = static_cast<std::uint64_t>(result.all);
    if (all > next) result.holes.push_back({next, all});
    return result;
  }

  struct Place {
    std::size_t zone;
    std::int64_t sector;
  };
  Place place_of(std::uint64_t slot) const {
    const auto& tracks = geometry_.tracks;
    const auto after = std::upper_bound(
        tracks.begin(), tracks.end(), slot,
        [](std::uint64_t s, const engine::Track& t) { return s < t.first_slot; });
    const auto track = static_cast<std::size_t>(after - tracks.begin()) - 1;
    std::size_t zone = 0;
    while (geometry_.zones[zone].end_track <= track) ++zone;
    return {zone, static_cast<std::int64_t>(base_of(geometry_.zones[zone], tracks[track]) + slot -
                                            tracks[track].first_slot)};
  }

 private:
  std::uint64_t base_of(const GeometryZone& zone, const engine::Track& track) const {
    const std::uint64_t cylinder = track.cylinder - zone.first_cylinder;
    return (cylinder * geometry_.heads + geometry_.turn(zone, track)) * zone.sectors;
  }

  const Geometry& geometry_;
  const std::vector<Interval>& used_;
};

// The slot of an LBN's place in the sequence, where it would be if it were not remapped.
class Sequence {
 public:
  explicit Sequence(const std::vector<Interval>& used) : used_(used) {
    std::uint64_t lbn = 0;
    for (const Interval& run : used) {
      first_lbns_.push_back(lbn);
      lbn += run.end - run.first;
    }
  }
  std::uint64_t slot(std::uint64_t lbn) const {
    const auto after = std::upper_bound(first_lbns_.begin(), first_lbns_.end(), lbn);
    const auto run = static_cast<std::size_t>(after - first_lbns_.begin()) - 1;
    return used_[run].first + lbn - first_lbns_[run];
  }

 private:
  const std::vector<Interval>& used_;
  std::vector<std::uint64_t> first_lbns_;
};

std::vector<Holes> holes_of_zones(const model::Layout& layout, const Geometry& geometry,
                                  const std::vector<Interval>& used, std::int64_t most_counted) {
  const ZoneSectors sectors(geometry, used);
  std::vector<Holes> zones;
  std::int64_t all = 0;
  for (const GeometryZone& zone : geometry.zones) {
    zones.push_back(sectors.holes_of(zone));
    all += zones.back().all;
  }
  if (all >= most_counted)
    cannot_express(fmt::format("the drive has {} sectors, 2^31 or more", all));
  const Sequence sequence(used);
  for (const model::Remap& remap : layout.remaps) {
    const ZoneSectors::Place from = sectors.place_of(sequence.slot(remap.lbn)),
                             to = sectors.place_of(remap.slot);
    if (from.zone != to.zone)
      cannot_express(fmt::format("block {} is remapped into another zone", remap.lbn));
    zones[from.zone].remaps.emplace_back(from.sector, to.sector);
  }
  return zones;
}

}  // namespace

G1Layout express_as_g1(const model::Layout& layout, std::uint32_t heads, double tolerance_rev,
                       std::int64_t most_counted) {
  const engine::LayoutMap map(layout);
  const std::vector<Interval> used = slots_with_blocks(layout, map.slots());
  const Geometry geometry = find_geometry(layout, map, used, heads, tolerance_rev);
  const std::vector<Holes> holes = holes_of_zones(layout, geometry, used, most_counted);
  Choice choice = choose(holes);
  G1Layout g1;
  g1.mapping = geometry.mapping;
  g1.sparing = choice.scheme;
  g1.range_cylinders = choice.range_cylinders;
  g1.blocks = map.blocks();
  g1.worst_angle_rev = geometry.worst_angle_rev;
  for (std::size_t i = 0; i < geometry.zones.size(); ++i) {
    const GeometryZone& from = geometry.zones[i];
    G1Zone zone;
    zone.first_cylinder = from.first_cylinder;
    zone.last_cylinder = from.last_cylinder;
    zone.sectors = from.sectors;
    zone.offset_rev = from.offset_rev;
    zone.track_skew_rev = from.track_step_rev;
    // DiskSim counts a track skew at every track but a cylinder's last, and there the cylinder
    // skew.
    zone.cylinder_skew_rev =
        fraction(from.cylinder_step_rev - (geometry.heads - 1) * from.track_step_rev);
    zone.dead = choice.zones[i].dead;
    zone.spares = choice.zones[i].spares;
    zone.slips = std::move(choice.zones[i].slips);
    zone.defects = holes[i].remaps;
    g1.zones.push_back(std::move(zone));
  }
  return g1;
}

}  // namespace platter::emit_disksim

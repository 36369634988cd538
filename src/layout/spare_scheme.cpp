#include "layout/spare_scheme.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace platter::layout {
namespace {

// How many spares each unit of a kind has, over all zones, and whether slips were seen to use them.
struct Scheme {
  std::uint64_t least = SpareSeries::kOpen, most = 0, zones = 0;
  bool in_tracks = false, absorbs = false;

  void add(std::uint64_t spares, std::size_t zone) {
    least = std::min(least, spares);
    most = std::max(most, spares);
    if (last_zone != zone + 1) ++zones;
    last_zone = zone + 1;
  }
  std::size_t last_zone = 0;
};

// Tracks of the sweep over the heads of one cylinder around a track of the cycle; 1 where a surface
// is swept.
std::uint64_t tracks_of_cylinder(const Zone& zone) {
  const std::uint64_t from = zone.order.met_before_cycle();
  std::uint64_t most = 1, run = 1;
  for (std::uint64_t track = from + 1; track < from + 2 * zone.order.cycle() + 1; ++track) {
    const bool same = zone.order.at(track).cylinder == zone.order.at(track - 1).cylinder;
    run = same ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

std::string unit_of(const Zone& zone, const SpareSeries& series) {
  const std::uint64_t tracks = series.stride;
  if (tracks == 1) return "each track";
  const std::uint64_t cylinder = tracks_of_cylinder(zone);
  if (cylinder > 1 && tracks == cylinder) return "each cylinder";
  if (cylinder > 1 && tracks % cylinder == 0)
    return fmt::format("each group of {} cylinders", tracks / cylinder);
  return fmt::format("each {} tracks", tracks);
}

std::string text(const std::string& unit, const Scheme& scheme) {
  std::string count = fmt::format("{}", scheme.least);
  if (scheme.most != scheme.least) count += fmt::format(" to {}", scheme.most);
  const char* what = scheme.in_tracks ? "tracks" : "sectors";
  return fmt::format("{} {} of {}{}", count, what, unit, scheme.absorbs ? " that absorb slips" : "");
}

}  // namespace

std::string spare_scheme(const Mapper& mapper) {
  std::map<std::string, Scheme> schemes;
  std::uint64_t regular = 0, tails = 0;
  Scheme of_zones;
  for (std::size_t i = 0; i < mapper.zones().size(); ++i) {
    const Zone& zone = mapper.zones()[i];
    if (zone.irregular) continue;
    ++regular;
    const std::uint64_t tracks_of_zone = mapper.tracks_of(i);
    for (const SpareSeries& series : zone.slots.series()) {
      constexpr std::uint64_t kFewestUnits = 3;  // scratches come at even distances, too
      const std::uint64_t units = std::min(series.count, tracks_of_zone / series.stride);
      if (units < kFewestUnits || units * series.stride * 2 < tracks_of_zone) continue;
      const SlotRange first = zone.slots.range(series, 0);
      const bool in_front = series.first.slots == 0 && !series.of_tracks();
      Scheme& scheme = schemes[unit_of(zone, series) + (in_front ? " in front" : "")];
      scheme.in_tracks = series.of_tracks();
      scheme.add(series.of_tracks() ? series.end.track - series.first.track : first.end - first.first,
                 i);
      const std::uint64_t some_units = zone.slots.range(series, 64).first;
      scheme.absorbs |= zone.slots.absorb() != Absorb::none &&
                        zone.slots.slips_between(first.first, some_units) > 0;
    }
    if (i + 1 == mapper.zones().size()) continue;
    // What is free between the zone's last block and the next zone, as far as its tracks go on.
    const std::uint64_t used = zone.slots.slot_of(mapper.end_of(i) - 1 - zone.first_lbn) + 1;
    const auto next = zone.order.find(mapper.zones()[i + 1].order.at(0), mapper.tracks_of(i));
    const std::uint64_t tracks = next ? *next : mapper.tracks_of(i);
    const std::uint64_t free = zone.first_slot(tracks) - used;
    const auto held = zone.slots.free_ranges(used, zone.first_slot(tracks));
    std::uint64_t explained = 0;
    for (const SlotRange& range : held) explained += range.end - range.first;
    if (free <= explained) continue;
    ++tails;
    of_zones.add(free - explained, i);
  }
  if (tails * 2 > regular) schemes["each zone"] = of_zones;
  std::string words;
  for (const auto& [unit, scheme] : schemes) {
    if (scheme.zones * 2 < regular) continue;  // an accident of a few zones
    words += (words.empty() ? "" : " and ") + text(unit, scheme);
  }
  return words.empty() ? "none" : words;
}

}  // namespace platter::layout

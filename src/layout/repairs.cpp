#include "layout/repairs.h"

#include <algorithm>

namespace platter::layout {

Outcome Repairs::repair(std::size_t zone, std::uint64_t lbn) {
  if (const Outcome counted = attempts_.count(lbn); counted != Outcome::yes) return counted;
  if (const Outcome noted = blocks_.note_remap(zone, lbn); noted != Outcome::no) return noted;
  if (map_.zones[zone].irregular) return {Outcome::Kind::no_rule, lbn};
  if (const Outcome read = blocks_.reinterpret(zone, lbn); read != Outcome::no) return read;
  const std::uint64_t track = expected(map_.zones[zone], lbn).track;
  const std::uint64_t end = map_.end_of(zone);
  std::uint64_t good = track, bad = track;
  for (std::uint64_t step = 1;; step *= 2) {
    const Outcome there = agreement_.boundary_agrees(map_.zones[zone], good, end);
    if (there.stops()) return there;
    if (there == Outcome::yes) break;
    bad = good;
    if (good == 0) {
      if (zone == 0) return give_up(survey_, lbn);
      map_.zones.resize(zone);  // the zone does not begin where it was thought to
      map_.zones.back().good = 0;
      return Outcome::yes;
    }
    good -= std::min(good, step);
  }
  if (bad > good) {
    const Result<std::uint64_t> last = agreement_.last_agreeing(zone, good, bad);
    if (last.outcome != Outcome::yes) return last.outcome;
    good = last.value;
  }
  return growth_.pass(zone, good);
}

Outcome Repairs::settle(std::size_t zone, std::uint64_t frontier) {
  const std::vector<Zone>& zones = map_.zones;
  if (!map_.unsettled && zones[zone].slots.absorb() != Absorb::previous) return Outcome::yes;
  map_.unsettled = false;
  for (bool changed = true; changed;) {
    changed = false;
    if (zone >= zones.size()) return Outcome::yes;
    const auto from = survey_.known().lower_bound(zones[zone].first_lbn);
    const auto end = [&] {  // a repair may end the zone
      return std::min(frontier, map_.end_of(zone));
    };
    for (auto known = from; known != survey_.known().end() && known->first < end(); ++known) {
      if (agreement_.matches(zones[zone], known->first, known->second)) continue;
      const std::size_t before = zones.size();
      if (const Outcome met = repair(zone, known->first); met.stops()) return met;
      if (zones.size() != before) return Outcome::yes;
      changed = true;  // then what came before it is looked at once more, at the end
    }
  }
  return Outcome::yes;
}

}  // namespace platter::layout

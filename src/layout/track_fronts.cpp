#include "layout/track_fronts.h"

#include <algorithm>
#include <set>
#include <vector>

namespace platter::layout {

Outcome TrackFronts::find() {
  if (!numbers.numbering().from_index) return Outcome::yes;
  for (std::size_t i = 0; i < map.zones.size(); ++i) {
    if (map.zones[i].irregular) continue;
    std::set<std::uint64_t> tracks{0};
    for (const auto& [place, sectors] : numbers.listed().all()) {
      const auto track = map.zones[i].order.find({place.first, place.second});
      if (track && *track < map.tracks_of(i)) tracks.insert(*track);
    }
    // A track where no rule holds stays as it was taken.
    for (const std::uint64_t track : tracks)
      if (const Outcome met = find_on(i, track); met == Outcome::other_numbers) return met;
  }
  return Outcome::yes;
}

Outcome TrackFronts::find_on(std::size_t index, std::uint64_t track) {
  Zone& zone = map.zones[index];
  const std::uint64_t end = map.end_of(index);
  const std::uint64_t sectors = zone.sectors_of(track), first = zone.first_block(track);
  const std::uint64_t first_slot = zone.first_slot(track);
  const std::uint64_t next = zone.first_block(track + 1);
  if (next >= end || next == first || next - first >= sectors || reader.is_remapped(first) ||
      reader.place_of(first) != zone.order.at(track))
    return Outcome::no;
  const auto starts = starts_by_neighbours(index, track);
  if (!starts) return Outcome::no;
  const Result<TrackMeasure> measured = meter.measure(zone, track, end);
  if (measured.outcome != Outcome::yes) return measured.outcome;
  const TrackMeasure& found = measured.value;
  const std::uint64_t span = found.span - found.first_slot;
  if (found.first != first || !found.holes.empty() || span > sectors) return Outcome::no;
  const auto front = free_in_front(index, track, *starts, span);
  if (!front || *front + span > sectors) return Outcome::no;
  if (first_slot + *front == zone.slots.slot_of(first - zone.first_lbn)) return Outcome::no;
  std::vector<SlotRange> free;
  if (*front > 0) free.push_back({first_slot, first_slot + *front});
  if (*front + span < sectors) free.push_back({first_slot + *front + span, first_slot + sectors});
  Zone trial = zone;
  trial.slots.measured({first_slot, first_slot + sectors}, free);
  if (!all_match(trial, end)) return Outcome::no;
  zone = std::move(trial);
  return Outcome::yes;
}

// Slots in front of a track's first block, if its blocks take up `span` slots and it may begin at
// any of `starts`; nullopt where that leaves a choice.
std::optional<std::uint64_t> TrackFronts::free_in_front(std::size_t index, std::uint64_t track,
                                                        const PossibleStarts& starts,
                                                        std::uint64_t span) {
  const Zone& zone = map.zones[index];
  const std::uint64_t sectors = zone.sectors_of(track);
  const std::uint64_t number = numbers.from_base(survey.at(zone.first_block(track)).place.sector);
  // All that is free lies behind or in front, or the listed sectors next to the first block do.
  const std::uint64_t listed = listed_before(zone.order.at(track), number, sectors);
  std::set<std::uint64_t> fronts{0, sectors - span, std::min(listed, sectors - span)};
  std::erase_if(fronts, [&](std::uint64_t free) {
    return !starts.has((number + sectors - free) % sectors, sectors);
  });
  if (fronts.size() == 1) return *fronts.begin();
  if (!starts.if_whole) return std::nullopt;
  return (number + sectors - *starts.if_whole) % sectors;
}

bool TrackFronts::all_match(const Zone& trial, std::uint64_t end) const {
  return std::all_of(
      survey.known().lower_bound(trial.first_lbn), survey.known().lower_bound(end),
      [&](const auto& known) { return agreement.matches(trial, known.first, known.second); });
}

// So many listed sectors side by side, the last of them in front of the one with this number.
std::uint64_t TrackFronts::listed_before(TrackPlace place, std::uint64_t number,
                                         std::uint64_t sectors) const {
  const std::set<std::uint32_t>& listed = numbers.listed().sectors_on(place);
  const auto in_front = [&](std::uint64_t count) {
    return numbers.numbering().base +
           static_cast<std::uint32_t>((number + sectors - count) % sectors);
  };
  std::uint64_t count = 0;
  while (count < listed.size() && listed.contains(in_front(count + 1))) ++count;
  return count;
}

// What neighbours on both sides, as far as the zone has them, tell of where a track begins.
std::optional<PossibleStarts> TrackFronts::starts_by_neighbours(std::size_t index,
                                                                std::uint64_t track) {
  constexpr std::int64_t kNeighbours = 6;
  const Zone& zone = map.zones[index];
  const auto cycle = static_cast<std::int64_t>(zone.order.cycle());
  const std::uint64_t sectors = zone.sectors_of(track), tracks = map.tracks_of(index);
  std::vector<SeenStart> seen;
  for (std::int64_t k = -kNeighbours; k <= kNeighbours; ++k) {
    const std::int64_t other = static_cast<std::int64_t>(track) + k * cycle;
    if (k == 0 || other < 0 || other + 1 >= static_cast<std::int64_t>(tracks)) continue;
    const auto neighbour = static_cast<std::uint64_t>(other);
    const auto first = meter.first_block(zone, neighbour);
    if (!first) continue;
    // It may lack blocks in front itself.
    if (listed_before(zone.order.at(neighbour), first->number, sectors) > 0) continue;
    seen.push_back({k, first->start(sectors)});
  }
  return starts_by_skew(seen, sectors);
}

}  // namespace platter::layout

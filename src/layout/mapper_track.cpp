// Looking closely at one track: where it ends, its holes, and where it begins.
#include <algorithm>

#include "layout/mapper.h"

namespace platter::layout {

// Slots from a track's first to its last block, as far as the numbers show them.
std::uint64_t Mapper::span_of(std::uint64_t first, std::uint64_t last) {
  while (last > first && is_remapped(last)) --last;
  if (numbering_.from_index) {
    const auto wrapped = first_after_wrap(first, last);
    const std::uint64_t length = last - first + 1;
    if (!wrapped) return length;
    return std::max<std::uint64_t>(length,
                                   survey_.at(*wrapped - 1).place.sector - numbering_.base + 1);
  }
  return survey_.at(last).place.sector - numbering_.base + 1;
}

std::uint64_t Mapper::last_on_track(std::uint64_t lbn, std::uint64_t hint) {
  const TrackPlace place = track_of(survey_.at(lbn).place);
  const auto on_track = [&](std::uint64_t other) {
    // A remapped block tells nothing: its neighbour does.
    while (other > lbn && is_remapped(other)) --other;
    return track_of(survey_.at(other).place) == place;
  };
  return last_on_track(lbn, hint, on_track, survey_.blocks());
}

std::uint64_t Mapper::last_on_track(std::uint64_t lbn, std::uint64_t hint,
                                    const std::function<bool(std::uint64_t)>& on_track,
                                    std::uint64_t end) {
  std::uint64_t low = lbn, high = end;  // low is on the track, high is not
  for (const std::uint64_t guess : {hint, hint + 1}) {
    if (guess > low && guess < high) (on_track(guess) ? low : high) = guess;
  }
  for (std::uint64_t step = 1; high == end && low + step < end; step *= 2) {
    const std::uint64_t guess = low + step;
    (on_track(guess) ? low : high) = guess;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (on_track(middle) ? low : high) = middle;
  }
  return low;
}

// The first block whose sector number is below that of block `first`: both on one track.
std::optional<std::uint64_t> Mapper::first_after_wrap(std::uint64_t first, std::uint64_t last) {
  const std::uint32_t start = survey_.at(first).place.sector;
  const auto is_behind = [&](std::uint64_t lbn) {
    while (lbn > first && is_remapped(lbn)) --lbn;
    return survey_.at(lbn).place.sector < start;
  };
  if (!is_behind(last)) return std::nullopt;
  std::uint64_t low = first, high = last;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_behind(middle) ? high : low) = middle;
  }
  return high;
}

Mapper::TrackMeasure Mapper::measure(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  TrackMeasure found;
  const TrackPlace place = zone.order.at(track);
  const std::uint32_t sectors = zone.sectors_of(track);
  std::uint64_t first = zone.first_block(track);
  const std::uint64_t regular_first = first;
  while (first + 1 < end && is_remapped(first)) ++first;
  const auto on_track = [&](std::uint64_t lbn) {
    while (lbn > first && is_remapped(lbn)) --lbn;
    return track_of(survey_.at(lbn).place) == place;
  };
  if (!on_track(first)) give_up(first);

  // Where the block is that should be first on the next track tells by how much this one differs.
  const std::uint64_t next = std::min(zone.first_block(track + 1), end - 1);
  std::uint64_t hint = next > first ? next - 1 : first;
  if (!numbering_.from_index && !is_remapped(next)) {
    const scsi::PhysicalAddress seen = survey_.at(next).place;
    const std::uint64_t slot = seen.sector - numbering_.base;
    if (track_of(seen) == zone.order.at(track + 1) && slot < next - first) hint = next - slot - 1;
    if (track_of(seen) == place && slot < sectors) hint = next + (sectors - 1 - slot);
  }
  std::uint64_t last = last_on_track(first, hint, on_track, end);
  // A block that is elsewhere with no word of it, and the track goes on.
  while (last + 2 < end && track_of(survey_.at(last + 1).place) != zone.order.at(track + 1) &&
         !is_remapped(last + 1) && track_of(survey_.at(last + 2).place) == place &&
         survey_.at(last + 2).place.sector != survey_.at(last).place.sector + 1) {
    remaps_[last + 1] = survey_.at(last + 1).place;
    last = last_on_track(last + 2, hint, on_track, end);
  }
  found.first = regular_first;
  found.last = last;

  const Expected start = expected(zone, first);
  std::uint64_t final = last;
  while (final > first && is_remapped(final)) --final;
  const std::uint32_t start_sector = survey_.at(first).place.sector;
  const std::uint32_t final_sector = survey_.at(final).place.sector;
  if (final_sector < start_sector && !numbering_.from_index) {
    numbering_.from_index = true;
    throw Restart{};
  }
  const std::uint64_t behind = last - final;
  if (numbering_.from_index) {
    std::uint32_t modulus = sectors;
    if (const auto wrapped = first_after_wrap(first, final)) {
      std::uint64_t top = *wrapped - 1;
      while (top > first && is_remapped(top)) --top;
      const std::uint32_t lowest = survey_.at(*wrapped).place.sector;
      if (tells_base(lowest)) throw Restart{};
      const std::uint32_t highest = survey_.at(top).place.sector - numbering_.base;
      if (highest >= modulus) modulus = highest + 1;
      // Numbers that wrap early: shorter tracks, if the next one is as short; else a slip there.
      const std::uint64_t length = last - regular_first + 1, next_first = last + 1;
      if (highest + 1 < modulus && length <= highest + 1 && next_first < survey_.blocks() &&
          span_of(next_first, last_on_track(next_first, next_first + length - 1)) == highest + 1)
        modulus = highest + 1;
    } else {
      modulus = std::max(modulus, final_sector - numbering_.base + 1);
    }
    const std::uint64_t distance = (final_sector + modulus - start_sector) % modulus;
    std::uint64_t slot = start.slot;
    if (slot + distance + behind >= std::max(modulus, sectors)) slot = 0;  // it cannot be there
    if (modulus == sectors && slot == 0 && distance + behind + 1 < sectors)
      slot = front_slips(zone, track, start_sector, sectors - (distance + behind + 1));
    found.first_slot = slot - std::min(slot, first - regular_first);
    find_holes(first, final, place, slot, modulus, found.holes);
    found.span = static_cast<std::uint32_t>(slot + distance + behind + 1);
    if (modulus > sectors) found.span = std::max(found.span, modulus);
    return found;
  }
  const std::uint64_t slot = start_sector - numbering_.base;
  found.first_slot = slot - std::min(slot, first - regular_first);
  find_holes(first, final, place, slot, 0, found.holes);
  found.span = static_cast<std::uint32_t>(final_sector - numbering_.base + behind + 1);
  if (numbering_.renumbered) insert_slips(zone, track, found);
  return found;
}

// Where a track's first block is; nullopt if it is not there.
std::optional<Mapper::FirstBlock> Mapper::first_block_seen(const Zone& zone, std::uint64_t track) {
  const std::uint64_t lbn = zone.first_block(track);
  if (lbn >= survey_.blocks() || is_remapped(lbn)) return std::nullopt;
  const scsi::PhysicalAddress& place = survey_.at(lbn).place;
  if (track_of(place) != zone.order.at(track)) return std::nullopt;
  return FirstBlock{place.sector - numbering_.base, expected(zone, lbn).slot};
}

// Where numbers start at the index, a track that lacks blocks may lack them in front or at its end.
// Its neighbours of two cycles tell where its first slot should be: the skew is the same each time.
std::uint64_t Mapper::front_slips(const Zone& zone, std::uint64_t track, std::uint32_t start_sector,
                                  std::uint64_t missing) {
  const std::uint64_t sectors = zone.sectors_of(track), cycle = zone.order.cycle();
  if (zone.irregular || track < 2 * cycle) return 0;
  const auto near = first_block_seen(zone, track - cycle);
  const auto far = first_block_seen(zone, track - 2 * cycle);
  if (!near || !far) return 0;
  const std::uint64_t regular = (2 * near->start(sectors) + sectors - far->start(sectors)) %
                                sectors;
  const std::uint64_t front = (start_sector - numbering_.base + sectors - regular) % sectors;
  // Skews need not be whole sectors: a start may be one off.
  if (front + 1 >= missing && front <= missing + 1 && (front > 1 || missing == front))
    return missing;
  return front > 1 && front < missing ? front : 0;
}

// So many listed sectors side by side, the last of them in front of the one with this number.
std::uint64_t Mapper::listed_before(TrackPlace place, std::uint64_t number,
                                    std::uint64_t sectors) const {
  const std::set<std::uint32_t>& listed = listed_sectors(place);
  const auto in_front = [&](std::uint64_t count) {
    return numbering_.base + static_cast<std::uint32_t>((number + sectors - count) % sectors);
  };
  std::uint64_t count = 0;
  while (count < listed.size() && listed.contains(in_front(count + 1))) ++count;
  return count;
}

// What neighbours on both sides, as far as the zone has them, tell of where a track begins.
std::optional<ToldStarts> Mapper::starts_by_neighbours(std::size_t index, std::uint64_t track) {
  constexpr std::int64_t kNeighbours = 6;
  const Zone& zone = zones_[index];
  const auto cycle = static_cast<std::int64_t>(zone.order.cycle());
  const std::uint64_t sectors = zone.sectors_of(track), tracks = tracks_of(index);
  std::vector<SeenStart> seen;
  for (std::int64_t k = -kNeighbours; k <= kNeighbours; ++k) {
    const std::int64_t other = static_cast<std::int64_t>(track) + k * cycle;
    if (k == 0 || other < 0 || other + 1 >= static_cast<std::int64_t>(tracks)) continue;
    const auto neighbour = static_cast<std::uint64_t>(other);
    const auto first = first_block_seen(zone, neighbour);
    if (!first) continue;
    // It may lack blocks in front itself.
    if (listed_before(zone.order.at(neighbour), first->number, sectors) > 0) continue;
    seen.push_back({k, first->start(sectors)});
  }
  return told_starts(seen, sectors);
}

// Where numbers start at the index, a zone's first tracks and those with a listed defect may lack
// blocks in front though they were taken to lack them at their end, or the other way round.
void Mapper::find_fronts() {
  if (!numbering_.from_index) return;
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    if (zones_[i].irregular) continue;
    std::set<std::uint64_t> tracks{0};
    for (const auto& [place, sectors] : listed_) {
      const auto track = zones_[i].order.find({place.first, place.second});
      if (track && *track < tracks_of(i)) tracks.insert(*track);
    }
    for (const std::uint64_t track : tracks) find_front(i, track);
  }
}

void Mapper::find_front(std::size_t index, std::uint64_t track) {
  Zone& zone = zones_[index];
  const std::uint64_t sectors = zone.sectors_of(track), first = zone.first_block(track);
  const std::uint64_t first_slot = zone.first_slot(track);
  const std::uint64_t next = zone.first_block(track + 1);
  if (next >= end_of(index) || next == first || next - first >= sectors || is_remapped(first) ||
      track_of(survey_.at(first).place) != zone.order.at(track))
    return;
  const auto told = starts_by_neighbours(index, track);
  if (!told) return;
  const TrackMeasure found = measure(zone, track, end_of(index));
  const std::uint64_t span = found.span - found.first_slot;
  if (found.first != first || !found.holes.empty() || span > sectors) return;
  const std::uint64_t number = survey_.at(first).place.sector - numbering_.base;
  const auto may_lie_behind = [&](std::uint64_t free) {
    return told->has((number + sectors - free) % sectors, sectors);
  };
  // All that is free lies behind or in front, or the listed sectors next to the first block do.
  const std::uint64_t listed = listed_before(zone.order.at(track), number, sectors);
  std::set<std::uint64_t> fronts{0, sectors - span, std::min(listed, sectors - span)};
  std::erase_if(fronts, [&](std::uint64_t free) { return !may_lie_behind(free); });
  if (fronts.size() != 1 && !told->if_whole) return;
  const std::uint64_t front = fronts.size() == 1 ? *fronts.begin()
                                                 : (number + sectors - *told->if_whole) % sectors;
  if (front + span > sectors) return;
  if (first_slot + front == zone.slots.slot_of(first - zone.first_lbn)) return;
  std::vector<SlotRange> free;
  if (front > 0) free.push_back({first_slot, first_slot + front});
  if (front + span < sectors) free.push_back({first_slot + front + span, first_slot + sectors});
  Zone trial = zone;
  trial.slots.measured({first_slot, first_slot + sectors}, free);
  const auto from = survey_.known().lower_bound(zone.first_lbn);
  const auto end = survey_.known().lower_bound(end_of(index));
  const bool as_seen = std::all_of(
      from, end, [&](const auto& known) { return matches(trial, known.first, known.second); });
  if (as_seen) zone = std::move(trial);
}

// The track's slips do not show in its numbers: as many of those listed as sectors are missing.
void Mapper::insert_slips(const Zone& zone, std::uint64_t track, TrackMeasure& found) const {
  const std::uint64_t first = zone.first_slot(track);
  const std::uint32_t sectors = zone.sectors_of(track);
  for (std::uint64_t slot = 0; slot < found.span && found.span < sectors; ++slot) {
    if (!zone.slots.is_slip(first + slot)) continue;
    if (slot <= found.first_slot) ++found.first_slot;
    for (SlotRange& hole : found.holes) {
      if (hole.first >= slot) ++hole.first;
      if (hole.end > slot) ++hole.end;
    }
    if (slot > found.first_slot) found.holes.push_back({slot, slot + 1});
    ++found.span;
  }
  std::ranges::sort(found.holes, {}, &SlotRange::first);
}

// Slots without a block between two blocks of one track, by bisection of the differences between
// their sector numbers. modulus 0: numbers do not wrap.
void Mapper::find_holes(std::uint64_t low, std::uint64_t high, TrackPlace place,
                        std::uint64_t slot_of_low, std::uint32_t modulus,
                        std::vector<SlotRange>& holes) {
  if (high <= low) return;
  const std::uint64_t from = survey_.at(low).place.sector, to = survey_.at(high).place.sector;
  const std::uint64_t distance = modulus > 0 ? (to + modulus - from) % modulus : to - from;
  const std::uint64_t blocks = high - low;
  if (modulus == 0 && to < from + blocks) {
    numbering_.from_index = true;
    throw Restart{};
  }
  if (distance == blocks) return;
  if (distance < blocks) give_up(low);
  std::uint64_t middle = low + blocks / 2;
  while (middle > low && (is_remapped(middle) || track_of(survey_.at(middle).place) != place)) {
    if (!is_remapped(middle)) remaps_[middle] = survey_.at(middle).place;
    --middle;
  }
  if (middle == low) {  // nothing but remapped blocks up there
    middle = low + blocks / 2 + 1;
    while (middle < high && is_remapped(middle)) ++middle;
  }
  if (middle >= high) {
    const std::uint64_t hole = slot_of_low + blocks;
    holes.push_back({hole, slot_of_low + distance});
    return;
  }
  const std::uint64_t middle_sector = survey_.at(middle).place.sector;
  const std::uint64_t to_middle = modulus > 0 ? (middle_sector + modulus - from) % modulus
                                              : middle_sector - from;
  find_holes(low, middle, place, slot_of_low, modulus, holes);
  find_holes(middle, high, place, slot_of_low + to_middle, modulus, holes);
}

}  // namespace platter::layout

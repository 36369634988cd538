#include "layout/track_meter.h"

#include <algorithm>

namespace platter::layout {

namespace {

// The track's slips do not show in its numbers: as many of those listed as sectors are missing.
void insert_slips(const Zone& zone, std::uint64_t track, TrackMeasure& found) {
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

}  // namespace

Result<TrackMeasure> TrackMeter::measure(const Zone& zone, std::uint64_t track, std::uint64_t end) {
  TrackMeasure found;
  found.first = zone.first_block(track);
  const std::uint64_t first = reader_.regular_from(found.first, end);
  if (reader_.place_of(first) != zone.order.at(track)) return give_up(survey_, first);
  found.last = last_measured(zone, track, first, end);
  const std::uint64_t final = reader_.regular_before(found.last, first);
  const bool from_index = numbers_.numbering().from_index;
  if (!from_index && survey_.at(final).place.sector < survey_.at(first).place.sector) {
    numbers_.count_from_index();
    return Outcome::other_numbers;
  }
  const Outcome measured = from_index ? measure_from_index(zone, track, first, final, found)
                                      : measure_from_first(zone, track, first, final, found);
  if (measured != Outcome::yes) return measured;
  return found;
}

// The last block of the track whose first is `first`.
std::uint64_t TrackMeter::last_measured(const Zone& zone, std::uint64_t track, std::uint64_t first,
                                        std::uint64_t end) {
  const TrackPlace place = zone.order.at(track), behind = zone.order.at(track + 1);
  const std::uint32_t sectors = zone.sectors_of(track);
  const auto on_track = [&](std::uint64_t lbn) {
    return reader_.place_of(reader_.regular_before(lbn, first)) == place;
  };
  // Where the block is that should be first on the next track tells by how much this one differs.
  const std::uint64_t next = std::min(zone.first_block(track + 1), end - 1);
  std::uint64_t hint = next > first ? next - 1 : first;
  if (!numbers_.numbering().from_index && !reader_.is_remapped(next)) {
    const scsi::PhysicalAddress seen = survey_.at(next).place;
    const std::uint64_t slot = numbers_.from_base(seen.sector);
    if (track_of(seen) == behind && slot < next - first) hint = next - slot - 1;
    if (track_of(seen) == place && slot < sectors) hint = next + (sectors - 1 - slot);
  }
  std::uint64_t last = last_where(first, hint, end, on_track);
  // A block that is elsewhere with no word of it, and the track goes on.
  while (last + 2 < end && reader_.place_of(last + 1) != behind && !reader_.is_remapped(last + 1) &&
         reader_.place_of(last + 2) == place &&
         survey_.at(last + 2).place.sector != survey_.at(last).place.sector + 1) {
    map_.remaps[last + 1] = survey_.at(last + 1).place;
    last = last_where(last + 2, hint, end, on_track);
  }
  return last;
}

// The numbers of a track whose first and last regular blocks these are, from the base on; numbers
// start at the index.
Result<std::uint32_t> TrackMeter::count_numbers(const Zone& zone, std::uint32_t sectors,
                                                const TrackMeasure& found, std::uint64_t first,
                                                std::uint64_t final) {
  const auto wrapped = reader_.first_after_wrap(first, final, sectors);
  if (!wrapped) return std::max(sectors, numbers_.from_base(survey_.at(final).place.sector) + 1);
  const std::uint64_t top = reader_.regular_before(*wrapped - 1, first);
  if (numbers_.tells_base(survey_.at(*wrapped).place.sector)) return Outcome::other_numbers;
  const std::uint32_t numbers = numbers_.from_base(survey_.at(top).place.sector) + 1;
  // Numbers that wrap early: shorter tracks, if the next are shorter, too; else a slip there.
  const std::uint64_t length = found.last - found.first + 1;
  if (numbers < sectors && length <= numbers && next_wrap_early(zone, found.last + 1))
    return numbers;
  return std::max(sectors, numbers);
}

// Numbers wrap early on tracks from block `lbn` on, too. On one where heads differ: not all heads
// change with a zone. On two where they were alike so far: spares at the index may hide some of
// one.
bool TrackMeter::next_wrap_early(const Zone& zone, std::uint64_t lbn) {
  const bool alike = zone.head_sectors.empty();
  const int looked_at = alike ? 4 : 3, enough = alike ? 2 : 1;  // further on a zone may begin
  int shorter = 0;
  for (int i = 0; i < looked_at && lbn < survey_.blocks() && shorter < enough; ++i) {
    const std::uint64_t sectors = zone.sectors_on(reader_.place_of(lbn).head);
    const std::uint64_t last = reader_.last_on_track(lbn, lbn + sectors - 1);
    if (reader_.first_after_wrap(lbn, last, 0) && reader_.span_of(lbn, last) < sectors) ++shorter;
    lbn = last + 1;
  }
  return shorter == enough;
}

Outcome TrackMeter::measure_from_index(const Zone& zone, std::uint64_t track, std::uint64_t first,
                                       std::uint64_t final, TrackMeasure& found) {
  const std::uint32_t sectors = zone.sectors_of(track);
  const Result<std::uint32_t> numbers = count_numbers(zone, sectors, found, first, final);
  if (numbers.outcome != Outcome::yes) return numbers.outcome;
  const std::uint32_t modulus = found.numbers = numbers.value;
  const std::uint32_t start_sector = survey_.at(first).place.sector;
  const std::uint64_t distance = (survey_.at(final).place.sector + modulus - start_sector) %
                                 modulus;
  const std::uint64_t behind = found.last - final;
  std::uint64_t slot = expected(zone, first).slot;
  if (slot + distance + behind >= std::max(modulus, sectors)) slot = 0;  // it cannot be there
  if (modulus == sectors && slot == 0 && distance + behind + 1 < sectors)
    slot = front_slips(zone, track, start_sector, sectors - (distance + behind + 1));
  found.first_slot = slot - std::min(slot, first - found.first);
  Holes holes{zone.order.at(track), modulus, {}};
  if (const Outcome met = find_holes(first, final, slot, holes); met.stops()) return met;
  found.holes = std::move(holes.found);
  found.span = static_cast<std::uint32_t>(slot + distance + behind + 1);
  if (modulus > sectors) found.span = std::max(found.span, modulus);
  return Outcome::yes;
}

Outcome TrackMeter::measure_from_first(const Zone& zone, std::uint64_t track, std::uint64_t first,
                                       std::uint64_t final, TrackMeasure& found) {
  const std::uint64_t slot = numbers_.from_base(survey_.at(first).place.sector);
  found.first_slot = slot - std::min(slot, first - found.first);
  Holes holes{zone.order.at(track), 0, {}};
  if (const Outcome met = find_holes(first, final, slot, holes); met.stops()) return met;
  found.holes = std::move(holes.found);
  found.span = static_cast<std::uint32_t>(numbers_.from_base(survey_.at(final).place.sector) +
                                          found.last - final + 1);
  if (numbers_.numbering().renumbered) insert_slips(zone, track, found);
  return Outcome::yes;
}

// Slots without a block between two blocks of one track, by bisection of the differences between
// their sector numbers.
Outcome TrackMeter::find_holes(std::uint64_t low, std::uint64_t high, std::uint64_t slot_of_low,
                               Holes& holes) {
  if (high <= low) return Outcome::yes;
  const std::uint64_t from = survey_.at(low).place.sector;
  const auto distance_to = [&](std::uint64_t lbn) {
    const std::uint64_t to = survey_.at(lbn).place.sector;
    return holes.modulus > 0 ? (to + holes.modulus - from) % holes.modulus : to - from;
  };
  const std::uint64_t distance = distance_to(high), blocks = high - low;
  if (holes.modulus == 0 && survey_.at(high).place.sector < from + blocks) {
    numbers_.count_from_index();
    return Outcome::other_numbers;
  }
  if (distance == blocks) return Outcome::yes;
  if (distance < blocks) return give_up(survey_, low);
  std::uint64_t middle = low + blocks / 2;
  while (middle > low && (reader_.is_remapped(middle) || reader_.place_of(middle) != holes.place)) {
    if (!reader_.is_remapped(middle)) map_.remaps[middle] = survey_.at(middle).place;
    --middle;
  }
  if (middle == low) {  // nothing but remapped blocks up there
    middle = low + blocks / 2 + 1;
    while (middle < high && reader_.is_remapped(middle)) ++middle;
  }
  if (middle >= high) {
    holes.found.push_back({slot_of_low + blocks, slot_of_low + distance});
    return Outcome::yes;
  }
  const std::uint64_t to_middle = distance_to(middle);
  const Outcome below = find_holes(low, middle, slot_of_low, holes);
  if (below.stops()) return below;
  return find_holes(middle, high, slot_of_low + to_middle, holes);
}

// Where numbers start at the index, a track that lacks blocks may lack them in front or at its end.
// Its neighbours of two cycles tell where its first slot should be: the skew is the same each time.
std::uint64_t TrackMeter::front_slips(const Zone& zone, std::uint64_t track,
                                      std::uint32_t start_sector, std::uint64_t missing) {
  const std::uint64_t sectors = zone.sectors_of(track), cycle = zone.order.cycle();
  if (zone.irregular || track < 2 * cycle) return 0;
  // Skews of heads with other sectors are no whole number of these.
  const std::int64_t head = zone.order.at(track).head;
  for (const std::uint64_t back : {cycle, 2 * cycle})
    if (!zone.slots.lengths().alike() && zone.order.at(track - back).head != head) return 0;
  const auto near = first_block(zone, track - cycle);
  const auto far = first_block(zone, track - 2 * cycle);
  if (!near || !far) return 0;
  const std::uint64_t regular = (2 * near->start(sectors) + sectors - far->start(sectors)) %
                                sectors;
  const std::uint64_t front = (numbers_.from_base(start_sector) + sectors - regular) % sectors;
  // Skews need not be whole sectors: a start may be one off.
  if (front + 1 >= missing && front <= missing + 1 && (front > 1 || missing == front))
    return missing;
  return front > 1 && front < missing ? front : 0;
}

std::optional<FirstBlock> TrackMeter::first_block(const Zone& zone, std::uint64_t track) {
  const std::uint64_t lbn = zone.first_block(track);
  if (lbn >= survey_.blocks() || reader_.is_remapped(lbn)) return std::nullopt;
  const scsi::PhysicalAddress& place = survey_.at(lbn).place;
  if (track_of(place) != zone.order.at(track)) return std::nullopt;
  return FirstBlock{numbers_.from_base(place.sector), expected(zone, lbn).slot};
}

void put_measured(Zone& zone, std::uint64_t track, const TrackMeasure& found, bool disk_ends) {
  const std::uint64_t first_slot = zone.first_slot(track), sectors = zone.sectors_of(track);
  std::vector<SlotRange> free;
  if (found.first_slot > 0) free.push_back({first_slot, first_slot + found.first_slot});
  for (const SlotRange& hole : found.holes)
    free.push_back({first_slot + hole.first, first_slot + hole.end});
  if (found.span < sectors && !disk_ends)
    free.push_back({first_slot + found.span, first_slot + sectors});
  zone.slots.measured({first_slot, first_slot + (disk_ends ? found.span : sectors)}, free);
}

}  // namespace platter::layout

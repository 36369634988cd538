// One zone as far as it is known: in which order its tracks are filled, which of their slots hold
// blocks, and so where every one of its blocks should be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/slot_map.h"
#include "layout/track_order.h"

namespace platter::layout {

struct Zone {
  std::uint64_t first_lbn = 0;
  TrackOrder order;
  SlotMap slots;
  std::uint64_t good = 0;  // the furthest track whose first block was where it should be
  // Follows no rule that was found: every track was looked at, nothing was inferred.
  bool irregular = false;
  // Not even that was possible: where its blocks are is a guess, and this says why.
  std::string not_understood;

  // Where the heads' tracks differ in length: the sectors of each.
  std::vector<std::uint32_t> head_sectors;

  std::uint32_t sectors_on(std::int64_t head) const {
    const auto index = static_cast<std::size_t>(head);
    return index < head_sectors.size() ? head_sectors[index] : slots.sectors();
  }
  std::uint32_t sectors_of(std::uint64_t track) const { return slots.lengths().of(track); }
  std::uint64_t first_slot(std::uint64_t track) const { return slots.lengths().first_slot(track); }
  // A track's first block lies `front` slots behind its beginning; spares that the map has there
  // besides are used.
  void leave_front_free(std::uint64_t track, std::uint64_t front);
  // A track up to `track`, behind `behind`, where it shows if spares or left out cylinders come at
  // other places than the zone has them: other tracks may begin with the right block all the same.
  std::uint64_t telling_track(std::uint64_t behind, std::uint64_t track) const;
  // The first block at or after the start of a track.
  std::uint64_t first_block(std::uint64_t track) const {
    return first_lbn + slots.blocks_before(first_slot(track));
  }
};

// How long the tracks of an order are, which may be another than the zone's.
TrackLengths lengths_of(const Zone& zone, const TrackOrder& order);

// Where a block should be: slot counts within the track, from its first slot; rank counts the
// blocks of the track before it.
struct Expected {
  std::uint64_t track = 0, slot = 0, rank = 0;
  TrackPlace place;
};

inline Expected expected(const Zone& zone, std::uint64_t lbn) {
  const std::uint64_t block = lbn - zone.first_lbn;
  const std::uint64_t slot = zone.slots.slot_of(block);
  const std::uint64_t track = zone.slots.lengths().track_of(slot), first = zone.first_slot(track);
  return {track, slot - first, block - zone.slots.blocks_before(first), zone.order.at(track)};
}

}  // namespace platter::layout

// Looking closely at one track: which blocks lie on it, its holes, and where it begins. Blocks that
// lie elsewhere are passed over; those found so are noted as remapped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/block_map.h"
#include "layout/outcome.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"

namespace platter::layout {

struct TrackMeasure {
  std::uint64_t first = 0, last = 0;  // blocks
  std::uint64_t first_slot = 0;       // within the track
  std::uint32_t span = 0;             // slots from the track's first to the last one seen
  std::vector<SlotRange> holes;       // between the first and the last, within the track
};

struct FirstBlock {          // of a track
  std::uint64_t number = 0;  // of its sector, from 0
  std::uint64_t slot = 0;    // within the track
  std::uint64_t start(std::uint64_t sectors) const { return (number + sectors - slot) % sectors; }
};

class TrackReader {
 public:
  TrackReader(Survey& survey, SectorNumbers& numbers, BlockMap& map)
      : survey_(survey), numbers_(numbers), map_(map) {}

  bool is_remapped(std::uint64_t lbn);
  // The first block from `lbn` on, before `end`, that is not remapped; else the last one.
  std::uint64_t regular_from(std::uint64_t lbn, std::uint64_t end);
  // The last block up to `lbn`, behind `first`, that is not remapped; else `first`.
  std::uint64_t regular_before(std::uint64_t lbn, std::uint64_t first);

  // The track on which a block lies.
  TrackPlace place_of(std::uint64_t lbn) { return track_of(survey_.at(lbn).place); }
  // The last block on the track on which `lbn` lies; `hint` may be that.
  std::uint64_t last_on_track(std::uint64_t lbn, std::uint64_t hint);
  // The last block that lies on the same surface, without another between.
  std::uint64_t last_on_head(std::uint64_t lbn);
  // Slots from a track's first to its last block, as far as the numbers show them.
  std::uint64_t span_of(std::uint64_t first, std::uint64_t last);
  // The first block whose sector number is below that of block `first`: both on one track.
  std::optional<std::uint64_t> first_after_wrap(std::uint64_t first, std::uint64_t last);
  // Slots in front of a track's first block, as far as the numbers show them.
  std::uint32_t front_offset(std::uint64_t lbn);
  // Where a track's first block is; nullopt if it is not there.
  std::optional<FirstBlock> first_block_seen(const Zone& zone, std::uint64_t track);
  Result<TrackMeasure> measure(const Zone& zone, std::uint64_t track, std::uint64_t end);

  // The slot of a sector within its track. Asks for the track's first block where numbers start at
  // the index.
  std::uint64_t slot_in_track(const TrackInZone& found, std::uint32_t sector);
  // Lists name slipped sectors, so what they count by has numbers for those.
  std::uint64_t slot_of_defect(const TrackInZone& found, std::uint32_t sector);
  std::uint32_t sector_of(const TrackInZone& found, std::uint64_t slot);

 private:
  struct Holes {
    TrackPlace place;
    std::uint32_t modulus = 0;  // 0: numbers do not wrap
    std::vector<SlotRange> found;
  };
  std::uint64_t last_measured(const Zone& zone, std::uint64_t track, std::uint64_t first,
                              std::uint64_t end);
  Result<std::uint32_t> count_numbers(const TrackMeasure& found, std::uint64_t first,
                                      std::uint64_t final, std::uint32_t sectors);
  Outcome measure_from_index(const Zone& zone, std::uint64_t track, std::uint64_t first,
                             std::uint64_t final, TrackMeasure& found);
  Outcome measure_from_first(const Zone& zone, std::uint64_t track, std::uint64_t first,
                             std::uint64_t final, TrackMeasure& found);
  Outcome find_holes(std::uint64_t low, std::uint64_t high, std::uint64_t slot_of_low,
                     Holes& holes);
  std::uint64_t front_slips(const Zone& zone, std::uint64_t track, std::uint32_t start_sector,
                            std::uint64_t missing);

  Survey& survey_;
  SectorNumbers& numbers_;
  BlockMap& map_;
};

}  // namespace platter::layout

// One track measured: which blocks lie on it, its holes, and where it begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/block_map.h"
#include "layout/outcome.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"
#include "layout/track_reader.h"

namespace platter::layout {

struct TrackMeasure {
  std::uint64_t first = 0, last = 0;  // blocks
  std::uint64_t first_slot = 0;       // within the track
  std::uint32_t span = 0;             // slots from the track's first to the last one seen
  std::uint32_t numbers = 0;          // where they start at the index: so many before they wrap
  std::vector<SlotRange> holes;       // between the first and the last, within the track
};

struct FirstBlock {          // of a track
  std::uint64_t number = 0;  // of its sector, from 0
  std::uint64_t slot = 0;    // within the track
  std::uint64_t start(std::uint64_t sectors) const { return (number + sectors - slot) % sectors; }
};

class TrackMeter {
 public:
  TrackMeter(Survey& survey, SectorNumbers& numbers, TrackReader& reader, BlockMap& map)
      : survey_(survey), numbers_(numbers), reader_(reader), map_(map) {}

  // A track of a zone that ends before block `end`, and on which the zone's block lies. Blocks that
  // are elsewhere with no word of it are noted as remapped.
  Result<TrackMeasure> measure(const Zone& zone, std::uint64_t track, std::uint64_t end);
  // Where a track's first block is; nullopt if it is not there.
  std::optional<FirstBlock> first_block(const Zone& zone, std::uint64_t track);

 private:
  struct Holes {
    TrackPlace place;
    std::uint32_t modulus = 0;  // 0: numbers do not wrap
    std::vector<SlotRange> found;
  };
  std::uint64_t last_measured(const Zone& zone, std::uint64_t track, std::uint64_t first,
                              std::uint64_t end);
  Result<std::uint32_t> count_numbers(const Zone& zone, std::uint32_t sectors,
                                      const TrackMeasure& found, std::uint64_t first,
                                      std::uint64_t final);
  bool next_wrap_early(const Zone& zone, std::uint64_t lbn);
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
  TrackReader& reader_;
  BlockMap& map_;
};

// What was measured on a track becomes what the zone has there. `disk_ends`: no block lies behind.
void put_measured(Zone& zone, std::uint64_t track, const TrackMeasure& found, bool disk_ends);

}  // namespace platter::layout

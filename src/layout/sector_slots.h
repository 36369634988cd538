// Slots of sectors within their tracks, and back, once the map knows the tracks.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/block_map.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"
#include "layout/track_reader.h"

namespace platter::layout {

// Asks for a track's first block where numbers start at the index.
class SectorSlots {
 public:
  SectorSlots(Survey& survey, const SectorNumbers& numbers, TrackReader& reader,
              const BlockMap& map)
      : survey_(survey), numbers_(numbers), reader_(reader), map_(map) {}

  std::uint64_t slot_of(const TrackInZone& found, std::uint32_t sector);
  // Lists name slipped sectors, so what they count by has numbers for those.
  std::uint64_t slot_of_defect(const TrackInZone& found, std::uint32_t sector);
  std::uint32_t sector_of(const TrackInZone& found, std::uint64_t slot);

 private:
  std::optional<std::uint64_t> start_by_skew(const TrackInZone& found);

  Survey& survey_;
  const SectorNumbers& numbers_;
  TrackReader& reader_;
  const BlockMap& map_;
};

}  // namespace platter::layout

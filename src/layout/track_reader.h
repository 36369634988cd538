// Which blocks lie side by side on one track or one surface, as their answers say. Remapped blocks
// are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "layout/block_map.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"

namespace platter::layout {

// The last block from `lbn` on, before `end`, for which a condition holds that holds for `lbn`: by
// the hint, in doubling steps, then by halving.
std::uint64_t last_where(std::uint64_t lbn, std::uint64_t hint, std::uint64_t end,
                         const std::function<bool(std::uint64_t)>& holds);

class TrackReader {
 public:
  TrackReader(Survey& survey, const SectorNumbers& numbers, const BlockMap& map)
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
  // The first block whose sector number is below that of block `first`: both on one track, which
  // has about so many sectors (0: as many as blocks).
  std::optional<std::uint64_t> first_after_wrap(std::uint64_t first, std::uint64_t last,
                                                std::uint64_t sectors);
  // Slots in front of a track's first block, as far as the numbers show them.
  std::uint32_t front_offset(std::uint64_t lbn);

 private:
  Survey& survey_;
  const SectorNumbers& numbers_;
  const BlockMap& map_;
};

}  // namespace platter::layout

// Where numbers start at the index: which tracks lack blocks in front.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/map_and_drive.h"
#include "layout/outcome.h"
#include "layout/starts_by_skew.h"

namespace platter::layout {

class TrackFronts : MapAndDrive {
 public:
  explicit TrackFronts(const MapAndDrive& all) : MapAndDrive(all) {}

  // A zone's first tracks and those with a listed defect may lack blocks in front though they were
  // taken to lack them at their end, or the other way round.
  Outcome find();

 private:
  Outcome find_on(std::size_t zone, std::uint64_t track);
  std::optional<std::uint64_t> free_in_front(std::size_t zone, std::uint64_t track,
                                             const PossibleStarts& starts, std::uint64_t span);
  std::uint64_t listed_before(TrackPlace place, std::uint64_t number, std::uint64_t sectors) const;
  std::optional<PossibleStarts> starts_by_neighbours(std::size_t zone, std::uint64_t track);
  bool all_match(const Zone& trial, std::uint64_t end) const;
};

}  // namespace platter::layout

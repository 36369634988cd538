// Where a track begins, told by its neighbours: the tracks of other cycles begin one skew apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace platter::layout {

struct SeenStart {
  std::int64_t cycles = 0;   // away from the track that is asked for, never 0
  std::uint64_t number = 0;  // of the sector in the track's first slot; below `sectors`
};

// Numbers that the first slot at distance 0 may have, if the skew from cycle to cycle is constant;
// it need not be a whole number of sectors, and numbers are cut down to whole ones.
struct PossibleStarts {
  std::uint64_t first = 0;  // `count` numbers from here on, behind the last one 0 again
  std::uint64_t count = 1;
  // The one of them that it is if the skew is a whole number of sectors, as what was seen allows.
  std::optional<std::uint64_t> if_whole;
  bool has(std::uint64_t number, std::uint64_t sectors) const {
    return (number + sectors - first) % sectors < count;
  }
};

// nullopt where what was seen follows no constant skew. `seen`: at least two, sorted by distance,
// two of them side by side.
std::optional<PossibleStarts> starts_by_skew(const std::vector<SeenStart>& seen,
                                             std::uint64_t sectors);

}  // namespace platter::layout

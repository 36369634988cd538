// What a map tells of the drive's format beside its zones: the order of its tracks, its skews.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/drive_model.h"

namespace platter::report {

// From the end of a track's last block to where the next track's first one begins, in revolutions:
// the medians at the outer and at the inner edge.
struct Skew {
  std::optional<double> outer_rev, inner_rev;
};

struct MapFacts {
  std::string order;  // of tracks, in words
  std::uint32_t surfaces = 0;
  Skew track, cylinder;  // to another head, to another cylinder
  std::uint64_t tracks = 0;
};

// The layout must have zones.
MapFacts map_facts(const model::Layout& layout);

}  // namespace platter::report

// How long the tracks of each head are, where heads differ: asked for, or seen on a few tracks of
// each.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/sector_numbers.h"
#include "layout/survey.h"
#include "layout/track_reader.h"

namespace platter::layout {

// By which numbers exist on the cylinder of a track that has `length` sectors; empty if all heads
// are alike. `before`: the zone before, if there is one.
std::vector<std::uint32_t> asked_sectors_of_heads(Survey& survey, SectorNumbers& numbers,
                                                  TrackPlace place, std::uint32_t length,
                                                  const Zone* before);

// How many sectors the numbers show on the tracks of each head: the most on three tracks of each,
// of the cylinders behind block `lbn`. Empty if all are alike, or only those are shorter that end
// their cylinder: it has spares there.
std::vector<std::uint32_t> seen_sectors_of_heads(Survey& survey, SectorNumbers& numbers,
                                                 TrackReader& reader, std::uint64_t lbn,
                                                 const Zone* before);

}  // namespace platter::layout

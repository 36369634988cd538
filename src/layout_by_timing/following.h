// Runs as walks and single readings show them: where one begins, how far it goes, and what comes
// behind it.
#pragma once

#include <cstdint>
#include <optional>

#include "layout_by_timing/map_so_far.h"

namespace platter::layout_by_timing {

// A run from a walk that begins anywhere; the blocks in front of its first border are a run of one
// track, which is pushed, or belong to it.
std::optional<Run> begin_at(MapSoFar& map, std::uint64_t block);

// Farther and farther along the run, each time as far as its skew is known well enough, until a
// track is not where it should be. The skew is sharpened on the way.
void follow(MapSoFar& map, Run& run);

// Two tracks more, or one, and on from there. False, and the run is as it was: neither is where it
// should be, whatever a walk made of what lies there.
bool follow_on(MapSoFar& map, Run& run);

// Behind a track of the run that is where it should be: what comes then?
enum class Behind : std::uint8_t { nothing_new, loss, another_run, wrong_there, not_understood };
Behind look_behind(MapSoFar& map, Run& run, std::uint32_t track, Run& next);

// What seems to be missing at the run's end may have been lost in front of its last track: then the
// end of the track before that is already so many blocks early.
void mend_tail(MapSoFar& map, Run& run);

// A track of which only the beginning is known; and one up to its end: what it lacks was lost,
// somewhere on it.
Run begun_track(const MapSoFar& map, const Piece& piece, std::uint64_t first);
std::optional<Run> whole_track(const MapSoFar& map, const Piece& piece, std::uint64_t first,
                               std::uint64_t border);

}  // namespace platter::layout_by_timing

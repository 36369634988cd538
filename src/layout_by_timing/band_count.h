// The bands of a map, numbered as the drive's order counts them: whatever parts of them the map has
// for one run, and whatever lost all its blocks. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

struct CountedBand {
  std::size_t first_run = 0, last_run = 0;
  std::uint32_t first_track = 0, tracks = 0;  // of the first run; of all of them
  bool sure = true;                           // as long as usual, and the one behind that before it
  std::uint64_t count = 0;                    // of bands before it, those without blocks, too
};

struct CountedBands {
  std::vector<CountedBand> all;
  std::uint32_t usual_tracks = 1;
};

// A band as long as usual has at least so much of the usual tracks, or at most so many times as
// many: surfaces have tracks of widths of their own.
inline constexpr double kNarrow = 0.8;

// `tracks`: a band is a track, for runs are cylinders. `ring`: places of the pattern that the runs
// are of; 0: not known.
CountedBands count_bands(std::span<const Run> runs, bool tracks, std::size_t ring);

// The next band may go on where the one before ends, by chance, or nobody looked: of what has the
// tracks of several each is one.
std::vector<Run> cut_to_bands(std::span<const Run> runs, std::size_t ring);

}  // namespace platter::layout_by_timing

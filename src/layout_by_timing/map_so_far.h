// The map as far as it goes, the pattern of its runs once that is known, and what reads the drive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "layout_by_timing/frame.h"
#include "layout_by_timing/losses.h"
#include "layout_by_timing/pattern.h"
#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"
#include "layout_by_timing/timed_blocks.h"
#include "layout_by_timing/walk.h"

namespace platter::layout_by_timing {

struct MapperOptions {
  std::uint64_t seed = 1;
  std::uint32_t tracks_apart = 1;          // losses.h
  Nanoseconds deadline_ns = 0;             // of the drive's clock; 0: none
  std::function<void(double)> progress{};  // share of the blocks that is mapped
};

// How often what happened, for people and for tests.
struct MapperCounts {
  std::uint64_t walks = 0, followed = 0, bands_predicted = 0, leaps = 0, losses = 0, longer = 0,
                shorter = 0, formats = 0, taken_back = 0, walked_on = 0, begun_anew = 0,
                patterns = 0, shifted = 0;
};

struct MapSoFar {
  MapSoFar(TimedBlocks& drive, double period_ns, MapperOptions options);

  std::uint64_t end() const { return drive.blocks(); }
  bool at_end() const { return !runs.empty() && runs.back().end() >= end(); }
  // From the run's beginning to the drive's end.
  std::uint32_t tracks_left(const Run& run) const;
  void push(Run run);
  // Sizes of which tracks were seen.
  std::vector<std::uint32_t> formats() const;
  void note_formats_anew();

  // Of so many runs from the first on.
  std::optional<Pattern> pattern_of(std::size_t count) const;
  // The last run has the last of its places.
  void take_up(Pattern found);
  RingPlace& place_of(const Run& run) {
    return (*pattern)[static_cast<std::size_t>(run.ring_place)];
  }
  // Whether a run goes on with a band that broke off behind a part of it, so many tracks from its
  // beginning: it begins on a next track of that, but for some sectors that are lost between.
  bool goes_on_with_band(const Run& part, std::uint32_t so_far, const Run& next) const;
  // Of the runs that make up the last band.
  std::uint32_t tracks_of_last_band() const;
  // Of the last run but the one that has only begun: by the tracks since the last one with a place
  // where bands have as many each, else as if each run had been a band.
  std::size_t expected_place() const;
  // The band behind a run, which now is read.
  Run expected_behind(const Run& run) const;

  TimedBlocks& drive;
  const MapperOptions options;
  Frame frame;
  Prober prober;
  Walker walker;
  LossFinder loss_finder;
  std::vector<Run> runs;
  std::optional<Pattern> pattern;
  std::uint32_t spares = 0;  // of each track
  MapperCounts counts;

 private:
  void count_last_band();
  void note_format(const Run& run);

  std::map<std::uint32_t, std::uint32_t> tracks_of_format_;  // that were seen to have so many slots
  std::size_t counted_ = 0;  // runs whose tracks the pattern has counted
};

}  // namespace platter::layout_by_timing

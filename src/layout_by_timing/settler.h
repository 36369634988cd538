// Bands held against the drive and taken up into the map, and what each says of the pattern and of
// the bands before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "layout_by_timing/map_so_far.h"

namespace platter::layout_by_timing {

// What a band says that is held against the drive.
struct Held {
  bool holds = false;
  std::vector<Reading> ends{};  // of late tracks, where these are not where the band has them
};

class Settler {
 public:
  explicit Settler(MapSoFar& map) : map_(map) {}

  // A pattern was found.
  void begin();
  // By readings at a late track's end (no sector was lost), in its first track (not one of the run
  // before) and in its last track (and not one of the run behind). Where the pattern foresees how
  // many tracks bands have, one of these two in turn: bands are a chain, and what begins too late
  // ends too late. What they say of start and skew is taken over.
  Held held_against(Run& band);
  bool holds(Run& band) { return held_against(band).holds; }
  void settle(Run band, bool as_expected);
  // Share of the bands that were not as expected, lately.
  double surprising() const { return surprising_; }
  // At the pace so far the rest would not be done in time: where exactly sectors are lost has to
  // wait.
  bool is_short_of_time() const;
  // The last band settled is found to go on, and still is after some times: it is not as taken.
  bool goes_on_too_often();

 private:
  void mend_early_loss(Run& run);
  void confirm();
  bool begins_right(std::size_t run);
  bool take_back(std::size_t from, std::size_t wrong, std::uint32_t sectors);
  void look_for_longer_pattern();
  void find_shifted_place();

  MapSoFar& map_;
  std::optional<Pattern> calm_pattern_;  // when some bands in a row had been as predicted
  std::size_t calm_ = 0;                 // bands as predicted since the last that was not
  std::size_t settled_ = 0;              // bands, since the pattern
  double surprising_ = 0;
  std::pair<std::uint64_t, Nanoseconds> paced_from_{0, 0};  // block and time, since the pattern
  std::size_t confirmed_ = 0;  // runs up to the last whose tracks were seen to begin where they do
  int unconfirmed_ = 0;        // readings of bands since then
  int goes_on_ = 0;            // times, the last band
  bool asks_first_ = false;    // of a band, else its last track
};

}  // namespace platter::layout_by_timing

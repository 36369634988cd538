// How many sectors of a run hold no block, and where: by reads at the ends of tracks, where a block
// that lies one sector on lies on the next track, a whole skew away. ("Only borders tell.")
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

class LossFinder {
 public:
  // A hole is looked for until it lies between so many tracks, where what it turns the blocks of
  // these by is harmless.
  explicit LossFinder(Prober& prober, std::uint32_t tracks_apart = 1)
      : prober_(prober), tracks_apart_(tracks_apart) {}

  // So many tracks more are mapped, on which so many holes were found.
  void mapped(std::uint32_t tracks, std::size_t holes) { tracks_ += tracks, holes_ += holes; }
  // On so many tracks, by those of the map so far.
  double expected_holes(std::uint32_t tracks) const;
  struct Border {
    bool holds = false;
    double off_rev = 0;  // of the last reading
    std::uint32_t track = 0;
    std::vector<Reading> readings;
  };
  // Whether the end of a track of the window is where the run has it: one reading, or some more.
  Border end_of_late(const Run& run, std::uint32_t first_track, std::uint32_t last_track);
  bool none_lost(const Run& run, std::uint32_t first_track, std::uint32_t last_track) {
    return end_of_late(run, first_track, last_track).holds;
  }
  // Likewise the beginning of a track: where the run has lost sectors that the drive has not,
  // tracks begin later, and their ends do not show it.
  bool begins_right(const Run& run, std::uint32_t first_track, std::uint32_t last_track);
  // Sectors that were lost up to a track of the window, beside the run's known losses: `least` to
  // `most`. nullopt: no number of them explains the readings. `track`: the one that was read.
  // `seen`: readings of tracks' ends that are there already.
  struct Found {
    std::uint32_t lost = 0, track = 0;
  };
  std::optional<Found> lost_before(const Run& run, std::uint32_t first_track,
                                   std::uint32_t last_track, std::uint32_t least,
                                   std::uint32_t most, bool known = false,
                                   std::span<const Reading> seen = {});
  // Splits `lost` sectors between two tracks into holes, each on its track; the run gets them.
  void locate(Run& run, std::uint32_t before_track, std::uint32_t at_track, std::uint32_t lost);

 private:
  struct Hole {
    std::uint32_t track = 0, sectors = 0;
    bool located = true;
  };
  std::uint32_t border_that_comes(const Run& run, std::uint32_t first_track,
                                  std::uint32_t last_track, std::uint32_t slot);
  std::uint32_t border_worth_most(const Run& run, std::uint32_t before, std::uint32_t at,
                                  std::uint32_t slot);
  Border look_at_border(const Run& run, std::uint32_t first_track, std::uint32_t last_track,
                        std::uint32_t slot);
  void split(const Run& run, std::uint32_t before, std::uint32_t lost_before, std::uint32_t at,
             std::uint32_t lost_at, std::vector<Hole>& holes);

  Prober& prober_;
  std::uint32_t tracks_apart_;
  std::uint64_t tracks_ = 0, holes_ = 0;  // of the map so far
  double usual_off_rev_ = 0.01;           // of late tracks' ends that hold, lately
};

// The first of the tracks up to that one among which a border comes by soon; of so many at most.
std::uint32_t first_of_late(std::uint32_t last, std::uint32_t most);
// A hole of so many sectors somewhere on that track, in the middle of where it may be.
void add_loss(Run& run, std::uint32_t track, std::uint32_t sectors, bool located);

}  // namespace platter::layout_by_timing

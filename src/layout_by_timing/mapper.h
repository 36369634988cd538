// A drive's map by timed accesses alone: which blocks lie on which track, and at which angle. Runs
// are walked and followed until their pattern is known; then the pattern is held against the drive,
// band by band or in leaps, and what it does not explain is looked into where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout_by_timing/frame.h"
#include "layout_by_timing/losses.h"
#include "layout_by_timing/pattern.h"
#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"
#include "layout_by_timing/shift.h"
#include "layout_by_timing/timed_blocks.h"
#include "layout_by_timing/walk.h"

namespace platter::layout_by_timing {

struct MapperOptions {
  std::uint64_t seed = 1;
  std::uint32_t tracks_apart = 1;        // losses.h
  Nanoseconds deadline_ns = 0;           // of the drive's clock; 0: none
  std::function<void(double)> progress;  // share of the blocks that is mapped
};

// How often what happened, for people and for tests.
struct MapperCounts {
  std::uint64_t walks = 0, followed = 0, bands_predicted = 0, leaps = 0, losses = 0, longer = 0,
                shorter = 0, formats = 0, taken_back = 0, walked_on = 0, begun_anew = 0,
                patterns = 0, shifted = 0;
};

class Mapper {
 public:
  Mapper(TimedBlocks& drive, double period_ns, MapperOptions options);

  // From the first block to the last, or as far as time goes. Throws Error(unsupported) where reads
  // show no tracks.
  void map();
  const std::vector<Run>& runs() const { return runs_; }
  // Whether the runs cover all blocks, be it by guesses (Run::standing).
  bool complete() const { return complete_; }
  const MapperCounts& counts() const { return counts_; }
  const Frame& frame() const { return frame_; }
  Prober& prober() { return prober_; }  // knows what was read
  const std::optional<Pattern>& pattern() const { return pattern_; }

 private:
  std::uint64_t end() const { return drive_.blocks(); }
  bool at_end() const { return !runs_.empty() && runs_.back().end() >= end(); }
  void push(Run run);
  void count_last_band();
  bool is_long(const Run& run) const;
  void note_format(const Run& run);
  std::vector<std::uint32_t> formats() const;
  std::uint32_t tracks_left(const Run& run) const;
  // The first of the tracks up to that one among which a border comes by soon; of so many at most.
  static std::uint32_t first_of_late(std::uint32_t last, std::uint32_t most);

  // Without a pattern.
  std::optional<Run> begin_at(std::uint64_t block);
  void follow(Run& run);
  void mend_losses(Run& run);
  void mend_tail(Run& run);
  void learn_one();
  void learn_tracks();
  std::optional<Run> single_track(const Piece& piece, std::uint64_t first,
                                  std::uint64_t border) const;
  void learn();
  bool changes_by_track() const;
  void look_for_pattern();
  static std::span<const Run> since_gap(std::span<const Run> runs);
  // Behind a track of the run that is where it should be: what comes then?
  enum class Behind : std::uint8_t { nothing_new, loss, another_run, wrong_there, not_understood };
  Behind look_behind(Run& run, std::uint32_t track, Run& next);
  Behind walk_behind(Run& run, std::uint32_t track, Run& next, double turns);
  bool enters_whole(const Run& run, const Piece& before, const Piece& behind, std::uint32_t lost);
  bool explain_by_loss(Run& run, const std::vector<Piece>& pieces, std::size_t from);
  std::optional<Run> run_from(const std::vector<Piece>& pieces, std::size_t index,
                              std::uint64_t first);
  std::uint32_t spares_seen(const std::vector<Piece>& pieces, const Run& run);
  std::uint32_t slots_like(double around, double error) const;
  std::uint32_t first_wrong_track(const Run& run, std::uint32_t right, std::uint32_t wrong);

  // With one.
  void sweep();
  // Where a band was first not as predicted.
  enum class Failure : std::uint8_t { none, first_track, inside, last_track };
  Failure held_against(Run& run);
  bool band_holds(Run& run) { return held_against(run) == Failure::none; }
  void settle(Run run, bool as_expected);
  void mend_early_loss(Run& run);
  void confirm();
  bool begins_right(std::size_t run);
  bool take_back(std::size_t from, std::size_t wrong, std::uint32_t sectors);
  void find_shifted_place();
  void look_for_longer_pattern();
  bool short_of_time();
  void explain(Run run, Failure failure);
  void guess_the_rest();
  bool begins_here(const Run& run);
  bool mend_by_late_loss();
  static bool has_few_tracks(const Run& run);
  bool mend_by_shift();
  bool is_other_format(Run& run, std::int64_t lacks);
  void lose_within(Run& run, std::uint32_t sectors);
  void mend_start();
  void mend_start_by_walk();
  bool other_format(Run& run);
  bool other_skew(Run run);
  class BandMender;
  bool mend_inside(Run& run);
  void anew();
  void begin_behind();
  void find_place_again();
  std::size_t expected_place() const;
  bool alike(const Run& run, const RingPlace& expected, double entry) const;

  TimedBlocks& drive_;
  MapperOptions options_;
  Frame frame_;
  Prober prober_;
  Walker walker_;
  LossFinder loss_finder_;
  ShiftFinder shift_finder_;
  std::vector<Run> runs_;
  std::optional<Pattern> pattern_;
  std::optional<Pattern> calm_pattern_;  // when some bands in a row had been as predicted
  std::size_t calm_ = 0;                 // bands as predicted since the last that was not
  // Tracks that were seen to have so many slots.
  std::map<std::uint32_t, std::uint32_t> tracks_of_format_;
  std::uint32_t spares_ = 0;
  std::size_t alone_from_ = 0;         // run: single tracks since then; 0: not
  bool never_alone_ = false;           // tried in vain
  std::size_t counted_ = 0;            // runs whose tracks the pattern has counted
  std::size_t learnt_ = 0, lost_ = 0;  // runs: without a pattern; since the place in it was lost
  std::pair<std::uint64_t, Nanoseconds> paced_from_{0, 0};  // block and time, since the pattern
  std::size_t settled_ = 0;                                 // bands, since the pattern
  double surprising_ = 0;                                   // share of the bands, lately
  double gap_ = 4;             // bands between two that the pattern gets wrong, lately
  std::size_t unproven_ = 0;   // bands to be met one by one: the place may be wrong
  int mended_ = 0;             // times that the last run was found to go on
  std::size_t streak_ = 0;     // bands since the last such
  std::size_t confirmed_ = 0;  // runs up to the last whose tracks were seen to begin where they do
  int unconfirmed_ = 0;        // readings of bands since then
  bool complete_ = false;
  MapperCounts counts_;
};

}  // namespace platter::layout_by_timing

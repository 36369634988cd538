// The frame of all angles: the clock's time as an angle of the platter, held by re-reads of a
// reference; where no block may be read twice, by blocks of a few tracks whose angles are known,
// each read once. Never by the probes of a map: its errors would become errors of the frame.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "layout_by_timing/jitter.h"
#include "layout_by_timing/timed_blocks.h"

namespace platter::layout_by_timing {

// A block that is kept for the frame, and where its sector ends.
struct Reference {
  std::uint64_t block = 0;
  double end_rev = 0;
};

class Frame {
 public:
  // Reads `reference` until jitter and drift are known. Where no block may be read twice, the frame
  // turns by the period alone until it has references.
  Frame(TimedBlocks& drive, double period_ns, std::uint64_t reference);

  double period_ns() const { return period_ns_; }
  const Jitter& jitter() const { return jitter_; }
  // The platter's angle at a time.
  double angle_rev(Nanoseconds time_ns) const;
  // Reads the reference where that is due.
  void keep();
  // Where no block may be read twice: so few references are left that it cannot be kept much
  // longer.
  bool wants_references() const;
  // Blocks near one another that are read nowhere else. False: their angles scatter by more than
  // those of blocks whose places are known, and the frame stays as it was.
  bool refer_to(std::vector<Reference> references);

 private:
  struct Offset {
    double time_s = 0, rev = 0;
  };
  double nominal_rev(Nanoseconds time_ns) const;
  double predicted_rev(double time_s, std::size_t of_last) const;
  std::optional<double> read_offset();
  // By how much references come later than they should, read one after another.
  std::vector<double> reads(int count, double about_rev);
  void take(double time_s, double rev);

  TimedBlocks& drive_;
  double period_ns_;
  std::uint64_t reference_;
  std::vector<Reference> references_;  // left
  double references_rev_ = 0;          // by how much they lie elsewhere than they were said to
  Nanoseconds origin_ns_;
  Jitter jitter_;
  std::deque<Offset> offsets_;  // the last ones, unwrapped
  std::vector<double> wrong_;   // mean error of each width's prediction of the next
  std::size_t width_ = 0;       // of the widths, the best
  double every_s_ = 0.5, last_s_ = 0;
  double constant_rev_ = 0;  // of the reference that is read again
};

}  // namespace platter::layout_by_timing

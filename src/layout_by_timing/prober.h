// Single accesses: of the block of a track that comes by next, held against where a run has it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>

#include "layout_by_timing/frame.h"
#include "layout_by_timing/run.h"
#include "layout_by_timing/timed_blocks.h"

namespace platter::layout_by_timing {

struct Reading {
  std::uint64_t block = 0;
  double angle_rev = 0;  // where it ends
  double off_rev = 0;    // how far that is behind where the run has it
  double evidence = 0;   // for the run, against nothing known (Jitter::evidence)
};

// What several readings say together.
struct Verdict {
  bool holds = false;
  double off_rev = 0;  // median of the readings that fit
  int readings = 0;
};

class OutOfTime {};

class Prober {
 public:
  Prober(TimedBlocks& drive, Frame& frame, std::uint64_t seed)
      : drive_(drive), frame_(frame), random_(seed) {}

  // Thrown by the next access after this time of the drive; 0: none.
  void set_deadline(Nanoseconds deadline_ns) { deadline_ns_ = deadline_ns; }

  // The angle at which a block ends; where no block may be read twice, as it was read before.
  // nullopt: unreadable, or kept for the frame.
  std::optional<double> angle(std::uint64_t block);
  bool may_repeat() const { return drive_.may_repeat(); }
  // Of the last access, which tells whether it caught its sector in the revolution in which it was
  // issued.
  Nanoseconds last_took_ns() const { return took_ns_; }
  // Of blocks whose next reading is a new one.
  bool fresh(std::uint64_t block) const { return drive_.may_repeat() || !read_.contains(block); }

  // One reading of a track of the run, of the block that comes by next once the arm is there.
  std::optional<Reading> look(const Run& run, std::uint32_t track, double unsure_rev = 0);
  // One reading of that slot of the track, or of the next that holds a block that can be read.
  std::optional<Reading> look_at(const Run& run, std::uint32_t track, std::uint32_t slot,
                                 double unsure_rev = 0);
  // Where no block may be read twice and the frame wants references: keeps blocks of the run for
  // it.
  void keep_frame_by(const Run& run);
  // Readings of a track until the evidence is clear either way.
  Verdict check(const Run& run, std::uint32_t track, double unsure_rev = 0, int least = 1);
  // Whatever the tracks' format: the run's first sectors lie where it begins.
  bool begins_here(const Run& run);

  // The angle under the head now.
  double rev_now();
  Nanoseconds now_ns() { return drive_.now_ns(); }
  // The angle under the head once the arm can be on that track.
  double rev_after_lead(const Run& run, std::uint32_t track);
  // What the platter turns by until the arm can be there.
  double lead_rev(const Run& run, std::uint32_t track) {
    return lead_to(run, track).ns / frame_.period_ns();
  }

  const Frame& frame() const { return frame_; }
  std::mt19937_64& random() { return random_; }

 private:
  // How long before a sector's beginning an access has to be issued, by how far the arm goes.
  // Learnt.
  struct Lead {
    double ns = 0;
    std::uint32_t hits = 0;
  };
  Lead& lead_to(const Run& run, std::uint32_t track);
  Reading reading(const Run& run, std::uint64_t block, double angle_rev, double unsure_rev) const;

  TimedBlocks& drive_;
  Frame& frame_;
  std::mt19937_64 random_;
  Nanoseconds deadline_ns_ = 0, took_ns_ = 0;
  struct Read {
    std::optional<double> rev;
    Nanoseconds took_ns = 0;
  };
  std::unordered_map<std::uint64_t, Read> read_;  // where no block may be read twice
  std::array<Lead, 40> leads_{};
  std::uint64_t arm_block_ = 0, arm_run_ = 0;  // where the last access was
};

}  // namespace platter::layout_by_timing

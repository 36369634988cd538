// Where the reference sector is in the revolution as time goes on: the error of the period and the
// slow wander of the spindle, seen through re-reads of one LBN, so that angles measured minutes
// apart can be compared.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "estimate/samples.h"
#include "model/drive_model.h"

namespace platter::estimate {

// The LBN whose reads tie a run together: of the anchors, or else of the rotation's reads. nullopt:
// there are none.
std::optional<std::uint64_t> reference_lbn(const Samples& samples);

// Phase at which the reference would have passed: an anchor of another sector (of experiment
// anchor, in its group) tells how far that one's end lies behind the reference's, in billionths of
// a revolution.
double anchor_phase_rev(const model::Rotation& rotation, const Sample& anchor);
std::int64_t billionths(double angle_rev);  // as such a group, never 0

// The reference reads made while angles were measured, in each session that they were: those of the
// rest of a run say nothing about that time.
Samples anchors_about_angles(const Samples& samples);

class PhaseDrift {
 public:
  // From the samples of experiment anchor (any others are ignored). How far around a time the
  // re-reads are averaged (from half a second up to all of them, as a straight line) is chosen by
  // leave-one-out prediction. Each session has a phase and a line of its own.
  PhaseDrift(const Samples& samples, const model::Rotation& rotation);

  bool known() const { return !bursts_.empty(); }
  // Whether anything tells of the session.
  bool knows(std::uint32_t session) const { return !of_session(session).empty(); }
  // Phase (turns, not reduced modulo 1) at which the reference read completes at about `time_ns` of
  // a session that it knows.
  double at_rev(Nanoseconds time_ns, std::uint32_t session) const;
  // One standard error of at_rev() amid the re-reads and the spread of one completion, in
  // revolutions.
  double error_rev() const { return error_rev_; }
  // The same at a time: larger where few re-reads are near, as at both ends.
  double error_at_rev(Nanoseconds time_ns, std::uint32_t session) const;
  double noise_rev() const { return noise_rev_; }
  // Standard deviation of the re-reads' phase about an even rotation within each session; 0 of
  // fewer than four bursts.
  double wander_rev() const { return wander_rev_; }
  // Errors of at_rev() at two times are alike where these are much nearer than this.
  double width_s() const { return width_s_; }

 private:
  struct Burst {
    double time_s = 0, phase_rev = 0, weight = 0;
    std::uint32_t session = 0;
  };
  // A local line's value at a time, and its variance where a completion's is 1.
  struct Smooth {
    double value = 0, variance = 0;
  };
  std::span<const Burst> of_session(std::uint32_t session) const;
  void choose_width();
  void learn_error(double miss_of_left_out_rev);
  // Through the bursts of a session, but one; none: size().
  Smooth line_at(double time_s, std::uint32_t session, double width_s, std::size_t without) const;
  // How far a burst lies from the line through the others; nullopt: its session has too few.
  std::optional<double> miss_rev(std::size_t burst, double width_s) const;

  std::vector<Burst> bursts_;  // by session and time
  Nanoseconds epoch_ns_ = 0;
  double width_s_ = 0, error_rev_ = 0, noise_rev_ = 0, wander_rev_ = 0;
  double usual_variance_ = 0;  // of the line at a re-read that is left out
};

}  // namespace platter::estimate

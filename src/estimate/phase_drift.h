// Where the reference sector is in the revolution as time goes on: the error of the period and the
// slow wander of the spindle, seen through re-reads of one LBN, so that angles measured minutes
// apart can be compared.
#pragma once

#include <map>
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

// An error that is made of errors which other errors are made of, too: each is independent, and by
// how much it enters is told in units of its own standard error, from number `first` on.
struct CommonError {
  std::size_t first = 0;
  std::vector<double> by_rev;
};

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
  // And how that errs.
  CommonError error_at(Nanoseconds time_ns, std::uint32_t session) const;
  // Spread of one completion.
  double noise_rev() const { return noise_rev_; }
  // Standard deviation of the re-reads' phase about an even rotation within each session; 0 of
  // fewer than four bursts.
  double wander_rev() const { return wander_rev_; }

 private:
  struct Burst {
    double time_s = 0, phase_rev = 0, weight = 0;
    std::uint32_t session = 0;
  };
  // A local line's value at a time, and its variance where a completion's is 1.
  struct Smooth {
    double value = 0, variance = 0;
  };
  // Of the bursts about a time in its session, weighted by their distance.
  struct Moments {
    double time_s = 0, width_s = 0;
    std::size_t first = 0, count = 0;  // of the session's bursts
    double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0;
    double v0 = 0, v1 = 0, v2 = 0;  // of the squared weights, by what a burst scatters

    double weight_of(const Burst& burst) const;
    void add(const Burst& burst, double weight, int times = 1);  // -1: it is taken out
    Moments seen_from(double other_time_s) const;
    double determinant() const { return w0 * w2 - w1 * w1; }
    bool has_slope() const;
  };
  std::span<const Burst> of_session(std::uint32_t session) const;
  void choose_width();
  void learn_scatter();
  // Of those of a session, but one; none: size().
  Moments whole_at(double time_s, std::uint32_t session, std::size_t without) const;
  Moments moments_at(double time_s, std::uint32_t session, double width_s,
                     std::size_t without) const;
  Smooth line_at(double time_s, std::uint32_t session, double width_s, std::size_t without) const;
  // How far a burst lies from the line through the others; nullopt: its session has too few.
  std::optional<double> miss_rev(std::size_t burst, double width_s) const;

  std::vector<Burst> bursts_;               // by session and time
  std::map<std::uint32_t, Moments> whole_;  // of a straight line through each session's
  Nanoseconds epoch_ns_ = 0;
  double width_s_ = 0, noise_rev_ = 0, wander_rev_ = 0;
  double scatter_rev_ = 0;  // of a completion, as the line's error shows it
};

}  // namespace platter::estimate

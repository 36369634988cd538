// The spinning platter: which angle is under the heads at a time, and when an angle passes. Angle
// comes from absolute time and the period as a ratio, so that it never drifts.
#pragma once

#include "engine/int128.h"
#include "engine/layout_map.h"
#include "model/units.h"

namespace platter::engine {

class Platter {
 public:
  // One revolution takes numerator_ns / denominator nanoseconds.
  // Throws Error(bad_input) unless it is between 100 us and 10 s.
  Platter(std::uint64_t numerator_ns, std::uint64_t denominator);

  Nanoseconds period_ns() const { return period_ns_; }

  // Whether a ratio can be one revolution of a drive: between 100 us and 10 s.
  static bool possible(std::uint64_t numerator_ns, std::uint64_t denominator);

  // `phase_ns`: how far the platter is ahead of its nominal angle.
  Angle angle_at(Nanoseconds now_ns, Nanoseconds phase_ns = 0) const {
    const std::int64_t since = now_ns + phase_ns;
    return since >= 0 ? turned(static_cast<std::uint64_t>(since))
                      : Angle{0} - turned(Angle{0} - static_cast<std::uint64_t>(since));
  }

  // What it turns by in less than a turn, short of the true value by at most 2^-64 turns a
  // nanosecond.
  Angle about_turned(Nanoseconds ns) const { return static_cast<std::uint64_t>(ns) * turns_[0]; }

  // Time to turn by `angle`, rounded to the nearest nanosecond.
  Nanoseconds turn_ns(Angle angle) const {
    const Uint128 scaled = Uint128{angle} * whole_ns_ +
                           static_cast<std::uint64_t>((Uint128{angle} * part_ns_) >> 64) +
                           (Uint128{1} << 63);
    // Short of the true value by less than 2, so the carry is right unless that could reach it.
    if (static_cast<std::uint64_t>(scaled) < ~std::uint64_t{1})
      return static_cast<Nanoseconds>(scaled >> 64);
    return exact_turn_ns(angle);
  }

  // The first time not before now_ns at which `angle` passes. A passage that lies up to kSlack
  // before now_ns still counts as now: times are rounded, and a head that has just finished a
  // sector is at the beginning of the next one.
  Nanoseconds next_passage(Angle angle, Nanoseconds now_ns, Nanoseconds phase_ns = 0) const {
    const Nanoseconds early = now_ns - kSlack;
    const Nanoseconds passage = early + turn_ns(angle - angle_at(early, phase_ns));
    return passage > now_ns ? passage : now_ns;
  }

  static constexpr Nanoseconds kSlack = 4;

 private:
  // frac(ns * denominator / numerator) as an angle, rounded down: a product with turns_, which is
  // short of the true value by less than 2 in the limb below the result.
  Angle turned(std::uint64_t ns) const {
    const Uint128 below = Uint128{ns} * turns_[1] +
                          static_cast<std::uint64_t>((Uint128{ns} * turns_[2]) >> 64);
    if (static_cast<std::uint64_t>(below) < ~std::uint64_t{1})
      return ns * turns_[0] + static_cast<std::uint64_t>(below >> 64);
    return exact_turned(ns);
  }
  Angle exact_turned(std::uint64_t ns) const;
  Nanoseconds exact_turn_ns(Angle angle) const;

  std::uint64_t numerator_ns_, denominator_;
  std::uint64_t turns_[3] = {};       // revolutions a nanosecond, times 2^64, 2^128, 2^192
  std::uint64_t whole_ns_, part_ns_;  // the period: nanoseconds, and 2^64ths of one
  Nanoseconds period_ns_;
};

}  // namespace platter::engine

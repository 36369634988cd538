// The spinning platter: which angle is under the heads at a time, and when an angle passes. Angle
// comes from absolute time and the period as a ratio, so that it never drifts.
#pragma once

#include "engine/layout_map.h"
#include "engine/wide.h"
#include "model/units.h"

namespace platter::engine {

class Platter {
 public:
  // One revolution takes numerator_ns / denominator nanoseconds.
  // Throws Error(bad_input) unless it is between 100 us and 10 s.
  Platter(std::uint64_t numerator_ns, std::uint64_t denominator);

  Nanoseconds period_ns() const { return period_ns_; }

  // `phase_ns`: how far the platter is ahead of its nominal angle.
  Angle angle_at(Nanoseconds now_ns, Nanoseconds phase_ns = 0) const {
    const std::int64_t since = now_ns + phase_ns;
    const auto forward = [this](std::uint64_t ns) {
      const Uint128 turned = Uint128{ns} * denominator_ % numerator_ns_;
      return static_cast<Angle>((turned << 64) / numerator_ns_);
    };
    return since >= 0 ? forward(static_cast<std::uint64_t>(since))
                      : Angle{0} - forward(static_cast<std::uint64_t>(-since));
  }

  // Time to turn by `angle`, rounded to the nearest nanosecond.
  Nanoseconds turn_ns(Angle angle) const {
    const Uint128 scaled = (Uint128{angle} * numerator_ns_) / denominator_;
    return static_cast<Nanoseconds>((scaled + (Uint128{1} << 63)) >> 64);
  }

  // Time for `sectors` of a track of `track_sectors` to pass, rounded to the nearest nanosecond.
  Nanoseconds sectors_ns(std::uint64_t sectors, std::uint32_t track_sectors) const {
    const Uint128 parts = Uint128{denominator_} * track_sectors;
    return static_cast<Nanoseconds>((Uint128{sectors} * numerator_ns_ + parts / 2) / parts);
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
  std::uint64_t numerator_ns_, denominator_;
  Nanoseconds period_ns_;
};

}  // namespace platter::engine

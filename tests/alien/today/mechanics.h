// What moves: a spindle whose speed wanders, and an arm that knows millimetres only.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chance.h"
#include "disks.h"

namespace today {

class Spindle {
 public:
  Spindle(const Design& design, Chance& chance, bool noise)
      : period_(60e9 / design.rpm), phase_(chance.uniform()) {
    if (!noise) return;
    for (const Design::Wave& wave : design.waves) {
      const double turn = 2 * M_PI / (wave.seconds * 1e9);
      waves_.push_back({turn, chance.uniform(0, 2 * M_PI), wave.ppm * 1e-6 / turn / period_});
    }
    drift_ = design.drift_ppm_an_hour * 1e-6 / 3600e9 / period_ / 2;
  }

  double period() const { return period_; }
  double turns(double t) const {
    double turns = t / period_ + phase_ + drift_ * t * t;
    for (const Wave& wave : waves_) turns += wave.swing * std::sin(wave.turn * t + wave.phase);
    return turns;
  }
  // The first time from t on at which an angle comes under the heads.
  double when(double angle, double t) const {
    const double now = turns(t);
    const double to_go = angle - now - std::floor(angle - now);
    const double then = t + to_go * period_;
    return std::max(t, then - (turns(then) - now - to_go) * period_);
  }

 private:
  struct Wave {
    double turn, phase, swing;
  };
  double period_, phase_, drift_ = 0;
  std::vector<Wave> waves_;
};

class Arm {
 public:
  Arm(const Design& design, const Disks& disks, const Spindle& spindle, Chance& chance, bool noise)
      : design_(design), disks_(disks), spindle_(spindle), chance_(chance), noise_(noise) {}

  bool stands_on(const Place& place) const {
    return place.surface == surface_ && place.track == track_;
  }

  // Rest to rest, without what is random.
  double move_ns(const Place& place) const {
    if (stands_on(place)) return 0;
    const double way = disks_.radius_mm(place.surface, place.track) -
                       disks_.radius_mm(surface_, track_);
    const double far = std::abs(way), speed = design_.speed, a = design_.acceleration;
    double ms = far < speed * speed / a ? 2 * std::sqrt(far / a) : speed / a + far / speed;
    if (way > 0) ms *= design_.outward;
    ms += design_.settle_ms + (place.surface != surface_ ? design_.switch_ms : 0);
    return ms * 1e6;
  }

  // When the heads have got there: at the first wedge that they see.
  double move(const Place& place, double t, bool write) {
    if (stands_on(place)) return t;
    t += move_ns(place) + (write ? design_.write_settle_ms * 1e6 : 0);
    if (noise_) {
      t += design_.position_us * 1e3 * std::max(-2.0, chance_.gauss());
      if (chance_.is(design_.overshoot_share)) t += design_.overshoot_ms * 1e6;
    }
    surface_ = place.surface;
    track_ = place.track;
    const double index = design_.surfaces[static_cast<std::size_t>(surface_)].index_rev;
    const double wedge = std::ceil((spindle_.turns(t) - index) * design_.wedges) / design_.wedges;
    return spindle_.when(wedge + index, t);
  }

 private:
  const Design& design_;
  const Disks& disks_;
  const Spindle& spindle_;
  Chance& chance_;
  bool noise_;
  int surface_ = 0, track_ = 0;
};

}  // namespace today

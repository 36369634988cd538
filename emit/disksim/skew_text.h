// A zone's skews as DiskSim's files have them: in sectors or in revolutions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace platter::emit_disksim {

// DiskSim cuts skews in sectors to whole ones; only such survive, and only they stay exact in its
// arithmetic, which makes up for what a revolution is longer than its sectors.
class SkewText {
 public:
  // `sectors` of a track; all the zone's skews, from 0 to 1 revolution.
  SkewText(std::uint32_t sectors, std::initializer_list<double> skews_rev)
      : sectors_(sectors), whole_(std::ranges::all_of(skews_rev, [&](double rev) {
          return std::fabs(rev * sectors_ - std::round(rev * sectors_)) < 1e-9;
        })) {}

  const char* units() const { return whole_ ? "sectors" : "revolutions"; }
  double number(double rev) const {
    return whole_ ? std::fmod(std::round(rev * sectors_), sectors_) : rev;
  }

 private:
  double sectors_;
  bool whole_;
};

}  // namespace platter::emit_disksim

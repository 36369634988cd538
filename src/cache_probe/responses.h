// How long this drive's hits take, and how long its misses: learned from control probes, so that
// each response says by how much it is likelier the one or the other. Pure.
#pragma once

#include <vector>

#include "cache_probe/record.h"

namespace platter::cache_probe {

class Responses {
 public:
  explicit Responses(const Record& record);

  // log(P(response | hit) / P(response | miss)), at most kMostTold either way: no single probe
  // decides.
  double log_ratio(const Observation& seen) const;
  bool is_fast(const Observation& seen) const { return log_ratio(seen) > 0; }

  double hit_rev() const { return hit_rev_; }    // median of the control hits
  double late_rev() const { return late_rev_; }  // from a sector's arrival to its completion

  static constexpr double kMostTold = 4.5;

 private:
  double if_hit(double response_rev, bool write) const;
  double if_miss(double response_rev, double ahead_rev) const;

  double period_ns_;
  bool trusted_;
  double hit_rev_ = 0, hit_spread_ = 0;  // the spread is that of its logarithm
  double late_rev_ = 0, late_spread_rev_ = 0, early_share_ = 0;
  std::vector<double> misses_rev_;
};

}  // namespace platter::cache_probe

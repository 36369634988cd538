// How long a map still takes, told by what of it has been met: slips, bands and misses differ from
// drive to drive more than capacities do.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace platter::extract {

class MapForecast {
 public:
  // So much of the map is done, `took_s` after it was begun. What is left of it, in seconds, when 2
  // and when 5 % are done first, and at some shares later; else nothing. By the pace since a share
  // was first told, for a map begins with what is learnt once.
  std::optional<double> left_s(double share, double took_s);

 private:
  struct Point {
    double share = 0, took_s = 0;
  };
  static constexpr std::array<double, 6> kTold{0.02, 0.05, 0.1, 0.2, 0.35, 0.5};
  std::optional<Point> first_;
  std::size_t told_ = 0;
};

}  // namespace platter::extract

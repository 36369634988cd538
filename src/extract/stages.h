// The stages of a run and their share of its time, for progress; the shares are what runs on drives
// of 5400 to 15000 rpm took.
#pragma once

#include <array>
#include <string_view>

namespace platter::extract {

struct Stage {
  std::string_view name;
  double weight;
};

constexpr std::array<Stage, 8> kStages{{
    {"warm-up", 1},
    {"rotation", 15},
    {"layout", 10},
    {"angles", 30},
    {"seeks", 40},
    {"head switch and write settle", 10},
    {"overheads", 20},
    {"cache", 30},
}};

constexpr double kAllWeights = [] {
  double all = 0;
  for (const Stage& stage : kStages) all += stage.weight;
  return all;
}();

}  // namespace platter::extract

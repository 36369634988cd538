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
    {"rotation", 3},
    {"layout", 9},
    {"angles", 20},
    {"seeks", 20},
    {"head switch and write settle", 7},
    {"overheads", 8},
    {"cache", 50},
}};

constexpr double kAllWeights = [] {
  double all = 0;
  for (const Stage& stage : kStages) all += stage.weight;
  return all;
}();

}  // namespace platter::extract

// The stages of a run and their share of its time, for progress and for what a budget leaves to
// each; the shares are what runs on drives of 5400 to 15000 rpm took, in about the seconds of a
// drive of 10,000 rpm.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace platter::extract {

struct Stage {
  std::string_view name;
  double weight;
  double least;  // of it, where time is short: what is left is too little to be of use
};

constexpr std::array<Stage, 11> kStages{{
    {"warm-up", 0.5, 1},
    {"rotation", 2, 1},
    {"layout", 6, 1},
    {"angles", 11, 0.4},
    {"seeks", 12, 0.25},
    {"head switch and write settle", 7, 0.25},
    {"overheads", 5.5, 0.3},
    {"cache", 12, 0.4},
    {"self-validation, caches on", 1.5, 0.6},
    {"self-validation", 6.5, 0.5},
    {"queue", 1, 1},
}};

enum : std::size_t {
  kWarmUp,
  kRotation,
  kLayout,
  kAngles,
  kSeeks,
  kSwitches,
  kOverheads,
  kCache,
  kMixedValidation,
  kSelfValidation,
  kQueue
};

// What a run that is given less time gives up precision in, the first first; the layout never.
constexpr std::array<std::size_t, 7> kGivenUpInOrder{
    kCache, kMixedValidation, kSelfValidation, kOverheads, kSwitches, kSeeks, kAngles};

constexpr double kAllWeights = [] {
  double all = 0;
  for (const Stage& stage : kStages) all += stage.weight;
  return all;
}();

}  // namespace platter::extract

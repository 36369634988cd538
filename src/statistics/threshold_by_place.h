// The threshold of trials at several places, each with a time of its own, which its trials have in
// common: the error of the mean over places, however many trials each has. The jackknife over
// groups of places (Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982, chapter
// 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "statistics/threshold.h"

namespace platter::statistics {

// `places`: of each trial, any number. As fit_threshold(), with an error at least as large; the
// same with fewer than four places.
std::optional<Threshold> fit_threshold_by_place(std::span<const CensoredTrial> trials,
                                                std::span<const std::uint32_t> places,
                                                const ThresholdPrior& prior);

}  // namespace platter::statistics

// What is thought of a trial before any was seen.
#pragma once

#include "statistics/threshold.h"

namespace platter::estimate {

// Spread of a trial's time before any was seen: 40 us within a factor of 3 or so.
statistics::ThresholdPrior trial_prior(double period_ns);
// The same for accesses to the track where the heads are: what disturbs them can only delay them.
statistics::ThresholdPrior same_track_prior(double period_ns);

}  // namespace platter::estimate

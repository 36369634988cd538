// Whether a calibrated model is nearer to the drive on the requests that it did not learn from.
#pragma once

#include "calibrate/gain.h"
#include "calibrate/measurement.h"
#include "replay/compare.h"
#include "replay/result.h"

namespace platter::calibrate {

struct Verdict {
  // By how much each falls, ms, and its standard error.
  Gain difference{};  // the mean absolute difference, paired over twenty stretches
  Gain demerit{};     // by the jackknife over the same stretches
  // Neither rises, and one falls by more than two standard errors.
  bool better = false;
  // Neither rises, the demerit not beyond two standard errors.
  bool no_worse = false;
};

// Results of the same trace, all of it; `judge`: which requests count.
Verdict verdict_of(const replay::Result& drive, const replay::Result& before,
                   const replay::Result& after, Range judge);

// Of the media accesses of both sides the share of those whose rotational position the second model
// knows rises by more than four standard errors. In the model's own time, or in the drive's.
bool knows_more_positions(const replay::Comparison& before, const replay::Comparison& after,
                          bool drives_time);

}  // namespace platter::calibrate

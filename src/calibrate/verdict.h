// Whether a calibrated model is nearer to the drive on the requests that it did not learn from.
#pragma once

#include <string>

#include "calibrate/gain.h"
#include "calibrate/measurement.h"
#include "replay/result.h"

namespace platter::calibrate {

struct Verdict {
  // By how much each falls, ms, and its standard error.
  Gain difference{};  // the mean absolute difference, paired over twenty stretches
  Gain demerit{};     // by the jackknife over the same stretches
  // Neither rises, and one falls by more than two standard errors.
  bool better = false;
};

// Results of the same trace, all of it; `judge`: which requests count.
Verdict verdict_of(const replay::Result& drive, const replay::Result& before,
                   const replay::Result& after, Range judge);

}  // namespace platter::calibrate

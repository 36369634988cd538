#include "estimate/trial_prior.h"

namespace platter::estimate {

statistics::ThresholdPrior trial_prior(double period_ns) {
  statistics::ThresholdPrior prior;
  prior.spread = 40e3;
  prior.log_width = 0.8;
  prior.late_mean = 0.15 * period_ns;
  return prior;
}

statistics::ThresholdPrior same_track_prior(double period_ns) {
  statistics::ThresholdPrior prior = trial_prior(period_ns);
  prior.skewed = true;
  prior.log_width = 1.3;  // on the early side only the host's delay scatters
  return prior;
}

}  // namespace platter::estimate

// Angles of a zone's tracks fitted by its unknowns, in spite of what is measured only modulo one
// revolution. Pure.
#pragma once

#include <vector>

#include "estimate/phase_drift.h"
#include "estimate/zone_shape.h"
#include "statistics/regression.h"

namespace platter::estimate {

// Angle of the first slot of one track, from a few reads of its sectors.
struct TrackAngle {
  std::uint64_t track_slot = 0;  // first slot of the track
  double angle_rev = 0;          // modulo 1
  double sigma_rev = 0;          // one standard error
  CommonError common = {};       // that others read at about that time share
};

// What all angles err by together: their mean common error.
std::vector<double> mean_common_error(const std::vector<TrackAngle>& all);

struct ZoneFit {
  std::vector<double> unknowns;
  std::vector<bool> introduced;       // which unknowns are known
  statistics::Matrix covariance;      // of the unknowns, revolutions squared
  std::vector<double> residuals_rev;  // by observation; 1 where it could not be unwrapped yet
  std::vector<bool> odd;              // further from the fit than noise explains
  double scale = 1;                   // spread of the residuals in units of their sigma
  std::size_t used = 0;

  double predict_rev(const std::vector<double>& row) const;
  // Standard error of a prediction; infinite where an unknown is not known.
  double error_rev(const std::vector<double>& row) const;
};

// A prediction this sharp counts whole revolutions beyond doubt.
constexpr double kSureUnwrap_rev = 0.03;

// Observations in any order; each is used as soon as what is known predicts it well enough for its
// whole revolutions to be counted. Then a robust regression over all that were used.
// `all_read`: nothing will be read to make the next one surer, so where none is sure the surest is
// used. `err_alike_rev`: what all angles err by alike, which is no error of theirs against each
// other. Common errors are in the covariance alone. Of a shape that is not solvable nothing is
// introduced, and the covariance is empty.
ZoneFit fit_zone(const ZoneShape& shape, const std::vector<TrackAngle>& observations,
                 bool all_read = false, const std::vector<double>& err_alike_rev = {});

}  // namespace platter::estimate

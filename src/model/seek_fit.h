// The form in which the literature gives seek curves, fitted to a measured one.
#pragma once

#include <cstdint>
#include <optional>

#include "model/drive_model.h"

namespace platter::model {

// Ruemmler and Wilkes, "An introduction to disk drive modeling" (IEEE Computer 27(3), 1994), Table
// 1: a + b sqrt(d) while the arm mostly accelerates and brakes, c + e d where it coasts; both are
// the same at the knee. Times in ms, distances d in cylinders.
struct SeekFit {
  double a_ms = 0, b_ms = 0;
  double c_ms = 0, e_ms = 0;
  std::uint32_t knee = 0;  // the longest distance of the curve that the root describes
  double rms_ms = 0;       // of what the curve differs from it

  double time_ms(double cylinders) const;
};

// Least squares over the curve's points, all of one weight, and over all points as the knee with at
// least three points on either side. nullopt: the curve has fewer than six points.
std::optional<SeekFit> fit_seek(const Seek& seek);

}  // namespace platter::model

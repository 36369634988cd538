// How long one revolution takes.
#pragma once

#include "model/drive_model.h"

namespace platter::model {

// The rotation must be known (numerator_ns above 0).
inline double revolution_ns(const Rotation& rotation) {
  return static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator);
}

}  // namespace platter::model

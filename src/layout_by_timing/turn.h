// Angles as shares of a revolution.
#pragma once

#include <cmath>

namespace platter::layout_by_timing {

// Into [0, 1).
inline double turn(double rev) { return rev - std::floor(rev); }

// Into [-0.5, 0.5): how far an angle is ahead.
inline double ahead(double rev) { return rev - std::floor(rev + 0.5); }

}  // namespace platter::layout_by_timing

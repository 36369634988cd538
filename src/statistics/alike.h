// Whether values that ought to be alike are, within their errors.
#pragma once

#include <span>

#include "statistics/robust.h"

namespace platter::statistics {

constexpr double kBeyondDoubt = 4.5;  // standard errors

// Whether values in some order are off `expected` by so many standard errors: all together, or a
// quarter of them in their order, so that a trend shows, too. Of fewer than four nothing is said.
bool differ_from(std::span<const Estimate> values, double expected, double sigmas = kBeyondDoubt);

}  // namespace platter::statistics

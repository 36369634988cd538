// The median of few values that scatter as many others do: of a skewed scatter the lower half says
// more than the middle.
#pragma once

#include <optional>
#include <span>

#include "statistics/robust.h"

namespace platter::statistics {

// `deviations`: of many values of the same scatter, each from the median of its own kind. What the
// mean of the lower half of `values` is below their median is taken from them, and the error from
// draws of as many. nullopt: less than 3 values, less than 24 deviations, or values that scatter
// more than thrice or less than a third as wide as such draws usually do.
std::optional<Estimate> median_by_shape(std::span<const double> values,
                                        std::span<const double> deviations);

}  // namespace platter::statistics

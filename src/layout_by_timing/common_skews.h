// Skews that many runs have in common, which a drive sets by its servo wedges: from track to track,
// and from a run to the next one. What was measured of one has the noise of its two ends; the
// common one is better, and a model says it once.
#pragma once

#include <cstddef>
#include <vector>

#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

// Below so many runs there is nothing to gain: a layout says each run's skew.
constexpr std::size_t kFewestForCommonSkews = 1024;

// A run takes the skew that others have where no track of it moves by more than 0.001 revolutions
// against the middle one, which stays; then it begins where the skew that others have puts it
// behind the run before, where that is not farther away. Other runs stay as they are.
void take_common_skews(std::vector<Run>& runs);

}  // namespace platter::layout_by_timing

// The comparison as it is told: everything in memory, each class by itself. For small results, to
// judge by.
#pragma once

#include "replay/compare.h"

namespace platter::replay {

Comparison compare_in_memory(const Result& drive, const Result& model,
                             const Comparing& options = {});

}  // namespace platter::replay

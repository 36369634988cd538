// A comparison for programs (JSON) and for people (a sentence and a table).
#pragma once

#include <span>
#include <string>

#include "replay/compare.h"

namespace platter::replay {

// One comparison: an object with the metrics of `all`, `read`, `write` and `size_classes`; several:
// an object whose `comparisons` are such objects. docs/metrics.md is the reference of its names.
std::string comparison_json(std::span<const Comparison> comparisons);

std::string comparison_table(const Comparison& comparison);

}  // namespace platter::replay

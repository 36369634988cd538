// The differences of two models as a table for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "model/diff.h"

namespace platter::report {

struct DifferenceCount {
  std::size_t compared = 0, differing = 0, in_one_only = 0;
};

DifferenceCount count(const std::vector<model::Difference>& differences);

// A summary, then the figures that differ, or all of them.
std::string differences_as_text(const std::vector<model::Difference>& differences, bool all);
// A list of {path, unit, a, b, difference, relative, within_error}; null for what there is not.
std::string differences_as_json(const std::vector<model::Difference>& differences);

}  // namespace platter::report

// The differences of two models as a table for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "model/diff.h"

namespace platter::report {

struct DifferenceCount {
  std::size_t compared = 0, differing = 0, in_one_only = 0, not_judged = 0;
  std::size_t with_error = 0, beyond_two = 0;  // that state errors; more than two of them apart
};

DifferenceCount count(const std::vector<model::Difference>& differences);

// A summary, then the figures that differ, or all of them.
std::string differences_as_text(const std::vector<model::Difference>& differences, bool all);
// `differences`: {path, unit, a, b, difference, relative, in_errors, within_error, not_judged};
// null for what there is not.
std::string differences_as_json(const std::vector<model::Difference>& differences);

}  // namespace platter::report

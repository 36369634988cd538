// A drive against its own earlier model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/figures.h"

namespace platter::fleet {

struct Change {
  std::string path, unit;
  double before = 0, after = 0;
  std::optional<double> in_errors;  // combined standard errors; absent: nothing states one
  // By the stated errors, Gaussian: of this figure, and of one of all. 0 where no error is stated.
  double chance = 0, among_all = 0;
  double resolution = 0;  // where no error is stated: what the figure tells apart (resolution.h)
};

struct Changes {
  std::size_t looks = 0;         // figures that both models have
  std::vector<Change> measured;  // that the errors do not explain, the least likely first
  std::vector<Change> facts;     // that differ and state no error: what they are worth, nobody says
  std::vector<Change> unresolved;  // likewise, but by no more than what they tell apart
};

// In the figures of `platter diff`, the layout's among them, and in what was remapped. With
// unchanged drives and honest errors there is a measured change with the chance kFalseAlarm.
Changes changes_between(const model::DriveModel& before, const model::DriveModel& after);

}  // namespace platter::fleet

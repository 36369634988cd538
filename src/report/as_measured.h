// A virtual drive's truth beside what a run measured of it. A host cannot separate its own delay,
// and noise that can only delay, from the drive's work: some numbers are sums (docs/validation.md,
// Stated errors), and are compared as such. Others cannot differ in what the drive does.
#pragma once

#include <map>
#include <string>

#include "model/drive_model.h"

namespace platter::report {

// Two models of which one is the truth and the other was measured.
bool are_truth_and_measured(const model::DriveModel& a, const model::DriveModel& b);

struct Comparable {
  model::DriveModel measured;  // per_request in the eight overheads, where it comes in front of
                               // them
  model::DriveModel truth;  // its sums as any host would measure them; seeks at the measured points
  std::map<std::string, std::string> not_judged;  // path in the JSON: why
};

Comparable comparable(const model::DriveModel& measured, const model::DriveModel& truth);

}  // namespace platter::report

// No error is smaller than what the host's view of time leaves open.
#pragma once

#include "model/drive_model.h"
#include "model/units.h"

namespace platter::extract {

// Raises the standard errors of times (ms) that are smaller than completions on such a grid allow
// for as many samples (mtbrc/completion_grid.h). Pure.
void raise_errors_to_grid(model::DriveModel& model, Nanoseconds grid_ns);

}  // namespace platter::extract

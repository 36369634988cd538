// A model's seek curves with fewer points, chosen so that the largest error is the least.
#pragma once

#include <cstddef>

#include "model/drive_model.h"

namespace platter::emit_small {

// Points of all curves together, as a table has them: at the distances of all of them.
std::size_t seek_points(const model::DriveModel& model);

// All curves keep the same distances, the first and the last among them, and no more than
// `most_points` (at least 3).
void thin_seeks(model::DriveModel& model, std::size_t most_points);

}  // namespace platter::emit_small

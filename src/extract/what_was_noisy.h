// What disturbed the times of a run, and is no part of its model: what a reader has to know of the
// host and of the drive before taking the numbers.
#pragma once

#include <string>
#include <vector>

#include "estimate/samples.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

// Of the host's delay, the spindle's wander and accesses that come late. Pure.
model::Notes what_was_noisy(const estimate::Samples& samples, const model::DriveModel& model);

}  // namespace platter::extract

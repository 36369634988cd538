// What was measured and cannot be as it stands: said in words, never put right in silence, and
// taken out where no model can hold it.
#pragma once

#include <string>
#include <vector>

#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

// A sentence for each time of overheads, head switch and bus that came out below zero, with how far
// in standard errors.
std::vector<std::string> times_below_zero(const model::DriveModel& model);
// Whatever model::validate() refuses is taken out until it refuses nothing more: a parameter is
// absent with the reason, so is a map or a speed that contradicts itself, a point of a curve is
// gone. Sentences of what was taken out. Nothing else is touched.
model::Notes take_out_what_cannot_be(model::DriveModel& model);

// All of these, and a sentence for seeks to a longer distance that take clearly less time. What a
// model can hold stays in it as measured.
model::Notes impossible_values(model::DriveModel& model);

}  // namespace platter::extract

// What a person has to know of a model that is written, shown or published.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::jobs {

// On standard error: times below zero, which no drive has though a model may.
void tell_doubts(const model::DriveModel& model);

// Throws Error(incomplete) where a run that came to its end lacks what it was for
// (model/quality.h); `output` is its model, which is written.
void require_what_a_run_is_for(const model::DriveModel& model, const std::string& output);

}  // namespace platter::jobs

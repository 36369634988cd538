// Models of runs that were cut off, or did not get all that they announced.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::model {

// Throws Error(bad_input) where the model lacks a stage without which no request can be predicted.
// `path` names it, `purpose` says what for: "be replayed on".
void require_what_predicts(const DriveModel& model, const std::string& path,
                           const std::string& purpose);
// The same where it lacks anything.
void require_complete(const DriveModel& model, const std::string& path, const std::string& purpose);
// "the stages a, b and c: the run was interrupted"; "" for a complete model.
std::string what_is_missing(const Provenance& provenance);

}  // namespace platter::model

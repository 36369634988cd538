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

// What goes with the name of a model wherever it is shown: one that was derived from another must
// not pass for one that was measured.
constexpr const char* kDerivedMethod = "derived";  // provenance.method, and that of its parameters

// "derived, not validated", "derived" (where demerits are stated); "" for every other model.
std::string standing_of(const Provenance& provenance, const Validity& validity);

// NAME (derived, not validated); NAME for a model that was not derived.
std::string with_standing(const std::string& name, const Provenance& provenance,
                          const Validity& validity);

// Of a run whose host was too noisy for what was asked of it: the sentence of its finding, which is
// to be seen at once; "" for every other model.
std::string noise_of_host(const Provenance& provenance);

}  // namespace platter::model

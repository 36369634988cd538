// The measured numbers of a model as one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::model {

struct NamedParameter {
  std::string path;  // in the model's JSON
  Parameter parameter;
};

// A parameter without a value, and why.
Parameter absent(std::string reason, std::string unit = "");

// Rotation, head switch, settle, cache, overheads, bus and queue, in this order; those without a
// value too, so that the lists of two models run in parallel. Behind them what models of several
// arms have alone. The period is that of the exact ratio.
std::vector<NamedParameter> parameters_of(const DriveModel& model);

// By its path in the JSON: "cache.segments", "head_switch"; nullptr: there is no such parameter.
const Parameter* find_parameter(const DriveModel& model, std::string_view path);
Parameter* find_parameter(DriveModel& model, std::string_view path);

// Gives every parameter, curve and map that has neither a value nor a reason this reason.
void explain_missing(DriveModel& model, const std::string& reason);

}  // namespace platter::model

// The JSON form of a DriveModel: what a model file holds. docs/model.md is the reference of its
// fields.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::model {

// Numbers survive the way there and back exactly. Throws Error(bad_input) for an invalid model.
std::string to_json_text(const DriveModel& model);

// Strict: anything but a complete, valid model of a known schema version throws Error(bad_input)
// with one sentence that names `origin` (a file name) and the JSON path.
DriveModel from_json_text(const std::string& text, const std::string& origin);

// The version of the program that wrote a model, from a text that from_json_text takes; "" where it
// does not say.
std::string tool_version_in(const std::string& text);

DriveModel load_model(const std::string& path);
void save_model(const DriveModel& model, const std::string& path);

}  // namespace platter::model

// The JSON form of a DriveModel: what a model file holds. docs/model.md is the reference of its
// fields.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::model {

// Numbers survive the way there and back exactly. Throws Error(bad_input) for an invalid model, and
// for one of a newer minor version that was not understood whole: what is missing would be lost.
std::string to_json_text(const DriveModel& model);
// Of such a model what was understood: for what is made of a model and is none.
std::string known_json_text(const DriveModel& model);

// Strict: anything but a complete, valid model of a known schema version throws Error(bad_input)
// with one sentence that names `origin` (a file name) and the JSON path. Members that it does not
// know are in `passed_over` where the file is of a newer minor version; who reads says so.
DriveModel from_json_text(const std::string& text, const std::string& origin);

// The version of the program that wrote a model, from a text that from_json_text takes; "" where it
// does not say.
std::string tool_version_in(const std::string& text);

// With a notice of what was passed over.
DriveModel load_model(const std::string& path);
void save_model(const DriveModel& model, const std::string& path);

}  // namespace platter::model

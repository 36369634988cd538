// A model that is there and better than the one that would replace it, by the words of
// model/quality.h.
#pragma once

#include <optional>
#include <string>

#include "model/drive_model.h"

namespace platter::jobs {

// In which uses the measured model at `path` is better: "its writes are good, these unchecked".
// nullopt: in none, or what lies there is no measured model.
std::optional<std::string> better_there(const std::string& path, const model::DriveModel& coming);

// What a symbolic link leads to, whether that is there or not; else the path as it is. So what goes
// beside a file goes beside the file itself.
std::string behind_links(const std::string& path);

// What a person has to know of a model that is written, shown or published.
// On standard error: times below zero, which no drive has though a model may.
void tell_doubts(const model::DriveModel& model);

// Throws Error(incomplete) where a run that came to its end lacks what it was for
// (model/quality.h); `output` is its model, which is written.
void require_what_a_run_is_for(const model::DriveModel& model, const std::string& output);

}  // namespace platter::jobs

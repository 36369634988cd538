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

}  // namespace platter::jobs

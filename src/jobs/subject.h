// From a file's name on the command line to something that a trace can be replayed on: a model
// file, a table (.ptab) or DiskSim's files (.parv, .diskspecs).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "replay/replay_model.h"

namespace platter::jobs {

// Whether the name is that of one of DiskSim's files.
bool is_disksim_file(const std::string& path);

struct LoadedSubject {
  std::optional<model::DriveModel> model;  // of a model file only
  replay::Subject subject;                 // its name says if it is a table or DiskSim's
};

// Throws Error(bad_input) for a file that is none of these.
LoadedSubject load_subject(const std::string& path);

// What the results of each are called: MODEL for MODEL.json, else with the ending. Never `drive`,
// which is the drive's own, and each its own where several have one name.
std::vector<std::string> subject_file_names(const std::vector<std::string>& paths);

}  // namespace platter::jobs

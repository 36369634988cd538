// From a file's name on the command line to something that a trace can be replayed on: a model file,
// a table (.ptab) or DiskSim's files (.parv, .diskspecs).
#pragma once

#include <optional>
#include <string>

#include "model/drive_model.h"
#include "replay/replay_model.h"

namespace platter::cli {

struct LoadedSubject {
  std::optional<model::DriveModel> model;  // of a model file only
  replay::Subject subject;                 // its name says if it is a table or DiskSim's
};

// Throws Error(bad_input) for a file that is none of these.
LoadedSubject load_subject(const std::string& path);

// What its results are called: MODEL for MODEL.json, else with the ending.
std::string subject_file_name(const std::string& path);

}  // namespace platter::cli

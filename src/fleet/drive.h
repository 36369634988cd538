// A drive of a fleet: its model, and how one names it; or why there is none.
#pragma once

#include <string>

#include "model/drive_model.h"
#include "model/error.h"

namespace platter::fleet {

struct Drive {
  std::string name;  // reference in a registry, or the model's file
  model::DriveModel model;
};

// What was to be a drive's model and is none.
struct LeftOut {
  std::string name;  // reference in a registry, or the file
  ExitStatus status = ExitStatus::bad_input;
  std::string error;
};

}  // namespace platter::fleet

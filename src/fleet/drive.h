// A drive of a fleet: its model, and how one names it.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::fleet {

struct Drive {
  std::string name;  // reference in a registry, or the model's file
  model::DriveModel model;
};

}  // namespace platter::fleet

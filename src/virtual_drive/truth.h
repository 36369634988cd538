// What a virtual drive really is, for those who may know it: `platter truth`.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::virtual_drive {

// The model that virtual:NAME or virtual:FILE.json plays, imperfections included. Where a seed is
// given the power-on phase follows from it, and a note of the provenance tells it. Throws as
// open_virtual does, and Error(usage) for a name of another kind.
model::DriveModel truth_of(const std::string& device_name);

}  // namespace platter::virtual_drive

// A DiskSim 4.0 parameter set (.parv, or .diskspecs with its .model and .seek) as a DriveModel.
#pragma once

#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_disksim {

struct Imported {
  model::DriveModel model;
  std::vector<std::string> warnings;  // what of the files has an effect in DiskSim and none in the model
};

// `drive` names the disksim_disk block where the files describe several. Throws Error(bad_input) for
// files that are not what they should be (with file and line), Error(unsupported) for a layout other
// than dm_layout_g1 or a mechanism other than dm_mech_g1.
Imported import_disksim(const std::string& path, const std::string& drive = "");

}  // namespace platter::emit_disksim

// A DriveModel as a DiskSim 4.0 parameter set that is ready to run.
#pragma once

#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_disksim {

struct Exported {
  std::string name;                   // of the files and of the drive's block
  std::vector<std::string> files;     // full paths; the .parv first
  std::vector<std::string> warnings;  // where the files differ from the model
};

// Writes NAME.parv, NAME.diskspecs, NAME.model, NAME.seek and NAME.statdefs into `folder` (made if
// it is not there). Without `name` it is made of the drive's. Before they get their names the files
// are read back: every LBN must lie on its cylinder and head, at its angle within 1e-6 revolutions
// (five times the model's stated error of angles, where it states one), every seek take its time.
// Throws Error(unsupported) for what DiskSim cannot express, Error(bad_input) for a model without
// rotation, layout or seeks, Error(output).
Exported export_disksim(const model::DriveModel& model, const std::string& folder,
                        const std::string& name = "");

}  // namespace platter::emit_disksim

// A DiskSim 4.0 parameter set (.parv, or .diskspecs with its .model and .seek) as a DriveModel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::emit_disksim {

struct Imported {
  model::DriveModel model;
  std::vector<std::string> warnings;  // what of the files has an effect in DiskSim and none in the
                                      // model
};

// How parameters are taken of which DiskSim's manual says one thing and the program does another:
// each as its rule has it (rules.h), or all alike.
enum class TakenAs : std::uint8_t { by_rule, meant, run };

// `drive` names the disksim_disk block where the files describe several. A file with a dm_disk or a
// layout alone (dm_layout_g1, g2, g4) gives a part of a model; what it lacks comes from `with`, a
// model
// (.json) or another DiskSim file, or is absent, with a warning. Throws Error(bad_input) for files
// that are not what they should be (with file and line), Error(unsupported) for another layout, a
// mechanism other than dm_mech_g1, and places that the model cannot express, Error(usage) for a
// `with` that a whole drive does not need.
Imported import_disksim(const std::string& path, const std::string& drive = "",
                        const std::string& with = "", TakenAs taken_as = TakenAs::by_rule);

}  // namespace platter::emit_disksim

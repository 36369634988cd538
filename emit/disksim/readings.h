// The readings of parameters of which DiskSim's manual says one thing and the program does another
// (rules.h), in a model that has taken the files at their word.
#pragma once

#include "emit/disksim/import.h"
#include "emit/disksim/libparam.h"
#include "emit/disksim/rules.h"

namespace platter::emit_disksim {

// What a disksim_disk block says, and the type of its layout.
Told told_by(const Block& disk);

// Where the program's reading is taken the model gets it, and its member `disksim` keeps the word
// of the file. A note in provenance names the rule, what was taken, and why.
void take_as(TakenAs taken_as, const Told& told, model::DriveModel& model);

}  // namespace platter::emit_disksim

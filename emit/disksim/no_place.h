// Parameters of DiskSim that no field of the model holds, and why: each is idle while it has one
// certain value, or always.
#pragma once

#include <string>
#include <vector>

#include "emit/disksim/libparam.h"

namespace platter::emit_disksim {

struct Notes {
  std::vector<std::string> warnings;  // an effect in DiskSim that the model lacks
  std::vector<std::string> idle;      // "NAME = VALUE" of what has no place and, as set, no effect
};

// Marks those parameters of a disksim_disk, a disksim_ioqueue or a dm_mech_g1 as read and notes them.
void note_without_place(BlockReader& reader, Notes& notes);

// Warns of each parameter that nobody has read: it is unknown.
void note_unknown(const BlockReader& reader, std::vector<std::string>& warnings);

}  // namespace platter::emit_disksim

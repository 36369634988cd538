// Parameters of DiskSim that no field of the model holds, and why: each is idle while it has one
// certain value, or always.
#pragma once

#include <string>
#include <vector>

#include "emit/disksim/libparam.h"

namespace platter::emit_disksim {

struct Notes {
  std::vector<std::string> warnings;  // an effect in DiskSim that the model lacks
  struct Idle {
    std::string text, why;  // "NAME = VALUE"
  };
  std::vector<Idle> idle;  // what has no place and, as it is set, no effect

  // In a sentence, those of one reason together; "" where there are none.
  std::string idle_text() const;
};

// Marks those parameters of a disksim_disk, _ioqueue, _bus, _ctlr or _iodriver or a dm_mech_g1 that
// nobody has read as read, and notes them.
void note_without_place(BlockReader& reader, Notes& notes);

// Warns of each parameter that nobody has read: it is unknown.
void note_unknown(const BlockReader& reader, std::vector<std::string>& warnings);

}  // namespace platter::emit_disksim

// Power conditions: what the drive tells of waking up (VPD page 8Ah), and what it takes, measured
// with its timers (mode page 1Ah) at one second in turn.
#pragma once

#include "extract/findings.h"

namespace platter::extract {

struct Rig;
struct Seen;

// Facts::power as VPD page 8Ah tells it; nothing where the drive has no such page, or none of its
// timers is on and nobody asked.
void find_power(Rig& rig);
void measure_wakes(Rig& rig);
// What was measured so far, in the place of what was told.
void take_power(const Seen& seen, Findings& found);

}  // namespace platter::extract

// What other simulators take of a drive, in their own names and units, ready to paste. Their
// sources are named in docs/simulators.md.
#pragma once

#include <string>
#include <vector>

#include "emit/summary/drive_summary.h"

namespace platter::emit_summary {

struct Simulator {
  std::string name, note, text;
};

std::vector<Simulator> simulators(const DriveSummary& drive);

// An entry of 86Box' hdd_speed_presets (src/disk/hdd.c).
std::string preset_86box(const DriveSummary& drive);

}  // namespace platter::emit_summary

// When an experiment has seen enough: the errors that are aimed at, and how much is looked at, by
// the run's precision and the drive's speed. docs/characterize.md, "Precision", has what a
// prediction needs.
#pragma once

#include "mtbrc/angle.h"
#include "mtbrc/context.h"
#include "mtbrc/overheads.h"
#include "mtbrc/passing_sectors.h"
#include "mtbrc/precision.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/watermark.h"
#include "mtbrc/write_seek.h"

namespace platter::mtbrc {

// By default those of high precision.
struct Targets {
  AngleOptions angles = {};
  PassingOptions passing = {};
  SeekOptions seeks = {};
  SwitchOptions switches = {};
  WriteSeekOptions write_seeks = {};
  OverheadOptions overheads = {};
  WatermarkOptions watermark = {};
};

// Requests of slow drives take longer, and with them what their demerit does not show: times what
// it is of a drive of 10,000 rpm.
double slowness(double period_ns);
Targets targets_of(const Context& context);

}  // namespace platter::mtbrc

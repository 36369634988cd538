// When an experiment has seen enough: the errors that are aimed at, and how much is looked at, by
// the run's precision. docs/characterize.md, "Precision", has what a prediction needs.
#pragma once

#include "mtbrc/angle.h"
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

const Targets& targets_of(Precision precision);

}  // namespace platter::mtbrc

// The map while it is made, and what sees the drive: each through those before it. What uses all of
// them derives from it; what uses a few names these.
#pragma once

#include "layout/agreement.h"
#include "layout/block_map.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"
#include "layout/track_meter.h"
#include "layout/track_reader.h"

namespace platter::layout {

struct MapAndDrive {
  BlockMap& map;
  Survey& survey;
  SectorNumbers& numbers;
  TrackReader& reader;
  TrackMeter& meter;
  Agreement& agreement;
};

}  // namespace platter::layout

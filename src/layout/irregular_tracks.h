// Where no rule holds: from there on every track is looked at by itself, and nothing is inferred.
#pragma once

#include <cstdint>

#include "layout/attempts.h"
#include "layout/map_and_drive.h"
#include "layout/outcome.h"
#include "layout/zone_start.h"

namespace platter::layout {

class IrregularTracks : MapAndDrive {
 public:
  IrregularTracks(const MapAndDrive& all, ZoneStart& starts, Attempts& attempts)
      : MapAndDrive(all), starts_(starts), attempts_(attempts) {}

  // Around a block the drive follows no rule: from the last track before it that everything seen
  // agrees with, every track is looked at by itself, the further the more often this happens. Where
  // that does not help either the blocks are given up, in plain words.
  Outcome enter(std::uint64_t lbn);
  // Looks at the tracks of the last zone one after the other. Yes once the last block is reached;
  // no where another zone begins.
  Outcome walk();

 private:
  Outcome give_up_zone(std::size_t index, std::uint64_t lbn);

  ZoneStart& starts_;
  Attempts& attempts_;
};

}  // namespace platter::layout

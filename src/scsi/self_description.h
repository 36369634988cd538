// What a drive says of its own mechanics and state, each claim with its witnesses. Nothing is
// measured, and nothing on the media is accessed.
#pragma once

#include <vector>

#include "identity/claims.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"
#include "scsi/drive.h"
#include "scsi/zones.h"

namespace platter::scsi {

struct SelfDescription {
  std::vector<identity::Claim> claims;  // those that somebody makes, in the order of the table
  // What of it a model's identity keeps: zones, TRIM, positioning ranges, logical units, power
  // timers, elements out of use.
  void into(model::Identity& identity) const;

  std::string zones;
  std::vector<model::ZoneRun> zone_runs;
  std::optional<ZonedCharacteristics> zoned;  // VPD page B6h
  bool trims = false;
  std::vector<model::PositioningRange> positioning_ranges;
  std::optional<std::uint32_t> logical_units, depopulated_elements;
  std::vector<model::PowerTimer> power_timers;
  std::optional<StatedRotation> rotation;

  // A sentence each: what was contradicted, and what makes a model doubtful.
  model::Notes doubts() const;
};

// After identify(). Asks VPD pages, REPORT LUNS, GET PHYSICAL ELEMENT STATUS and mode pages, where
// the drive has them.
SelfDescription describe(Drive& drive);

}  // namespace platter::scsi

// What is done where an answer disagrees with a zone: the last track before it that agrees is
// found, and the zone is followed anew from there.
#pragma once

#include <cstdint>

#include "layout/attempts.h"
#include "layout/block_repairs.h"
#include "layout/map_and_drive.h"
#include "layout/outcome.h"
#include "layout/zone_growth.h"

namespace platter::layout {

class Repairs {
 public:
  Repairs(const MapAndDrive& all, BlockRepairs& blocks, ZoneGrowth& growth, Attempts& attempts)
      : survey_(all.survey),
        agreement_(all.agreement),
        map_(all.map),
        blocks_(blocks),
        growth_(growth),
        attempts_(attempts) {}

  // Block `lbn` is not where the zone has it.
  Outcome repair(std::size_t zone, std::uint64_t lbn);
  // Repairs whatever of the zone was seen before block `frontier` and disagrees with the map now.
  // Looked for only after changes that reach back behind the track that was measured.
  Outcome settle(std::size_t zone, std::uint64_t frontier);

 private:
  Survey& survey_;
  Agreement& agreement_;
  BlockMap& map_;
  BlockRepairs& blocks_;
  ZoneGrowth& growth_;
  Attempts& attempts_;
};

}  // namespace platter::layout

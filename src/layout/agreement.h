// Whether the drive's answers agree with the map.
#pragma once

#include <cstdint>

#include "layout/block_map.h"
#include "layout/outcome.h"
#include "layout/sector_numbers.h"
#include "layout/survey.h"

namespace platter::layout {

class Agreement {
 public:
  Agreement(Survey& survey, SectorNumbers& numbers, const BlockMap& map)
      : survey_(survey), numbers_(numbers), map_(map) {}

  // Whether a block is where the zone has it. Asks nothing.
  bool matches(const Zone& zone, std::uint64_t lbn, const Answer& answer) const;
  // Looks a block up.
  Outcome agrees(const Zone& zone, std::uint64_t lbn);
  // All blocks before a track of the zone, which ends before block `end`, are on the tracks before
  // it, and none of its own.
  Outcome boundary_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end);
  // The last track whose boundary agrees: that of `good` does, that of `bad` does not.
  Result<std::uint64_t> last_agreeing(std::size_t zone, std::uint64_t good, std::uint64_t bad);

 private:
  Outcome first_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end);
  Outcome last_before_agrees(const Zone& zone, std::uint64_t track, std::uint64_t end);

  Survey& survey_;
  SectorNumbers& numbers_;
  const BlockMap& map_;
};

}  // namespace platter::layout

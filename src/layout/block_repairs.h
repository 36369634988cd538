// Repairs that leave every track where it is: a block is noted as remapped, or slips are taken to
// do another thing to spares and numbers.
#pragma once

#include <cstdint>

#include "layout/map_and_drive.h"
#include "layout/outcome.h"

namespace platter::layout {

class BlockRepairs {
 public:
  explicit BlockRepairs(const MapAndDrive& all)
      : survey_(all.survey), numbers_(all.numbers), agreement_(all.agreement), map_(all.map) {}

  // Either of the two explains the block.
  Outcome repair(std::size_t zone, std::uint64_t lbn);
  // A block is elsewhere, and its neighbours are where they should be.
  Outcome note_remap(std::size_t zone, std::uint64_t lbn);
  // All that was seen up to `lbn` may be explained by what slips do to spares, or to the numbers.
  Outcome reinterpret(std::size_t zone, std::uint64_t lbn);
  // Blocks noted as remapped that lie where they should, by what was learned since.
  void drop_needless_remaps();

 private:
  Outcome lies_alone(const Zone& here, std::uint64_t lbn, std::uint64_t end);
  bool gap_is_right(const Zone& here, std::uint64_t lbn);
  bool all_match(const Zone& here, std::uint64_t lbn, bool in_all_zones);

  Survey& survey_;
  SectorNumbers& numbers_;
  Agreement& agreement_;
  BlockMap& map_;
};

}  // namespace platter::layout

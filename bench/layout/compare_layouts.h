// Two layouts compared at every block, by runs of blocks, so that large drives are quick.
#pragma once

#include <cstdint>
#include <string>

#include "model/drive_model.h"

namespace platter::bench {

struct Comparison {
  std::uint64_t other_track = 0;   // blocks on another cylinder or head than the truth's
  std::uint64_t other_sector = 0;  // on the right track, in another sector of it
  // Of each, blocks that the truth has remapped.
  std::uint64_t remapped_other_track = 0, remapped_other_sector = 0;
  std::uint64_t not_claimed = 0;  // blocks that the map says it did not understand
  std::string first_difference;   // of a block that the map claims to know
};

Comparison compare(const model::Layout& truth, const model::Layout& found);

}  // namespace platter::bench

// Two layouts compared at every block, by runs of blocks, so that large drives are quick.
#pragma once

#include <cstdint>
#include <string>

#include "model/drive_model.h"

namespace platter::bench {

// Slots that are not the truth's are told apart by what the drive itself would answer: numbers that
// say where a block is contradict the map, or they do not tell where their track begins.
struct Comparison {
  std::uint64_t other_track = 0;   // blocks on another cylinder or head than the truth's
  std::uint64_t other_sector = 0;  // on the right track, the drive's numbers say: in another slot
  std::uint64_t shifted = 0;       // on the right track, in slots that its numbers do not tell
  // Of each, blocks that the truth has remapped.
  std::uint64_t remapped_other_track = 0, remapped_other_sector = 0;
  std::uint64_t not_claimed = 0;  // blocks that the map says it did not understand
  std::string first_difference;   // of a block that the map claims to know; shifted ones come last
};

// `truth.firmware` says how the drive numbers its sectors and what it lists.
Comparison compare(const model::DriveModel& truth, const model::Layout& found);

}  // namespace platter::bench

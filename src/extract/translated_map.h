// A map by address translation, held against timed reads: what the reads contradict is not given as
// fact, and tracks that turn out to be longer than translation told are made so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/passing_sectors.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::extract {

struct JudgedMap {
  model::Layout layout;          // without zones, and with a reason, where nearly all is untrue
  std::vector<bool> left_zones;  // by zone: its tracks are none
  model::Notes notes;
};

JudgedMap judge_map(const model::Layout& translated, const estimate::PassingSectors& passing);

// The same blocks in the same places, on tracks that have so many more sectors at their end, none
// of which holds a block. `more`: by zone; the tracks of a zone that is to be changed have equal
// lengths.
model::Layout with_longer_tracks(const model::Layout& layout,
                                 const std::vector<std::uint32_t>& more);

}  // namespace platter::extract

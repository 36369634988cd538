// Where each LBN lies, told as pieces, as the skips and remaps of a Layout: for formats that list
// places instead of the rules by which a drive came to them.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

constexpr std::int64_t kMostCylinders = 1 << 28;  // that a file may name

// Slots in a row.
struct Run {
  std::int64_t first, length;
};

// What no run covers, equal distances folded into one entry; `runs` is ascending and disjoint.
std::vector<model::Skip> gaps_between(const std::vector<Run>& runs, std::int64_t slots);

// `length` consecutive LBNs in as many consecutive slots.
struct Placed {
  std::int64_t lbn, slot, length;
};

// `pieces` hold every LBN from 0 on, in order. Those that keep the order of slots, as many blocks
// as possible, make the sequence; the others are remapped, which takes a free slot of the sequence
// at their place. Throws Error(bad_input) at `where` for two LBNs in one slot, Error(unsupported)
// where there is no free slot.
void place_blocks(const std::vector<Placed>& pieces, std::int64_t slots, const Where& where,
                  model::Layout& layout);

// Throws Error(unsupported) at `where` for a layout in which one cylinder and head come twice (as
// where two patterns share a track), or with more than 2^25 tracks.
void require_tracks_once(const model::Layout& layout, const Where& where);

}  // namespace platter::emit_disksim

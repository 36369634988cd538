// A layout as pieces of tracks, for formats that number the *places* of blocks along the tracks:
// the sectors from a track's first to its last that holds a block. Sectors between them without a
// block are slips: places that no LBN takes.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/disksim/g1_geometry.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// `count` tracks of one head, each `cylinder_step` (1 or -1) on from the one before.
struct TrackPiece {
  std::int32_t cylinder = 0, cylinder_step = 1;
  std::uint32_t head = 0, count = 1, sectors = 0;
  std::uint32_t left_out = 0, places = 0;    // in front of each track's places; of each track
  double angle_rev = 0, angle_step_rev = 0;  // of the first place
  std::uint64_t first_slot = 0;              // of the first track
};

struct SlippedPlaces {
  std::int64_t place = 0, count = 0;
};

struct TrackPieces {
  std::vector<TrackPiece> pieces;    // in the order of LBNs
  std::vector<SlippedPlaces> slips;  // ascending
  std::int64_t places = 0;
};

// `slots`: of the whole layout.
TrackPieces track_pieces(const model::Layout& layout, std::uint64_t slots);

}  // namespace platter::emit_disksim

// A Layout as DiskSim's layout type dm_layout_g4: the way back of g4_layout.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emit/disksim/track_pieces.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// Of a track's sectors the first `places` hold blocks; sectors count from the first that does, for
// DiskSim loses blocks of patterns that begin later.
struct G4Pattern {
  std::uint32_t places = 0, sectors = 0;
  bool operator<(const G4Pattern& other) const {
    return places != other.places ? places < other.places : sectors < other.sectors;
  }
};

// A child that comes run_places / places times. Places, cylinder and angle of the first count from
// the parent's.
struct G4Entry {
  std::int64_t place = 0, places = 0, run_places = 0;
  std::int64_t cylinder = 0, cylinders = 1, run_cylinders = 1;  // descending: the last is negative
  double angle_rev = 0, turn_rev = 0;
  bool is_track = false;
  std::size_t child = 0;   // number of a pattern or an index
  std::uint32_t head = 0;  // of a track
};

using G4Index = std::vector<G4Entry>;

struct G4Layout {
  std::vector<G4Pattern> patterns;
  std::vector<G4Index> indices;  // the root is the last
  std::vector<SlippedPlaces> slips;
  std::uint64_t blocks = 0;
  std::uint32_t cylinders = 0, heads = 0, most_sectors = 0;
  std::uint64_t block_count = 0;  // with which DiskSim finds all of them: `blocks`, or more
};

// Without the remaps: DiskSim gives their sectors no width and stops there. Throws
// Error(unsupported) that says what DiskSim cannot express.
G4Layout express_as_g4(const model::Layout& layout, std::int64_t most_counted);

std::string g4_text(const G4Layout& layout);

}  // namespace platter::emit_disksim

// The map while it is made: zones one after the other, and remapped blocks. Asks nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layout/zone.h"
#include "scsi/drive.h"

namespace platter::layout {

// A track by its zone, and its number there.
struct TrackInZone {
  std::size_t zone = 0;
  std::uint64_t track = 0;
};

struct BlockMap {
  std::uint64_t blocks = 0;  // of the drive
  std::vector<Zone> zones;
  std::map<std::uint64_t, scsi::PhysicalAddress> remaps;  // by block
  bool unsettled = false;  // what was seen before must be compared with the map anew

  std::size_t zone_of(std::uint64_t lbn) const;
  std::uint64_t end_of(std::size_t zone) const;  // one past its last block
  std::uint64_t tracks_of(std::size_t zone) const;
  // Where the drive's track is, if blocks are there.
  std::optional<TrackInZone> find(TrackPlace place) const;
};

}  // namespace platter::layout

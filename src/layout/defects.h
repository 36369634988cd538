// The listed defects as hints: in the sectors that translations give, or, where those are not
// known, by their tracks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "layout/track_order.h"
#include "scsi/drive.h"

namespace platter::layout {

inline TrackPlace track_of(const scsi::PhysicalAddress& place) {
  return {place.cylinder, place.head};
}

struct Defects {
  std::vector<scsi::PhysicalAddress> primary, grown;
  // Of these only the track is known; the sector is what the list counts by.
  std::vector<scsi::PhysicalAddress> primary_tracks, grown_tracks;
  bool estimated = false;  // sectors follow from others', by skews
  bool known_primary = false, known_grown = false;
};

// Primary defects by their tracks.
class DefectsByTrack {
 public:
  explicit DefectsByTrack(const Defects& defects);

  const std::set<std::uint32_t>& sectors_on(TrackPlace place) const;
  std::uint32_t count_on(TrackPlace place) const {
    return static_cast<std::uint32_t>(sectors_on(place).size());
  }
  const std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::uint32_t>>& all() const {
    return sectors_;
  }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::uint32_t>> sectors_;
};

}  // namespace platter::layout

// Which zones have which tracks. Large drives have millions of them: they are sorted once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "layout/track_order.h"

namespace platter::layout {

// Of places within these.
inline constexpr std::int64_t kMostLayoutCylinders = 1 << 24, kMostLayoutHeads = 256;

constexpr bool is_within_layouts(TrackPlace place) {
  return place.cylinder >= 0 && place.head >= 0 && place.cylinder < kMostLayoutCylinders &&
         place.head < kMostLayoutHeads;
}

class TakenPlaces {
 public:
  struct Track {
    std::uint32_t zone = 0, track = 0;  // its number in the zone
  };

  static std::uint64_t key_of(TrackPlace place) {
    return static_cast<std::uint64_t>(place.cylinder * kMostLayoutHeads + place.head);
  }
  void add(TrackPlace place, Track track);
  void sort();  // once all are added

  // After sort(): each place that has several tracks, these by zone and number.
  template <class Take>
  void each_shared(const Take& take) const {
    for (std::size_t i = 0; i < all_.size();) {
      std::size_t end = i + 1;
      while (end < all_.size() && all_[end].key == all_[i].key) ++end;
      for (std::size_t other = i + 1; other < end; ++other) take(all_[i].track, all_[other].track);
      i = end;
    }
  }
  // After sort(): whether another zone than `zone` has the place.
  bool is_of_another(TrackPlace place, std::uint32_t zone) const;
  // Those of a zone are others now, one after the other.
  void forget(std::uint32_t zone);
  void add_anew(TrackPlace place, std::uint32_t zone) { anew_.emplace(key_of(place), zone); }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Track track;
  };
  bool is_forgotten(std::uint32_t zone) const {
    return zone < forgotten_.size() && forgotten_[zone];
  }

  std::vector<Entry> all_;
  std::vector<bool> forgotten_;                                 // by zone
  std::unordered_multimap<std::uint64_t, std::uint32_t> anew_;  // zones by the place
};

}  // namespace platter::layout

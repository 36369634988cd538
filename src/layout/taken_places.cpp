#include "layout/taken_places.h"

#include <algorithm>
#include <tuple>

namespace platter::layout {

void TakenPlaces::add(TrackPlace place, Track track) { all_.push_back({key_of(place), track}); }

void TakenPlaces::sort() {
  std::ranges::sort(all_, {}, [](const Entry& entry) {
    return std::tuple(entry.key, entry.track.zone, entry.track.track);
  });
}

bool TakenPlaces::is_of_another(TrackPlace place, std::uint32_t zone) const {
  if (!is_within_layouts(place)) return false;
  const std::uint64_t key = key_of(place);
  for (auto entry = std::ranges::lower_bound(all_, key, {}, &Entry::key);
       entry != all_.end() && entry->key == key; ++entry)
    if (entry->track.zone != zone && !is_forgotten(entry->track.zone)) return true;
  const auto [first, end] = anew_.equal_range(key);
  return std::any_of(first, end, [zone](const auto& entry) { return entry.second != zone; });
}

void TakenPlaces::forget(std::uint32_t zone) {
  if (forgotten_.size() <= zone) forgotten_.resize(zone + 1, false);
  forgotten_[zone] = true;
  std::erase_if(anew_, [zone](const auto& entry) { return entry.second == zone; });
}

}  // namespace platter::layout

#include "layout/track_lengths.h"

#include <algorithm>

namespace platter::layout {

TrackLengths::TrackLengths(const std::vector<std::uint32_t>& once,
                           const std::vector<std::uint32_t>& cycle)
    : once_{0}, cycle_{0} {
  for (const std::uint32_t sectors : once) once_.push_back(once_.back() + sectors);
  for (const std::uint32_t sectors : cycle) cycle_.push_back(cycle_.back() + sectors);
  longest_ = std::ranges::max(cycle);
  if (!once.empty()) longest_ = std::max(longest_, std::ranges::max(once));
  alike_ = once_.back() + cycle_.back() == longest_ * (this->once() + this->cycle());
}

std::uint64_t TrackLengths::first_slot(std::uint64_t track) const {
  if (track < once()) return once_[track];
  track -= once();
  return once_.back() + track / cycle() * cycle_.back() + cycle_[track % cycle()];
}

std::uint64_t TrackLengths::track_of(std::uint64_t slot) const {
  const auto among = [](const std::vector<std::uint64_t>& begins, std::uint64_t at) {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(begins, at) - begins.begin()) - 1;
  };
  if (slot < once_.back()) return among(once_, slot);
  slot -= once_.back();
  return once() + slot / cycle_.back() * cycle() + among(cycle_, slot % cycle_.back());
}

}  // namespace platter::layout

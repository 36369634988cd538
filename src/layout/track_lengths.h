// How many sectors each track of a zone has, and so where it begins: slots are counted from the
// zone's first track on. The lengths of a few tracks at its start, then of a cycle that repeats.
#pragma once

#include <cstdint>
#include <vector>

namespace platter::layout {

class TrackLengths {
 public:
  explicit TrackLengths(std::uint32_t sectors = 1) : TrackLengths({}, {sectors}) {}
  TrackLengths(const std::vector<std::uint32_t>& once, const std::vector<std::uint32_t>& cycle);

  bool alike() const { return alike_; }
  std::uint32_t longest() const { return longest_; }
  std::uint32_t of(std::uint64_t track) const {
    return static_cast<std::uint32_t>(first_slot(track + 1) - first_slot(track));
  }
  std::uint64_t first_slot(std::uint64_t track) const;
  std::uint64_t track_of(std::uint64_t slot) const;
  // Tracks before the cycle, and of it.
  std::uint64_t once() const { return once_.size() - 1; }
  std::uint64_t cycle() const { return cycle_.size() - 1; }

 private:
  std::vector<std::uint64_t> once_, cycle_;  // where each begins; the last: where all end
  std::uint32_t longest_ = 0;
  bool alike_ = true;
};

}  // namespace platter::layout

// Where cache tests take place: tracks of one zone, alike and without remapped or slipped blocks,
// that no recent test has touched, so that what a test finds in the cache is what it put there.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "engine/layout_map.h"

namespace platter::cache_probe {

struct Place {
  engine::Track track;
  std::uint64_t first = 0, last = 0;  // LBNs of the track
  std::uint64_t cylinder_last = 0;    // last LBN, in sequence, on the same cylinder
  bool starts_cylinder = false, ends_cylinder = false;

  std::uint32_t blocks() const { return static_cast<std::uint32_t>(last - first + 1); }
};

// before_end: another track of the same cylinder follows.
enum class Kind { any, starts_cylinder, before_end, ends_cylinder };

class Places {
 public:
  // Chooses the zone: long tracks (there read-ahead is least bounded by them) and room enough.
  // Throws Error(unsupported) if the map has no zone with a few clean tracks.
  Places(const engine::LayoutMap& map, std::mt19937_64& random);

  // Places that hold any block of which this is true are not handed out.
  void avoid(std::function<bool(std::uint64_t lbn, std::uint32_t blocks)> avoided) {
    avoided_ = std::move(avoided);
  }

  std::uint32_t track_blocks() const { return track_blocks_; }  // LBNs on each track chosen
  std::uint64_t room() const { return end_slot_ - first_slot_; }

  // A place none of whose next `span` blocks was handed out lately; nullopt: the zone has no such.
  std::optional<Place> fresh(Kind kind, std::uint64_t span);
  // The same on a cylinder of its own near by, so that the way there is short.
  std::optional<Place> fresh_near(std::uint64_t lbn, std::uint64_t span);
  std::optional<Place> place_of_lbn(std::uint64_t lbn) const;

 private:
  struct Range {
    std::uint64_t first = 0, last = 0;
  };
  std::optional<Place> take(std::uint64_t lbn, Kind kind, std::uint64_t span);
  bool used_lately(const Range& range) const;
  void remember(const Range& range);
  bool clean(const Place& place) const;

  const engine::LayoutMap& map_;
  std::mt19937_64& random_;
  std::uint64_t first_slot_ = 0, end_slot_ = 0;
  std::uint32_t track_blocks_ = 0;
  std::deque<Range> used_;
  std::function<bool(std::uint64_t lbn, std::uint32_t blocks)> avoided_{};
};

}  // namespace platter::cache_probe

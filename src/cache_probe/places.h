// Where cache tests take place: tracks of one zone, alike and without remapped or slipped blocks,
// that no recent test has touched, so that what a test finds in the cache is what it put there.
// Where hardly any track is without slipped blocks, those with a few count as alike.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "engine/layout_map.h"
#include "model/lbn_range.h"

namespace platter::cache_probe {

struct Place {
  engine::Track track;
  std::uint64_t first = 0, last = 0;  // LBNs of the track
  std::uint64_t cylinder_last = 0;    // last LBN, in sequence, on the same cylinder
  bool starts_cylinder = false, ends_cylinder = false;

  std::uint32_t blocks() const { return static_cast<std::uint32_t>(last - first + 1); }
};

// before_end: another track of the same cylinder follows. any_track: of whatever length.
enum class Kind { any, any_track, starts_cylinder, before_end, ends_cylinder };

class Places {
 public:
  using Avoided = std::function<bool(std::uint64_t lbn, std::uint32_t blocks)>;

  // Chooses the zone: long tracks (there read-ahead is least bounded by them) and room enough.
  // Throws Error(unsupported) if the map has no zone with a few clean tracks. Places that hold any
  // block that is avoided are not handed out.
  Places(const engine::LayoutMap& map, std::mt19937_64& random, Avoided avoided = {});

  // LBNs on each track chosen, at least.
  std::uint32_t track_blocks() const { return track_blocks_; }
  // Blocks among which places are found. Where no zone is roomy it takes all of the drive to hold
  // large requests, and many: places begin in the zone (of any_track: anywhere), what follows them
  // may lie beyond it.
  std::uint64_t room() const { return last_slot_ - origin_slot_; }
  // On the shortest of the usual tracks that a place's next blocks may lie on.
  std::uint32_t least_track_blocks() const { return least_track_blocks_; }
  // Revolutions that reading on takes from one track's first block to the next one's, by the map's
  // angles.
  double track_rev() const { return track_rev_; }

  // The last LBN of the track, or of the cylinder, that holds a block, and of the two tracks
  // behind.
  struct Ends {
    std::uint64_t here = 0, next_track = 0, track_after = 0;
  };
  std::optional<Ends> ends_behind(std::uint64_t lbn, bool of_track) const;

  // A place none of whose next `span` blocks was handed out lately; nullopt: there is no such.
  std::optional<Place> fresh(Kind kind, std::uint64_t span);
  // The last one was used before, longer ago than others.
  bool used_before() const { return used_before_; }
  // The same on a cylinder of its own near by, so that the way there is short.
  std::optional<Place> fresh_near(std::uint64_t lbn, std::uint64_t span);
  std::optional<Place> place_of_lbn(std::uint64_t lbn) const;
  // No block of its track is elsewhere, and none is left out (but for a few where all tracks are
  // so).
  bool clean(const Place& place) const;

 private:
  std::optional<Place> take(std::uint64_t lbn, Kind kind, std::uint64_t span);
  std::optional<Place> find(Kind kind, std::uint64_t span);
  std::optional<Place> find_from(std::uint64_t slot, Kind kind, std::uint64_t span);
  void learn_track_rev();
  void take_tracks_with_slips();
  bool serves(const Place& place, Kind kind) const;
  bool used_lately(const LbnRange& range) const;
  void forget(std::uint64_t held_at_most);
  void remember(const LbnRange& range);

  const engine::LayoutMap& map_;
  std::mt19937_64& random_;
  std::uint64_t first_slot_ = 0, end_slot_ = 0;    // the zone where places begin
  std::uint64_t origin_slot_ = 0, last_slot_ = 0;  // what they may reach: past the last slot
  std::uint32_t track_blocks_ = 0, least_track_blocks_ = 0;
  double track_rev_ = 1;
  bool roomy_ = true, used_before_ = false, with_slips_ = false;
  std::deque<LbnRange> used_;
  Avoided avoided_;
};

}  // namespace platter::cache_probe

// The tracks of a layout in the order of their slots, and the blocks on them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/layout_map.h"

namespace platter::report {

struct MappedTrack {
  std::uint64_t first_lbn = 0;
  std::uint64_t blocks = 0;  // LBNs of the sequence on this track; remaps are not followed
  std::uint32_t cylinder = 0, head = 0, zone = 0;
  std::uint32_t slots = 0;  // physical sectors around
  engine::Angle angle = 0;  // where the sector of the first LBN begins
};

// One track after another: what looks at all of millions of tracks has no time to look up each.
// The map must outlive it.
class TrackCursor {
 public:
  explicit TrackCursor(const engine::LayoutMap& map)
      : map_(map), layout_(map.view()), piece_(map.pieces().first_piece()), first_piece_(piece_) {}

  // Goes on to the next track, at first to the first; false: there is none.
  bool next();

  const engine::Track& track() const { return track_; }
  // LBNs of the sequence on the track; remaps are not followed.
  std::uint64_t first_lbn() const { return first_lbn_; }
  std::uint64_t blocks() const { return end_lbn_ - first_lbn_; }
  // The track with its blocks.
  MappedTrack mapped() const;

 private:
  // An instance of a node that is being walked, and where it is.
  struct Level {
    std::uint32_t node, instance, inner;  // inner: which of its children, runs or listed tracks
    std::int64_t cylinder, head;
    engine::Angle angle;
    engine::RunWalk run;     // of a list of runs
    std::uint32_t run_step;  // which of the run's tracks
  };

  bool step();
  void enter(std::uint32_t node, std::int64_t cylinder, std::int64_t head, engine::Angle angle);
  void next_in_run(Level& level, const engine::FlatNode& node);
  void place(std::int64_t cylinder, std::int64_t head, engine::Angle angle, std::uint32_t sectors,
             engine::Angle slot_angle);
  std::uint64_t lbn_at_or_after(std::uint64_t slot);

  const engine::LayoutMap& map_;
  const engine::LayoutView& layout_;
  std::vector<Level> levels_{};
  std::uint32_t next_root_ = 0;
  std::uint64_t next_slot_ = 0;
  engine::Track track_{};
  std::uint64_t first_lbn_ = 0, end_lbn_ = 0;
  engine::LbnPieces::Piece piece_, first_piece_;  // of the LBN behind the track, of its first one
};

// Those that hold blocks.
void for_each_track(const engine::LayoutMap& map,
                    const std::function<void(const MappedTrack&)>& act);

// The track that holds a slot; blocks = 0 if no LBN is on it.
MappedTrack mapped_track(const engine::LayoutMap& map, const engine::Track& track);

}  // namespace platter::report

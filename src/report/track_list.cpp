#include "report/track_list.h"

namespace platter::report {

void TrackCursor::enter(std::uint32_t node, std::int64_t cylinder, std::int64_t head,
                        engine::Angle angle) {
  const engine::FlatNode& entered = layout_.nodes[node];
  levels_.push_back(
      {node, 0, 0, cylinder + entered.cylinder, head + entered.head, angle + entered.angle, {}, 0});
}

void TrackCursor::place(std::int64_t cylinder, std::int64_t head, engine::Angle angle,
                        std::uint32_t sectors, engine::Angle slot_angle) {
  track_.cylinder = static_cast<std::uint32_t>(cylinder);
  track_.head = static_cast<std::uint32_t>(head);
  track_.angle = angle;
  track_.sectors = sectors;
  track_.slot_angle = slot_angle;
}

// The next track of a list of runs.
void TrackCursor::next_in_run(Level& level, const engine::FlatNode& node) {
  if (level.run_step == 0) {
    if (level.inner == 0)
      level.run = engine::RunWalk(layout_.runs, node);
    else
      level.run.next();
    if (engine::runs_are_zones(node)) track_.zone = map_.first_zone(level.node) + level.inner;
  }
  const engine::FlatCourse& course = level.run.course();
  const engine::FlatSize& size = level.run.size();
  const std::int64_t step = level.run_step;
  place(level.cylinder + level.run.cylinder() + step * course.cylinder_step,
        level.head + course.head + step * course.head_step,
        level.angle + level.run.angle() + level.run_step * course.angle_step, size.sectors,
        size.reciprocal);
  if (++level.run_step == course.count) {
    level.run_step = 0;
    ++level.inner;
  }
}

bool TrackCursor::step() {
  for (;;) {
    if (levels_.empty()) {
      if (next_root_ == layout_.totals.roots) return false;
      track_.zone = map_.first_zone(next_root_);
      enter(next_root_++, 0, 0, 0);
    }
    Level& level = levels_.back();
    const engine::FlatNode& node = layout_.nodes[level.node];
    const std::uint32_t inner = engine::is_track(node) ? 1 : engine::listed(node);
    if (level.inner == inner) {  // the next instance
      level.inner = 0;
      level.cylinder += node.cylinder_step;
      level.head += node.head_step;
      level.angle += node.angle_step;
      if (++level.instance == layout_.extents[level.node].count) levels_.pop_back();
      continue;
    }
    if (engine::has_run_list(node)) {
      next_in_run(level, node);
      return true;
    }
    const std::uint32_t at = level.inner++;
    if (engine::is_track(node)) {
      place(level.cylinder, level.head, level.angle, node.sectors, node.reciprocal);
      return true;
    }
    if (engine::has_track_list(node)) {
      const engine::FlatTrack& one = engine::listed_tracks(layout_.tracks, node)[at];
      place(level.cylinder + one.cylinder, level.head + one.head, level.angle + one.angle,
            one.sectors, engine::reciprocal_of(one.sectors));
      return true;
    }
    enter(node.first_child + at, level.cylinder, level.head, level.angle);
  }
}

bool TrackCursor::next() {
  if (!step()) return false;
  track_.first_slot = next_slot_;
  next_slot_ += track_.sectors;
  first_lbn_ = end_lbn_;
  first_piece_ = piece_;
  end_lbn_ = lbn_at_or_after(next_slot_);
  return true;
}

// The slots asked for ascend, and so do the pieces.
std::uint64_t TrackCursor::lbn_at_or_after(std::uint64_t slot) {
  const engine::LbnPieces& pieces = map_.pieces();
  while (!pieces.is_last(piece_)) {
    const auto next = pieces.behind(piece_);
    if (pieces.sequential(next.first, next) > slot) break;
    piece_ = next;
  }
  return pieces.at_or_after_slot(slot, piece_);
}

MappedTrack TrackCursor::mapped() const {
  MappedTrack result{first_lbn_,  blocks(),       track_.cylinder, track_.head,
                     track_.zone, track_.sectors, track_.angle};
  if (blocks() == 0) return result;
  auto piece = first_piece_;
  while (piece.end <= first_lbn_) piece = map_.pieces().behind(piece);
  const std::uint64_t into = map_.pieces().sequential(first_lbn_, piece) - track_.first_slot;
  result.angle += track_.slot_angle * into;
  return result;
}

MappedTrack mapped_track(const engine::LayoutMap& map, const engine::Track& track) {
  MappedTrack mapped;
  mapped.cylinder = track.cylinder;
  mapped.head = track.head;
  mapped.zone = track.zone;
  mapped.slots = track.sectors;
  mapped.first_lbn = map.lbn_at_or_after_slot(track.first_slot);
  const std::uint64_t end = track.first_slot + track.sectors;
  mapped.blocks = map.lbn_at_or_after_slot(end) - mapped.first_lbn;
  mapped.angle = track.angle;
  if (mapped.blocks == 0) return mapped;
  // Where the first LBN is in the sequence: the last slot up to which no other comes first.
  std::uint64_t low = track.first_slot, high = end - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (map.lbn_at_or_after_slot(middle) == mapped.first_lbn) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  mapped.angle = map.angle_of_slot(track, low);
  return mapped;
}

void for_each_track(const engine::LayoutMap& map,
                    const std::function<void(const MappedTrack&)>& act) {
  for (TrackCursor cursor(map); cursor.next();)
    if (cursor.blocks() > 0) act(cursor.mapped());
}

}  // namespace platter::report

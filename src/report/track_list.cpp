#include "report/track_list.h"

#include <algorithm>

namespace platter::report {

void TrackCursor::enter(std::uint32_t node, std::int64_t cylinder, std::int64_t head,
                        engine::Angle angle) {
  const engine::FlatNode& entered = layout_.nodes[node];
  levels_.push_back(
      {node, 0, 0, cylinder + entered.cylinder, head + entered.head, angle + entered.angle});
}

void TrackCursor::place(std::int64_t cylinder, std::int64_t head, engine::Angle angle,
                        std::uint32_t sectors, engine::Angle slot_angle) {
  track_.cylinder = static_cast<std::uint32_t>(cylinder);
  track_.head = static_cast<std::uint32_t>(head);
  track_.angle = angle;
  track_.sectors = sectors;
  track_.slot_angle = slot_angle;
}

bool TrackCursor::step() {
  for (;;) {
    if (levels_.empty()) {
      if (next_zone_ == layout_.totals.zones) return false;
      track_.zone = next_zone_;
      enter(next_zone_++, 0, 0, 0);
    }
    Level& level = levels_.back();
    const engine::FlatNode& node = layout_.nodes[level.node];
    const bool is_track = node.children == 0;
    const std::uint32_t inner = is_track ? 1 : node.children & ~engine::kTrackList;
    if (level.inner == inner) {  // the next instance
      level.inner = 0;
      level.cylinder += node.cylinder_step;
      level.head += node.head_step;
      level.angle += node.angle_step;
      if (++level.instance == layout_.extents[level.node].count) levels_.pop_back();
      continue;
    }
    const std::uint32_t at = level.inner++;
    if (is_track) {
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

// As if no block were remapped.
std::uint64_t TrackCursor::slot_in_sequence(std::uint64_t lbn, std::size_t piece) const {
  const std::uint32_t shift = layout_.piece_shifts[piece];
  if (shift < engine::kStretch) return lbn + shift;
  const engine::FlatStretch& stretch = layout_.stretches[shift - engine::kStretch];
  const std::uint64_t into = lbn - layout_.piece_lbns[piece];
  const std::uint64_t steps = stretch.period == 0
                                  ? 0
                                  : engine::quotient(into, stretch.period, stretch.reciprocal);
  return lbn + stretch.sequential + steps * stretch.gap;
}

// The slots asked for ascend, and so do the pieces.
std::uint64_t TrackCursor::lbn_at_or_after(std::uint64_t slot) {
  while (piece_ + 1 < pieces() &&
         slot_in_sequence(layout_.piece_lbns[piece_ + 1], piece_ + 1) <= slot)
    ++piece_;
  const std::uint64_t first = layout_.piece_lbns[piece_];
  const std::uint64_t end = std::min(layout_.piece_lbns[piece_ + 1], layout_.totals.blocks);
  const std::uint64_t first_slot = slot_in_sequence(first, piece_);
  if (slot <= first_slot) return first;
  std::uint64_t behind = slot - first_slot;  // LBNs, if none were skipped
  const std::uint32_t shift = layout_.piece_shifts[piece_];
  if (shift >= engine::kStretch) {
    const engine::FlatStretch& stretch = layout_.stretches[shift - engine::kStretch];
    if (stretch.period != 0) {
      const std::uint64_t step = behind / (stretch.period + stretch.gap);
      const std::uint64_t rest = behind - step * (stretch.period + stretch.gap);
      behind = step * stretch.period + std::min(rest, stretch.period);
    }
  }
  return std::min(end, first + behind);
}

MappedTrack TrackCursor::mapped() const {
  MappedTrack result{first_lbn_,  blocks(),       track_.cylinder, track_.head,
                     track_.zone, track_.sectors, track_.angle};
  if (blocks() == 0) return result;
  std::size_t piece = first_piece_;
  while (piece + 1 < pieces() && layout_.piece_lbns[piece + 1] <= first_lbn_) ++piece;
  const std::uint64_t into = slot_in_sequence(first_lbn_, piece) - track_.first_slot;
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

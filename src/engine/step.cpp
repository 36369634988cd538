#include "engine/step.h"

#include <algorithm>

namespace platter::engine {

// Brings the background work to `now`.
void Step::settle(Nanoseconds now) {
  Background& background = core_.background;
  if (background.kind == Kind::destage && background.cursor.time_ns <= now) finish_destage();
  if (background.kind == Kind::read_ahead) {
    settled_ns_ = now;
    arm_free_ns_ = mechanics_.read_until_time(background.cursor, background.limit, now);
    segments_.grow(background.segment, background.cursor.next_lbn);
    core_.arm = background.cursor.arm;
    if (background.cursor.next_lbn >= background.limit && background.cursor.time_ns <= now)
      background.kind = Kind::none;
  }
}

void Step::finish_destage() {
  Background& background = core_.background;
  if (!tables_.cache.read_hit_on_written || !reads_cached())
    segments_.edit(background.segment).content = Segment::Content::empty;
  background.kind = Kind::none;
}

void Step::stop_read_ahead(Nanoseconds now) {
  Background& background = core_.background;
  if (background.kind != Kind::read_ahead) return;
  const Nanoseconds stop = std::max(now, std::min(core_.media_free_ns, background.cursor.time_ns));
  const Nanoseconds free =
      stop == settled_ns_ ? arm_free_ns_
                          : mechanics_.read_until_time(background.cursor, background.limit, stop);
  segments_.grow(background.segment, background.cursor.next_lbn);
  core_.arm = background.cursor.arm;
  core_.media_free_ns = std::max(core_.media_free_ns, free);
  background.kind = Kind::none;
}

// The first LBN that read-ahead behind this request will not read.
std::uint64_t Step::read_ahead_limit(const Request& request, std::uint64_t segment_first,
                                     const Track& near) const {
  const CacheTable& cache = tables_.cache;
  const LayoutMap& layout = tables_.layout;
  const std::uint64_t end = request.lbn + request.blocks;
  const std::uint64_t blocks = layout.blocks();
  if (end >= blocks) return blocks;
  const auto beyond_track_of = [&](std::uint64_t lbn) {
    const std::uint64_t slot = layout.slot_of_lbn(lbn);
    const bool is_near = slot >= near.first_slot && slot - near.first_slot < near.sectors;
    const Track track = is_near ? near : layout.track_of_slot(slot);
    return layout.lbn_at_or_after_slot(track.first_slot + track.sectors, lbn);
  };
  std::uint64_t far = end;
  switch (static_cast<model::ReadAhead>(cache.read_ahead)) {
    case model::ReadAhead::none:
      return end;
    case model::ReadAhead::to_track_end:
      far = beyond_track_of(end - 1);
      break;
    case model::ReadAhead::to_cylinder_end: {
      const std::uint32_t cylinder = layout.pbn_of_lbn(end - 1).cylinder;
      far = beyond_track_of(end - 1);
      for (std::uint32_t tracks = layout.heads();
           tracks > 0 && far < blocks && layout.pbn_of_lbn(far).cylinder == cylinder; --tracks)
        far = beyond_track_of(far);
      break;
    }
    case model::ReadAhead::to_segment_full:
      far = cache.read_ahead_over_requested ? end + cache.segment_blocks
                                            : std::max(end, request.lbn + cache.segment_blocks);
      if (cache.read_ahead_max > 0) far = end + cache.read_ahead_max;
      break;
    case model::ReadAhead::to_next_track_if_sequential: {
      far = beyond_track_of(end);
      const Track track = layout.track_of_slot(layout.slot_of_lbn(end));
      if (segment_first < layout.lbn_at_or_after_slot(track.first_slot) && far < blocks)
        far = beyond_track_of(far);
      break;
    }
  }
  if (cache.read_ahead_max > 0) far = std::min(far, end + cache.read_ahead_max);
  far = std::max(far, end + cache.read_ahead_min);
  return std::min(far, blocks);
}

void Step::start_read_ahead(const Request& request, std::uint32_t segment,
                            const MediaCursor& cursor) {
  if (!reads_cached() || !state_.settings.read_ahead) return;
  const std::uint64_t limit = read_ahead_limit(request, segments_[segment].first, cursor.track);
  if (limit <= cursor.next_lbn) return;
  core_.background = {Kind::read_ahead, segment, cursor, limit, 0};
}

bool Step::outside_validity(const Request& request) const {
  const ValidityTable& v = tables_.validity;
  if (v.last_lbn == 0) return false;  // the model names no range
  return request.lbn < v.first_lbn || request.lbn + request.blocks - 1 > v.last_lbn ||
         request.blocks < v.min_blocks || request.blocks > v.max_blocks ||
         (request.write ? !v.writes : !v.reads) ||
         state_.waiting_count + state_.done_count >= v.max_depth;
}

Completion Step::serve(const Request& request, Nanoseconds arrival_ns, Nanoseconds now_ns) {
  arrival_ = arrival_ns;
  core_.now_ns = now_ns;
  core_.taken_until_ns = std::max(core_.taken_until_ns, now_ns);
  settle(now_ns);
  Completion done = request.write ? write(request, now_ns) : read(request, now_ns);
  if (done.media_access) core_.taken_until_ns = core_.media_free_ns;
  done.tag = request.tag;
  done.arrival_ns = arrival_ns;
  done.outside_validity = outside_validity(request);
  state_.outside_validity += done.outside_validity;
  core_.last_was_write = request.write;
  core_.last_end_lbn = request.lbn + request.blocks;
  return done;
}

Nanoseconds Step::seek(std::uint64_t lbn, Nanoseconds now, const Disturbance& disturbance) {
  now = std::max(now, core_.now_ns);
  arrival_ = core_.now_ns = now;
  settle(now);
  if (core_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(now);
  const Piece piece = mechanics_.piece_at(lbn, lbn);
  const Nanoseconds start =
      std::max(decoded_ns(overheads_.read_miss[after_write()]), core_.media_free_ns);
  const Nanoseconds move = move_ns(tables_, core_.arm, piece.arm(), false);
  core_.arm = piece.arm();
  core_.media_free_ns =
      start + std::max<Nanoseconds>(0, move == 0 ? 0 : move + disturbance.positioning_ns);
  core_.last_was_write = false;
  return core_.media_free_ns + overheads_.read_completion;
}

Nanoseconds Step::synchronize(Nanoseconds now) {
  now = std::max(now, core_.now_ns);
  core_.now_ns = now;
  settle(now);
  if (core_.background.kind != Kind::destage) return now;
  const Nanoseconds written = core_.background.cursor.time_ns;
  return std::max(now, written);
}

void Step::set_cache(const CacheSettings& settings, Nanoseconds now) {
  settle(std::max(now, core_.now_ns));
  const bool was_cached = reads_cached();
  state_.settings = settings;
  if (core_.background.kind == Kind::read_ahead && (!reads_cached() || !settings.read_ahead))
    stop_read_ahead(std::max(now, core_.now_ns));
  if (was_cached && !reads_cached()) {
    const Background background = core_.background;
    if (background.kind == Kind::destage) {
      const Segment dirty = segments_[background.segment];
      segments_.drop_all();
      segments_.edit(background.segment) = dirty;
    } else {
      segments_.drop_all();
    }
  }
}

}  // namespace platter::engine

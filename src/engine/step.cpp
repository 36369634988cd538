#include "engine/step.h"

#include <algorithm>

#include "engine/read_ahead.h"

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

void Step::start_read_ahead(const Request& request, std::uint32_t segment,
                            const MediaCursor& cursor) {
  if (!reads_cached() || !state_.settings.read_ahead) return;
  const std::uint64_t limit =
      read_ahead_limit(tables_, request, segments_[segment].first, cursor.track);
  if (limit <= cursor.next_lbn) return;
  core_.background = {Kind::read_ahead, segment, cursor, limit, 0};
}

// How many requests, beside the one that is served, are on the drive at its arrival.
std::uint32_t Step::outstanding_beside() const {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < state_.waiting_count; ++i)
    count += state_.waiting()[i].arrival_ns <= arrival_;
  for (std::size_t i = 0; i < state_.done_count; ++i)
    count += state_.done()[i].completion.completion_ns > arrival_;
  return count;
}

bool Step::outside_validity(const Request& request) const {
  const ValidityTable& v = tables_.validity;
  if (v.last_lbn == 0) return false;  // the model names no range
  return request.lbn < v.first_lbn || request.lbn + request.blocks - 1 > v.last_lbn ||
         request.blocks < v.min_blocks || request.blocks > v.max_blocks ||
         (request.write ? !v.writes : !v.reads) || outstanding_beside() >= v.max_depth;
}

// When the arm may leave for the next of several requests (DiskSim 4.0's manual, "Preseeking
// level").
Nanoseconds Step::arm_taken_until(const Request& request, const Completion& done) const {
  if (tables_.queue.preseeking == 0) return done.completion_ns;
  if (!done.media_access) return core_.now_ns;
  if (tables_.queue.preseeking == 2) return core_.media_free_ns;
  const Nanoseconds sent = done.completion_ns - (request.write ? overheads_.write_completion
                                                               : overheads_.read_completion);
  return std::max(core_.media_free_ns, sent);
}

Completion Step::serve(const Request& request, Nanoseconds arrival_ns, Nanoseconds now_ns) {
  arrival_ = tables_.queue.preseeking == 0 ? now_ns : arrival_ns;
  core_.now_ns = now_ns;
  core_.taken_until_ns = std::max(core_.taken_until_ns, now_ns);
  settle(now_ns);
  Completion done = request.write ? write(request, now_ns) : read(request, now_ns);
  core_.taken_until_ns = std::max(core_.taken_until_ns, arm_taken_until(request, done));
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

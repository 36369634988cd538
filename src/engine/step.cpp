#include "engine/step.h"

#include <algorithm>

#include "engine/outside.h"
#include "engine/read_ahead.h"

namespace platter::engine {

// Brings what the drive does between requests to `now`.
void Step::settle(Nanoseconds now) {
  Background& background = core_.background;
  do {
    if (background.kind == Kind::destage) {
      if (background.cursor.time_ns > now) return;
      finish_destage();
    } else if (background.kind == Kind::read_ahead) {
      settled_ns_ = now;
      arm_free_ns_ = mechanics_.read_until_time(background.cursor, background.limit, now);
      segments_.grow(background.segment, background.cursor.next_lbn);
      core_.arm = background.cursor.arm;
      if (background.cursor.next_lbn < background.limit || background.cursor.time_ns > now) return;
      core_.media_free_ns = std::max(core_.media_free_ns, background.cursor.time_ns);
      core_.media_lbn = background.cursor.next_lbn;
      if (tables_.cache.read_ahead_streams > 0) pause_read_ahead(0);
      background.kind = Kind::none;
    }
  } while (tables_.cache.works_when_idle() && start_idle_work(now));
}

// What a drive turns to on its own when no command keeps it: data that wait for their destage, a
// read-ahead that was broken off. false: nothing that it begins before `now`.
bool Step::start_idle_work(Nanoseconds now) {
  return resume_read_ahead(now) || start_destage_when_idle(now);
}

// The heads, which nothing holds, begin at an LBN: what they do there may go on in the background.
MediaCursor& Step::send_heads(std::uint64_t lbn, Nanoseconds start, Nanoseconds phase_ns) {
  MediaCursor& cursor = core_.background.cursor;
  cursor.next_lbn = lbn;
  cursor.time_ns = start;
  cursor.phase_ns = phase_ns;
  cursor.arm = core_.arm;
  return cursor;
}

// From where the heads are.
void Step::begin_background(Kind kind, std::uint32_t segment, std::uint64_t first,
                            std::uint64_t limit, std::uint64_t must) {
  Background& background = core_.background;
  background.kind = kind;
  background.segment = segment;
  background.first = first;
  background.limit = limit;
  background.must = must;
}

void Step::leave_media(const MediaCursor& cursor) {
  core_.arm = cursor.arm;
  core_.media_free_ns = cursor.time_ns;
  core_.media_lbn = cursor.next_lbn;
}

void Step::stop_read_ahead(Nanoseconds now) {
  Background& background = core_.background;
  if (background.kind != Kind::read_ahead) return;
  MediaCursor& cursor = background.cursor;
  Nanoseconds free = 0;
  if (cursor.next_lbn < background.must) {
    mechanics_.read_until_lbn(cursor, background.must);
    free = cursor.time_ns;
  } else {
    const Nanoseconds stop = std::max(now, std::min(core_.media_free_ns, cursor.time_ns));
    free = stop == settled_ns_ ? arm_free_ns_
                               : mechanics_.read_until_time(cursor, background.limit, stop);
  }
  segments_.grow(background.segment, cursor.next_lbn);
  core_.arm = cursor.arm;
  core_.media_free_ns = std::max(core_.media_free_ns, free);
  core_.media_lbn = cursor.next_lbn;
  pause_read_ahead(background.limit - std::min(background.limit, cursor.next_lbn));
  background.kind = Kind::none;
}

// The newest of those that are remembered, or none of them.
void Step::put_first(std::uint32_t segment, bool remembered) {
  Streams& streams = core_.paused;
  std::uint16_t* const all = streams.segments;
  streams.count = static_cast<std::uint32_t>(std::remove(all, all + streams.count, segment) - all);
  if (!remembered) return;
  const std::uint32_t most = std::max<std::uint32_t>(1, tables_.cache.read_ahead_streams);
  streams.count = std::min(streams.count + 1, most);
  std::move_backward(all, all + streams.count - 1, all + streams.count);
  all[0] = static_cast<std::uint16_t>(segment);
}

// The read-ahead of the background stands still from now on, so many blocks before its end.
void Step::pause_read_ahead(std::uint64_t left) {
  if (!tables_.cache.read_ahead_resumes && tables_.cache.read_ahead_streams == 0) return;
  const std::uint32_t segment = core_.background.segment;
  Segment& s = segments_.edit(segment);
  s.is_stream = 1;
  s.left = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kMostLeft)) & kMostLeft;
  put_first(segment, true);
}

bool Step::is_remembered(std::uint32_t segment) const {
  const Background& background = core_.background;
  if (background.kind == Kind::read_ahead && background.segment == segment) return true;
  const Streams& streams = core_.paused;
  return segments_[segment].is_stream &&
         std::find(streams.segments, streams.segments + streams.count, segment) !=
             streams.segments + streams.count;
}

bool Step::goes_on_behind_hit(std::uint32_t segment) const {
  return tables_.cache.read_ahead_on_hit && segments_[segment].content == Segment::Content::read &&
         (tables_.cache.read_ahead_streams == 0 || is_remembered(segment));
}

bool Step::resume_read_ahead(Nanoseconds now) {
  const Nanoseconds start = std::max(core_.media_free_ns, core_.idle_since_ns);
  if (!tables_.cache.read_ahead_resumes || start >= now) return false;
  Streams& streams = core_.paused;
  for (std::uint32_t i = 0; i < streams.count; ++i) {
    const std::uint32_t number = streams.segments[i];
    const Segment& segment = segments_[number];
    if (segment.content != Segment::Content::read || !segment.is_stream || segment.left == 0)
      continue;
    put_first(number, tables_.cache.read_ahead_streams > 0);
    send_heads(segment.end, start, core_.phase_ns);
    begin_background(Kind::read_ahead, number, 0, segment.end + segment.left, 0);
    return true;
  }
  if (tables_.cache.read_ahead_streams == 0) streams.count = 0;
  return false;
}

// The first LBN that is not read ahead behind the request into the segment.
std::uint64_t Step::reads_on_until(const Request& request, std::uint32_t segment,
                                   const Whereabouts& near) const {
  if (!tables_.cache.segments_grow)
    return read_ahead_limit(tables_, request, segments_[segment], near);
  Segment longest = segments_[segment];
  longest.size = segments_.largest();
  return read_ahead_limit(tables_, request, longest, near);
}

void Step::start_read_ahead(const Request& request, std::uint32_t segment) {
  const MediaCursor& cursor = core_.background.cursor;
  if (!reads_cached() || !state_.settings.read_ahead || !reads_on_behind_) return;
  const std::uint64_t limit = reads_on_until(request, segment, cursor.at);
  if (limit <= cursor.next_lbn) return;
  const std::uint64_t must = tables_.cache.read_ahead_to_its_end
                                 ? limit
                                 : std::min(limit, request.lbn + request.blocks +
                                                       read_ahead_least(tables_.cache, request));
  begin_background(Kind::read_ahead, segment, 0, limit, must);
  if (tables_.cache.read_ahead_streams == 0)
    core_.paused.count = 0;
  else
    put_first(segment, true);
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
  // Blocks in a media cache are of the host's, whatever their place.
  const std::uint64_t lbn = request.lbn < tables_.blocks() ? request.lbn : v.first_lbn;
  return outside_of(v, lbn, request.blocks, request.write).any() ||
         is_too_deep(v, outstanding_beside());
}

// When the arm may leave for the next of several requests (DiskSim 4.0's manual, "Preseeking
// level").
Nanoseconds Step::arm_taken_until(const Request& request, const Completion& done) const {
  if (tables_.queue.preseeking == 0) return done.completion_ns;
  if (done.cache_hit) return core_.now_ns;
  if (tables_.queue.preseeking == 2) return core_.media_free_ns;
  const Nanoseconds sent = done.completion_ns - (request.write ? overheads_.write_completion
                                                               : overheads_.read_completion);
  return std::max(core_.media_free_ns, sent);
}

// A drive has less (or more) to decide where a command carries on from the one before.
Nanoseconds Step::hit_overhead(const Request& request) const {
  const CommandOverheads& o = overheads_;
  const bool carries_on = request.lbn == core_.last_end_lbn &&
                          request.write == (core_.last_was_write != 0);
  if (request.write) return o.write_hit[after_write()] + (carries_on ? o.sequential_write_hit : 0);
  const bool soon = o.sequential_read_within <= 0 || idle_ns_ <= o.sequential_read_within;
  return o.read_hit[after_write()] + (carries_on && soon ? o.sequential_read_hit : 0);
}

std::uint32_t Step::rest_at(Nanoseconds now) const {
  if (core_.background.kind != Kind::none) return core_.rest;
  const Nanoseconds idle_ns = now - std::max({core_.worked_until_ns, core_.media_free_ns});
  std::uint32_t rest = core_.rest;
  for (std::uint32_t i = rest; i < kPowerConditions; ++i)
    if (state_.rests_after_ns[i] > 0 && idle_ns >= state_.rests_after_ns[i]) rest = i + 1;
  return rest;
}

// What the buffer has is sent at once, while the spindle and the heads come back.
Nanoseconds Step::wake_up(Nanoseconds now) {
  if (const std::uint32_t rest = rest_at(now); rest > 0)
    core_.awake_ns = now + tables_.power.wake_ns[rest - 1];
  core_.rest = 0;
  core_.media_free_ns = std::max(core_.media_free_ns, core_.awake_ns);
  return core_.awake_ns;
}

Completion Step::serve(const Request& request, Nanoseconds arrival_ns, Nanoseconds now_ns) {
  arrival_ = tables_.queue.preseeking == 0 ? now_ns : arrival_ns;
  core_.now_ns = now_ns;
  // DiskSim, too, knows nothing of a request before its per-request overhead is over.
  const Nanoseconds seen_ns = tables_.decoded_ns(0, arrival_, now_ns);
  settle(seen_ns);
  if (tables_.power.present) wake_up(seen_ns);
  idle_ns_ = std::max<Nanoseconds>(0, now_ns - core_.taken_until_ns);
  core_.taken_until_ns = std::max(core_.taken_until_ns, now_ns);
  if (tables_.cache.works_when_idle()) core_.phase_ns = request.disturbance.phase_ns;
  if (tables_.cache.fewest_segments > 0) divide_as_asked(request);
  Completion done = request.write ? write(request, seen_ns) : read(request, seen_ns);
  // Overheads may be below zero, by noise; what they add up to in a damaged table must not.
  done.completion_ns = std::max(done.completion_ns, now_ns);
  core_.taken_until_ns = std::max(core_.taken_until_ns, arm_taken_until(request, done));
  done.tag = request.tag;
  done.arrival_ns = arrival_ns;
  done.outside_validity = outside_validity(request);
  state_.outside_validity += done.outside_validity;
  if (tables_.cache.works_when_idle())
    core_.idle_since_ns = std::max(core_.taken_until_ns, core_.media_free_ns);
  core_.last_was_write = request.write;
  core_.last_end_lbn = request.lbn + request.blocks;
  core_.worked_until_ns = std::max(core_.worked_until_ns, done.completion_ns);
  return done;
}

Nanoseconds Step::seek(std::uint64_t lbn, Nanoseconds now, const Disturbance& disturbance) {
  now = std::max(now, core_.now_ns);
  arrival_ = core_.now_ns = now;
  settle(now);
  if (tables_.power.present) wake_up(now);
  if (core_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(now);
  const Arm arm = mechanics_.track_of(lbn).arm();
  const Nanoseconds start = std::max(decoded_ns(overheads_.read_miss[after_write()]),
                                     core_.media_free_ns);
  const Nanoseconds move = first_move_ns(tables_, core_.arm, arm, false);
  core_.arm = arm;
  core_.media_free_ns = start +
                        std::max<Nanoseconds>(0, move == 0 ? 0 : move + disturbance.positioning_ns);
  core_.last_was_write = false;
  return std::max(now, core_.media_free_ns + overheads_.read_completion);
}

Nanoseconds Step::synchronize(Nanoseconds now) {
  now = std::max(now, core_.now_ns);
  core_.now_ns = now;
  settle(now);
  const Nanoseconds answered = now + tables_.written.synchronize_ns;
  if (tables_.written.persist) return answered;
  if (tables_.power.present && core_.dirty > 0) wake_up(now);
  destage_all();
  if (core_.background.kind == Kind::destage)
    return std::max(answered, core_.background.cursor.time_ns);
  return tables_.cache.destage_behind ? std::max(answered, core_.media_free_ns) : answered;
}

void Step::set_cache(const CacheSettings& settings, Nanoseconds now) {
  core_.now_ns = std::max(now, core_.now_ns);
  settle(core_.now_ns);
  if (!settings.write_cache) destage_all();
  const bool was_cached = reads_cached();
  state_.settings = settings;
  if (core_.background.kind == Kind::read_ahead && (!reads_cached() || !settings.read_ahead))
    stop_read_ahead(core_.now_ns);
  if (!reads_cached() || !settings.read_ahead) core_.paused.count = 0;
  if (!was_cached || reads_cached()) return;
  const bool destages = core_.background.kind == Kind::destage;
  segments_.drop_clean(destages ? std::optional(core_.background.segment) : std::nullopt);
}

}  // namespace platter::engine

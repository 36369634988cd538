#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "engine/mechanics.h"
#include "engine/segments.h"
#include "engine/state.h"
#include "engine/tables.h"

namespace platter::engine {
namespace {

// One step of the engine: the tables, and the state that it changes.
class Step {
 public:
  Step(const Tables& tables, State& state)
      : tables_(tables),
        state_(state),
        mechanics_(tables),
        segments_(tables.cache, state),
        overheads_(tables.overheads) {}

  Completion serve(const Request& request, Nanoseconds now);
  Nanoseconds seek(std::uint64_t lbn, Nanoseconds now, const Disturbance& disturbance);
  Nanoseconds synchronize(Nanoseconds now);
  void set_cache(const CacheSettings& settings, Nanoseconds now);

 private:
  using Kind = Background::Kind;

  bool reads_cached() const { return tables_.cache.present && state_.settings.read_cache; }
  bool writes_cached(const Request& request) const {
    return tables_.cache.write_back_level > 0 && tables_.cache.segments > 0 &&
           tables_.cache.segment_blocks > 0 && state_.settings.write_cache &&
           !request.force_unit_access;
  }
  int after_write() const { return state_.last_was_write ? 1 : 0; }
  std::optional<std::uint32_t> busy_segment() const {
    if (state_.background.kind == Kind::none) return std::nullopt;
    return state_.background.segment;
  }

  void settle(Nanoseconds now);
  void finish_destage();
  void stop_read_ahead(Nanoseconds now);
  std::uint64_t read_ahead_limit(const Request& request, std::uint64_t segment_first) const;
  void start_read_ahead(const Request& request, std::uint32_t segment, const MediaCursor& cursor);

  Completion read(const Request& request, Nanoseconds now);
  Nanoseconds read_hit(const Request& request, Nanoseconds now, std::uint32_t segment);
  Nanoseconds read_partial(const Request& request, Nanoseconds now, std::uint32_t segment);
  Nanoseconds read_media(const Request& request, Nanoseconds now);
  std::uint64_t watermark(const Request& request) const;
  Nanoseconds send(const Delivery& delivery, Nanoseconds start);

  Completion write(const Request& request, Nanoseconds now);
  Nanoseconds write_through(const Request& request, Nanoseconds now);
  Nanoseconds write_back(const Request& request, Nanoseconds now);
  bool appends(const Request& request) const;
  Nanoseconds append(const Request& request, Nanoseconds now);
  Supply receive(const Request& request, Nanoseconds command, Nanoseconds not_before, bool waits);

  bool outside_validity(const Request& request) const;

  const Tables& tables_;
  State& state_;
  Mechanics mechanics_;
  Segments segments_;
  const CommandOverheads& overheads_;
};

// Brings the background work to `now`.
void Step::settle(Nanoseconds now) {
  Background& background = state_.background;
  if (background.kind == Kind::destage && background.cursor.time_ns <= now) finish_destage();
  if (background.kind == Kind::read_ahead) {
    mechanics_.read_until_time(background.cursor, background.limit, now);
    segments_.grow(background.segment, background.cursor.next_lbn);
    state_.arm = background.cursor.arm;
    if (background.cursor.next_lbn >= background.limit && background.cursor.time_ns <= now)
      background.kind = Kind::none;
  }
}

void Step::finish_destage() {
  Background& background = state_.background;
  if (!tables_.cache.read_hit_on_written || !reads_cached())
    state_.segments[background.segment].content = Segment::Content::empty;
  background.kind = Kind::none;
}

void Step::stop_read_ahead(Nanoseconds now) {
  Background& background = state_.background;
  if (background.kind != Kind::read_ahead) return;
  const Nanoseconds stop =
      std::max(now, std::min(state_.media_free_ns, background.cursor.time_ns));
  const Nanoseconds free = mechanics_.read_until_time(background.cursor, background.limit, stop);
  segments_.grow(background.segment, background.cursor.next_lbn);
  state_.arm = background.cursor.arm;
  state_.media_free_ns = std::max(state_.media_free_ns, free);
  background.kind = Kind::none;
}

// The first LBN that read-ahead behind this request will not read.
std::uint64_t Step::read_ahead_limit(const Request& request, std::uint64_t segment_first) const {
  const CacheTable& cache = tables_.cache;
  const LayoutMap& layout = tables_.layout;
  const std::uint64_t end = request.lbn + request.blocks;
  const std::uint64_t blocks = layout.blocks();
  if (end >= blocks) return blocks;
  const auto beyond_track_of = [&](std::uint64_t lbn) {
    const Track track = layout.track_of_slot(layout.slot_of_lbn(lbn));
    return layout.lbn_at_or_after_slot(track.first_slot + track.sectors);
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
  const std::uint64_t limit = read_ahead_limit(request, state_.segments[segment].first);
  if (limit <= cursor.next_lbn) return;
  state_.background = {Kind::read_ahead, segment, cursor, limit, 0};
}

// How many blocks of a read must be in the buffer before the drive reconnects to send them.
std::uint64_t Step::watermark(const Request& request) const {
  const CacheTable& cache = tables_.cache;
  const double of = tables_.bus.watermark_by_request
                        ? std::min(request.blocks, std::max(cache.segment_blocks, 1u))
                        : cache.segment_blocks;
  return std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(of * tables_.bus.high_read_watermark), 1, request.blocks);
}

// The bus sends the blocks in order, as they come.
Nanoseconds Step::send(const Delivery& delivery, Nanoseconds start) {
  const Nanoseconds end = delivery.end_ns(std::max(start, state_.bus_free_ns));
  state_.bus_free_ns = end;
  return end + overheads_.read_completion;
}

Nanoseconds Step::read_hit(const Request& request, Nanoseconds now, std::uint32_t segment) {
  Background& background = state_.background;
  const Delivery delivery(request.lbn, request.blocks, tables_.bus.read_block_ns);
  Nanoseconds start = now + overheads_.per_request + overheads_.read_hit[after_write()] +
                      overheads_.data_preparation;
  if (background.kind == Kind::destage) {
    // The drive disconnects until the write is on the media.
    start = std::max(now + overheads_.per_request + overheads_.read_miss[after_write()] +
                         overheads_.read_disconnect[after_write()],
                     background.cursor.time_ns) +
            overheads_.first_reselect + overheads_.data_preparation;
  } else if (background.kind == Kind::read_ahead) {
    if (background.segment == segment)
      background.limit =
          std::max(background.limit, read_ahead_limit(request, state_.segments[segment].first));
    else
      stop_read_ahead(now);
  }
  segments_.touch(segment);
  const Nanoseconds completion = send(delivery, start);
  if (background.kind == Kind::none && tables_.cache.read_ahead_on_hit &&
      state_.segments[segment].content == Segment::Content::read) {
    MediaCursor cursor{state_.segments[segment].end, std::max(now, state_.media_free_ns),
                       request.disturbance.phase_ns, state_.arm};
    start_read_ahead(request, segment, cursor);
  }
  return completion;
}

// The first blocks are in the segment, the rest come from the media behind its end.
Nanoseconds Step::read_partial(const Request& request, Nanoseconds now, std::uint32_t segment) {
  Background& background = state_.background;
  const std::uint64_t end = request.lbn + request.blocks;
  Delivery delivery(request.lbn, request.blocks, tables_.bus.read_block_ns);
  const Nanoseconds start = now + overheads_.per_request + overheads_.read_hit[after_write()] +
                            overheads_.data_preparation;
  MediaCursor cursor;
  if (background.kind == Kind::read_ahead && background.segment == segment) {
    cursor = background.cursor;  // goes on reading, now for this request
    mechanics_.read_until_lbn(cursor, end, &delivery);
  } else {
    stop_read_ahead(now);
    cursor = {state_.segments[segment].end,
              std::max(now + overheads_.per_request + overheads_.read_miss[after_write()],
                       state_.media_free_ns),
              request.disturbance.phase_ns, state_.arm};
    Mechanics::FirstAccess how;
    how.disturbance = request.disturbance;
    mechanics_.access(cursor, end, how, nullptr, &delivery, nullptr, nullptr);
  }
  background.kind = Kind::none;
  segments_.touch(segment);
  state_.segments[segment].content = Segment::Content::read;
  segments_.grow(segment, end);
  state_.arm = cursor.arm;
  state_.media_free_ns = cursor.time_ns;
  start_read_ahead(request, segment, cursor);
  return send(delivery, start);
}

Nanoseconds Step::read_media(const Request& request, Nanoseconds now) {
  if (state_.background.kind == Kind::destage) finish_destage();  // media_free_ns waits for it
  stop_read_ahead(now);
  const CacheTable& cache = tables_.cache;
  const std::uint64_t end = request.lbn + request.blocks;
  const Nanoseconds command =
      now + overheads_.per_request + overheads_.read_miss[after_write()];
  MediaCursor cursor{request.lbn, std::max(command, state_.media_free_ns),
                     request.disturbance.phase_ns, state_.arm};
  Mechanics::FirstAccess how;
  how.disturbance = request.disturbance;
  how.zero_latency = cache.zero_latency_read;
  Delivery delivery(request.lbn, request.blocks, tables_.bus.read_block_ns, watermark(request));
  std::uint64_t landing = 0;
  Piece first_piece;
  mechanics_.access(cursor, end, how, nullptr, &delivery, &landing, &first_piece);
  state_.arm = cursor.arm;
  state_.media_free_ns = cursor.time_ns;

  if (reads_cached()) {
    const std::uint32_t taken = segments_.take_for_read(std::nullopt);
    Segment& segment = state_.segments[taken];
    segment.content = Segment::Content::read;
    segment.first = request.lbn;
    if (cache.read_free_blocks && !tables_.layout.is_remapped(request.lbn)) {
      // Everything that passed between landing and the first wanted sector was read as well.
      const std::uint64_t from =
          landing <= first_piece.first_slot ? landing : first_piece.track.first_slot;
      segment.first = std::min(request.lbn, tables_.layout.lbn_at_or_after_slot(from));
    }
    segment.end = segment.first;
    segments_.grow(taken, end);
    start_read_ahead(request, taken, cursor);
    if (cache.discards_after_transfer) segment.first = segment.end;
  }

  const Nanoseconds disconnected = command + overheads_.read_disconnect[after_write()];
  return send(delivery, std::max(disconnected, delivery.filled_ns()) + overheads_.first_reselect +
                            overheads_.data_preparation);
}

Completion Step::read(const Request& request, Nanoseconds now) {
  Completion done;
  std::optional<std::uint32_t> reading;
  if (state_.background.kind == Kind::read_ahead) reading = state_.background.segment;
  Segments::Found found;
  if (reads_cached() && !request.force_unit_access) found = segments_.find_read(request, reading);
  if (found.match == Segments::Match::partial && state_.background.kind == Kind::destage) {
    // What is being written holds the arm; afterwards this is a read from the media.
    found = {};
  }
  switch (found.match) {
    case Segments::Match::whole:
      done.completion_ns = read_hit(request, now, found.segment);
      done.cache_hit = true;
      break;
    case Segments::Match::partial:
      done.completion_ns = read_partial(request, now, found.segment);
      done.media_access = true;
      break;
    case Segments::Match::none:
      done.completion_ns = read_media(request, now);
      done.media_access = true;
      break;
  }
  return done;
}

// The request's data over the bus: when each block is in the buffer. `waits`: the drive had to
// disconnect first, because it was busy until not_before.
Supply Step::receive(const Request& request, Nanoseconds command, Nanoseconds not_before,
                     bool waits) {
  Nanoseconds start = command;
  if (waits)
    start = std::max(command + overheads_.write_disconnect, not_before) +
            overheads_.first_reselect;
  start = std::max(start + overheads_.data_preparation, state_.bus_free_ns);
  Supply supply{request.lbn, start + tables_.bus.write_block_ns, tables_.bus.write_block_ns};
  if (overheads_.extra_write_disconnect) {
    // Such a drive waits for a good part of the data before it writes (DiskSim 4.0's figures: ten
    // blocks, fifteen of a request of 45 and more).
    const std::uint32_t enough = request.blocks < 45 ? std::min(request.blocks, 10u) : 15u;
    supply.begin_ns = supply.at(request.lbn + enough - 1);
  }
  state_.bus_free_ns = supply.at(request.lbn + request.blocks - 1);
  return supply;
}

Nanoseconds Step::write_through(const Request& request, Nanoseconds now) {
  const bool waits = state_.background.kind == Kind::destage || state_.media_free_ns > now;
  if (state_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(now);
  Nanoseconds command = now + overheads_.per_request + overheads_.write_miss[after_write()];
  Nanoseconds mechanical = command;
  // Such drives disconnect once more for a write that follows a write elsewhere.
  const bool extra = overheads_.extra_write_disconnect && !waits && state_.last_was_write &&
                     request.lbn != state_.last_end_lbn;
  if (extra) {
    const Nanoseconds decoded = now + overheads_.per_request + overheads_.extra_command;
    mechanical = decoded + overheads_.extra_seek_delta;
    command = decoded + overheads_.extra_first + overheads_.extra_inter +
              overheads_.first_reselect;
  }
  const Supply supply = receive(request, command, state_.media_free_ns, waits);
  MediaCursor cursor{request.lbn, std::max(mechanical, state_.media_free_ns),
                     request.disturbance.phase_ns, state_.arm};
  Mechanics::FirstAccess how;
  how.disturbance = request.disturbance;
  how.write = true;
  how.zero_latency = tables_.cache.zero_latency_write;
  how.minimum_seek_ns = overheads_.minimum_seek_delay;
  mechanics_.access(cursor, request.lbn + request.blocks, how, &supply, nullptr, nullptr, nullptr);
  state_.arm = cursor.arm;
  state_.media_free_ns = cursor.time_ns;

  if (tables_.cache.segments > 0 && tables_.cache.segment_blocks > 0) {
    const std::uint32_t taken = segments_.take_for_write(request, std::nullopt);
    Segment& segment = state_.segments[taken];
    if (reads_cached() && tables_.cache.read_hit_on_written) {
      segment.content = Segment::Content::written;
      segment.first = segment.end = request.lbn;
      segments_.grow(taken, request.lbn + request.blocks);
    }
  }
  const Nanoseconds reselect = extra ? overheads_.other_reselect : overheads_.first_reselect;
  const Nanoseconds received = state_.bus_free_ns + (extra ? overheads_.extra_second
                                                           : overheads_.write_disconnect);
  const Nanoseconds completion = std::max(cursor.time_ns, received) + reselect;
  state_.bus_free_ns = std::max(state_.bus_free_ns, completion);
  return completion + overheads_.write_completion;
}

// Whether the request carries on a write that is still being destaged, and there is room.
bool Step::appends(const Request& request) const {
  const Background& background = state_.background;
  return background.kind == Kind::destage && tables_.cache.combine_writes &&
         background.cursor.next_lbn == request.lbn &&
         state_.segments[background.segment].end == request.lbn &&
         request.lbn + request.blocks - background.first <= tables_.cache.segment_blocks;
}

Nanoseconds Step::append(const Request& request, Nanoseconds now) {
  Background& background = state_.background;
  const std::uint64_t end = request.lbn + request.blocks;
  const Nanoseconds command =
      now + overheads_.per_request + overheads_.write_hit[after_write()];
  const Supply supply = receive(request, command, 0, false);
  Mechanics::FirstAccess how;
  how.write = true;
  how.zero_latency = tables_.cache.zero_latency_write;
  mechanics_.access(background.cursor, end, how, &supply, nullptr, nullptr, nullptr);
  segments_.grow(background.segment, end);
  segments_.touch(background.segment);
  state_.arm = background.cursor.arm;
  state_.media_free_ns = background.cursor.time_ns;
  return state_.bus_free_ns + overheads_.write_completion;
}

Nanoseconds Step::write_back(const Request& request, Nanoseconds now) {
  if (appends(request)) return append(request, now);
  // One write is destaged at a time: the next one waits until its predecessor is on the media.
  const bool waits = state_.background.kind == Kind::destage;
  if (waits) finish_destage();
  stop_read_ahead(now);
  const Nanoseconds command =
      now + overheads_.per_request + overheads_.write_hit[after_write()];
  const std::uint64_t end = request.lbn + request.blocks;
  const std::uint32_t taken = segments_.take_for_write(request, std::nullopt);
  const Supply supply = receive(request, command, state_.media_free_ns, waits);
  Nanoseconds received = state_.bus_free_ns;

  MediaCursor cursor{request.lbn, std::max(command, state_.media_free_ns),
                     request.disturbance.phase_ns, state_.arm};
  Mechanics::FirstAccess how;
  how.disturbance = request.disturbance;
  how.write = true;
  how.zero_latency = tables_.cache.zero_latency_write;
  how.minimum_seek_ns = overheads_.minimum_seek_delay;
  if (request.blocks > tables_.cache.segment_blocks) {
    // More than a segment holds: the last part can come in only when the first is on the media.
    MediaCursor first = cursor;
    mechanics_.access(first, end - tables_.cache.segment_blocks, how, &supply, nullptr, nullptr,
                      nullptr);
    received = std::max(received, first.time_ns + static_cast<Nanoseconds>(
                                                      tables_.cache.segment_blocks) *
                                                      tables_.bus.write_block_ns);
    state_.bus_free_ns = received;
  }
  mechanics_.access(cursor, end, how, &supply, nullptr, nullptr, nullptr);

  Segment& segment = state_.segments[taken];
  segment.content = Segment::Content::written;
  segment.first = segment.end = request.lbn;
  segments_.grow(taken, end);
  state_.arm = cursor.arm;
  state_.media_free_ns = cursor.time_ns;
  state_.background = {Kind::destage, taken, cursor, 0, request.lbn};
  return received + overheads_.write_completion;
}

Completion Step::write(const Request& request, Nanoseconds now) {
  Completion done;
  if (writes_cached(request)) {
    done.completion_ns = write_back(request, now);
    done.cache_hit = true;
  } else {
    done.completion_ns = write_through(request, now);
    done.media_access = true;
  }
  return done;
}

bool Step::outside_validity(const Request& request) const {
  const ValidityTable& v = tables_.validity;
  if (v.last_lbn == 0) return false;  // the model names no range
  return request.lbn < v.first_lbn || request.lbn + request.blocks - 1 > v.last_lbn ||
         request.blocks < v.min_blocks || request.blocks > v.max_blocks ||
         (request.write ? !v.writes : !v.reads) || state_.pending_count >= v.max_depth;
}

Completion Step::serve(const Request& request, Nanoseconds now) {
  now = std::max(now, state_.last_arrival_ns);
  state_.last_arrival_ns = now;
  settle(now);
  Completion done = request.write ? write(request, now) : read(request, now);
  done.tag = request.tag;
  done.arrival_ns = now;
  done.outside_validity = outside_validity(request);
  state_.last_was_write = request.write;
  state_.last_end_lbn = request.lbn + request.blocks;
  return done;
}

Nanoseconds Step::seek(std::uint64_t lbn, Nanoseconds now, const Disturbance& disturbance) {
  now = std::max(now, state_.last_arrival_ns);
  state_.last_arrival_ns = now;
  settle(now);
  if (state_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(now);
  const Piece piece = mechanics_.piece_at(lbn, lbn);
  const Nanoseconds start =
      std::max(now + overheads_.per_request + overheads_.read_miss[after_write()],
               state_.media_free_ns);
  const Nanoseconds move = mechanics_.move_ns(state_.arm, piece.arm(), false);
  state_.arm = piece.arm();
  state_.media_free_ns =
      start + std::max<Nanoseconds>(0, move == 0 ? 0 : move + disturbance.positioning_ns);
  state_.last_was_write = false;
  return state_.media_free_ns + overheads_.read_completion;
}

Nanoseconds Step::synchronize(Nanoseconds now) {
  now = std::max(now, state_.last_arrival_ns);
  state_.last_arrival_ns = now;
  settle(now);
  if (state_.background.kind != Kind::destage) return now;
  const Nanoseconds written = state_.background.cursor.time_ns;
  return std::max(now, written);
}

void Step::set_cache(const CacheSettings& settings, Nanoseconds now) {
  settle(std::max(now, state_.last_arrival_ns));
  const bool was_cached = reads_cached();
  state_.settings = settings;
  if (state_.background.kind == Kind::read_ahead && (!reads_cached() || !settings.read_ahead))
    stop_read_ahead(std::max(now, state_.last_arrival_ns));
  if (was_cached && !reads_cached()) {
    const Background background = state_.background;
    const Segment dirty = state_.segments[background.segment];
    segments_.drop_all();
    if (background.kind == Kind::destage) state_.segments[background.segment] = dirty;
  }
}

}  // namespace

Engine::Engine(const model::DriveModel& model)
    : tables_(std::make_shared<const Tables>(model)), state_(std::make_unique<State>()) {}
Engine::Engine(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)), state_(std::make_unique<State>()) {}
Engine::Engine(const Engine& other)
    : tables_(other.tables_), state_(std::make_unique<State>(*other.state_)) {}
Engine& Engine::operator=(const Engine& other) {
  tables_ = other.tables_;
  *state_ = *other.state_;
  return *this;
}
Engine::~Engine() = default;

const LayoutMap& Engine::layout() const { return tables_->layout; }
std::uint64_t Engine::blocks() const { return tables_->layout.blocks(); }
Nanoseconds Engine::period_ns() const { return tables_->rotation.period_ns(); }

Completion Engine::service(const Request& request, Nanoseconds now_ns) {
  return Step(*tables_, *state_).serve(request, now_ns);
}

bool Engine::submit(const Request& request, Nanoseconds now_ns) {
  State& state = *state_;
  if (state.pending_count == state.pending.size()) return false;
  const Completion done = Step(*tables_, state).serve(request, now_ns);
  std::size_t at = state.pending_count++;
  for (; at > 0 && state.pending[at - 1].completion_ns > done.completion_ns; --at)
    state.pending[at] = state.pending[at - 1];
  state.pending[at] = done;
  return true;
}

std::optional<Completion> Engine::next_completion() {
  State& state = *state_;
  if (state.pending_count == 0) return std::nullopt;
  const Completion first = state.pending[0];
  std::copy(state.pending.begin() + 1,
            state.pending.begin() + static_cast<std::ptrdiff_t>(state.pending_count),
            state.pending.begin());
  --state.pending_count;
  return first;
}

std::optional<Nanoseconds> Engine::next_completion_time() const {
  if (state_->pending_count == 0) return std::nullopt;
  return state_->pending[0].completion_ns;
}

std::size_t Engine::outstanding() const { return state_->pending_count; }

void Engine::drop_outstanding() { state_->pending_count = 0; }

Nanoseconds Engine::seek(std::uint64_t lbn, Nanoseconds now_ns, const Disturbance& disturbance) {
  return Step(*tables_, *state_).seek(lbn, now_ns, disturbance);
}

Nanoseconds Engine::synchronize(Nanoseconds now_ns) {
  return Step(*tables_, *state_).synchronize(now_ns);
}

void Engine::set_cache(const CacheSettings& settings, Nanoseconds now_ns) {
  Step(*tables_, *state_).set_cache(settings, now_ns);
}

CacheSettings Engine::cache_settings() const { return state_->settings; }

void Engine::reset(Nanoseconds now_ns) {
  const CacheSettings settings = state_->settings;
  *state_ = State{};
  state_->settings = settings;
  state_->last_arrival_ns = now_ns;
}

Angle Engine::angle_at(Nanoseconds now_ns, Nanoseconds phase_ns) const {
  return tables_->rotation.angle_at(now_ns, phase_ns);
}

Nanoseconds Engine::next_passage(Angle angle, Nanoseconds now_ns, Nanoseconds phase_ns) const {
  return tables_->rotation.next_passage(angle, now_ns, phase_ns);
}

}  // namespace platter::engine

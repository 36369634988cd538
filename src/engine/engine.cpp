#include "engine/engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/arms.h"
#include "engine/queue.h"
#include "engine/shingles.h"
#include "engine/state.h"
#include "engine/step.h"
#include "engine/tables.h"

namespace platter::engine {

Engine::Engine(const model::DriveModel& model) : Engine(std::make_shared<const Tables>(model)) {}
Engine::Engine(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)),
      bytes_(State::bytes(*tables_)),
      memory_(std::make_unique<std::max_align_t[]>(bytes_ / sizeof(std::max_align_t) + 1)),
      state_(State::create(*tables_, memory_.get())) {}
Engine::Engine(const Engine& other) : Engine(other.tables_) {
  std::memcpy(memory_.get(), other.memory_.get(), bytes_);
}
Engine& Engine::operator=(const Engine& other) {
  if (this == &other) return *this;
  if (bytes_ != other.bytes_) {
    bytes_ = other.bytes_;
    memory_ = std::make_unique<std::max_align_t[]>(bytes_ / sizeof(std::max_align_t) + 1);
    state_ = reinterpret_cast<State*>(memory_.get());
  }
  tables_ = other.tables_;
  std::memcpy(memory_.get(), other.memory_.get(), bytes_);
  return *this;
}
Engine::~Engine() = default;

const Tables& Engine::tables() const { return *tables_; }
const LayoutMap& Engine::layout() const { return tables_->layout; }
std::uint64_t Engine::blocks() const { return tables_->blocks(); }
Nanoseconds Engine::period_ns() const { return tables_->rotation.period_ns(); }

std::span<const std::byte> Engine::checkpoint() const {
  return std::as_bytes(std::span(memory_.get(), bytes_ / sizeof(std::max_align_t) + 1))
      .first(bytes_);
}

void Engine::roll_back(std::span<const std::byte> checkpoint) {
  std::memcpy(memory_.get(), checkpoint.data(), bytes_);
}

Completion Engine::service(const Request& request, Nanoseconds now_ns) {
  if (state_->waiting_count > 0) Outstanding(*tables_, *state_).drain();
  state_->undo_count = 0;
  if (tables_->shingling.act()) return Shingles(*tables_, *state_).service(request, now_ns);
  return serve_in_turn(*tables_, *state_, request, now_ns);
}

bool Engine::submit(const Request& request, Nanoseconds arrival_ns) {
  if (tables_->shingling.act()) return Shingles(*tables_, *state_).submit(request, arrival_ns);
  return Outstanding(*tables_, *state_).submit(request, arrival_ns);
}

void Engine::advance(Nanoseconds now_ns) { Outstanding(*tables_, *state_).advance(now_ns); }

std::optional<Completion> Engine::next_completion() {
  return Outstanding(*tables_, *state_).take_next();
}

std::optional<Nanoseconds> Engine::next_completion_time() {
  const Completion* next = Outstanding(*tables_, *state_).next();
  return next == nullptr ? std::nullopt : std::optional(next->completion_ns);
}

Nanoseconds Engine::busy_until_ns() const {
  Nanoseconds until_ns = state_->core.now_ns;
  for (std::uint32_t arm = 0; arm < tables_->arms.count; ++arm) {
    const Core& core = state_->core_of(arm);
    until_ns = std::max({until_ns, core.taken_until_ns, core.media_free_ns, core.bus_free_ns});
  }
  return until_ns;
}

std::size_t Engine::outstanding() const { return state_->waiting_count + state_->done_count; }
std::uint32_t Engine::most_outstanding() const { return state_->room(); }
std::uint64_t Engine::late_arrivals() const { return state_->late_arrivals; }
std::uint64_t Engine::outside_validity() const { return state_->outside_validity; }

bool Engine::cancel(std::uint32_t tag, Nanoseconds now_ns) {
  return Outstanding(*tables_, *state_).cancel(tag, now_ns);
}

void Engine::drop_outstanding() {
  state_->waiting_count = state_->done_count = state_->undo_count = 0;
}

void Engine::set_queue(const QueueSettings& settings) { state_->queue = settings; }
QueueSettings Engine::queue_settings() const { return state_->queue; }

void Engine::finish_what_waits() {
  Outstanding(*tables_, *state_).drain();
  state_->undo_count = 0;
}

Nanoseconds Engine::seek(std::uint64_t lbn, Nanoseconds now_ns, const Disturbance& disturbance) {
  finish_what_waits();
  if (tables_->shingling.act()) lbn = state_->translation()->run_from(lbn, 1).at;
  state_->turn_to(tables_->arms.arm_of(lbn));
  return Step(*tables_, *state_).seek(lbn, now_ns, disturbance);
}

Nanoseconds Engine::synchronize(Nanoseconds now_ns) {
  finish_what_waits();
  Nanoseconds done_ns = now_ns;
  each_arm(*tables_, *state_,
           [&](Step& step) { done_ns = std::max(done_ns, step.synchronize(now_ns)); });
  return done_ns;
}

void Engine::set_cache(const CacheSettings& settings, Nanoseconds now_ns) {
  finish_what_waits();
  set_all(settings, now_ns);
}

void Engine::set_all(const CacheSettings& settings, Nanoseconds now_ns) {
  const CacheSettings before = state_->settings;
  each_arm(*tables_, *state_, [&](Step& step) {
    state_->settings = before;
    step.set_cache(settings, now_ns);
  });
}

void Engine::change_cache(const CacheTable& cache, Nanoseconds now_ns) {
  auto tables = std::make_shared<Tables>(*tables_);
  tables->cache = cache;
  Engine changed(std::move(tables));  // behind this nothing fails
  finish_what_waits();
  const CacheSettings settings = state_->settings;
  set_all({false, false, false}, now_ns);
  changed.state_->take_over(*tables_, *state_);
  changed.state_->settings = settings;
  std::swap(tables_, changed.tables_);
  std::swap(bytes_, changed.bytes_);
  std::swap(memory_, changed.memory_);
  std::swap(state_, changed.state_);
}

std::uint32_t Engine::rest_at(Nanoseconds now_ns) const {
  if (!tables_->power.present || outstanding() > 0) return 0;
  Engine then(*this);  // a look that changes nothing
  std::uint32_t rest = kPowerConditions;
  each_arm(*then.tables_, *then.state_, [&](Step& step) {
    step.follow(now_ns);
    rest = std::min(rest, step.rest_at(now_ns));
  });
  return rest;
}

void Engine::note_command(Nanoseconds now_ns) {
  if (!tables_->power.present || outstanding() > 0) return;
  state_->core.rest = rest_at(now_ns);
  state_->core.worked_until_ns = std::max(state_->core.worked_until_ns, now_ns);
}

Nanoseconds Engine::go_to_rest(std::uint32_t rest, Nanoseconds now_ns, Nanoseconds takes_ns) {
  finish_what_waits();
  if (rest > 0) {
    note_command(now_ns);
    state_->core.rest = rest;
    return now_ns;
  }
  Nanoseconds awake_ns = now_ns + takes_ns;
  each_arm(*tables_, *state_, [&](Step& step) {
    step.follow(now_ns);
    awake_ns = std::max(awake_ns, step.wake_up(now_ns));
  });
  state_->core.worked_until_ns = std::max(state_->core.worked_until_ns, awake_ns);
  return awake_ns;
}

void Engine::set_power_timers(std::span<const Nanoseconds, 5> after_ns, Nanoseconds now_ns) {
  finish_what_waits();
  note_command(now_ns);
  std::ranges::copy(after_ns, state_->rests_after_ns);
}

// Of the arm whose turn it is.
void Engine::append_unwritten(const State& state, std::vector<Range>& ranges) {
  for (const Segment& segment : state.segments())
    if (holds_unwritten(segment) && segment.first < segment.end)
      ranges.push_back({segment.first, segment.end});
  const Background& work = state.core.background;
  if (work.kind == Background::Kind::destage) {  // of a cache whose writes do not wait, too
    const std::uint64_t end = state.segments()[work.segment].end;
    if (work.first < end) ranges.push_back({work.first, end});
  }
}

namespace {

std::vector<Engine::Range> of_the_host(const shingled::Translation& translation,
                                       const std::vector<Engine::Range>& places) {
  std::vector<Engine::Range> blocks;
  for (const Engine::Range& range : places)
    for (const shingled::Run& run : translation.blocks_at(range.first, range.end))
      blocks.push_back({run.lbn, run.lbn + run.blocks});
  return blocks;
}

}  // namespace

std::vector<Engine::Range> Engine::unwritten(Nanoseconds now_ns) const {
  if (tables_->written.persist) return {};
  Engine then(*this);
  then.advance(now_ns);
  std::vector<Range> ranges;
  each_arm(*then.tables_, *then.state_, [&](Step& step) {
    step.follow(now_ns);
    append_unwritten(*then.state_, ranges);
  });
  if (tables_->shingling.act()) ranges = of_the_host(*then.state_->translation(), ranges);
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> joined;
  for (const Range& range : ranges)
    if (joined.empty() || joined.back().end < range.first)
      joined.push_back(range);
    else
      joined.back().end = std::max(joined.back().end, range.end);
  return joined;
}

CacheSettings Engine::cache_settings() const { return state_->settings; }

void Engine::reset(Nanoseconds now_ns) { state_->reset(*tables_, now_ns); }

Angle Engine::angle_at(Nanoseconds now_ns, Nanoseconds phase_ns) const {
  return tables_->rotation.angle_at(now_ns, phase_ns);
}

Nanoseconds Engine::next_passage(Angle angle, Nanoseconds now_ns, Nanoseconds phase_ns) const {
  return tables_->rotation.next_passage(angle, now_ns, phase_ns);
}

}  // namespace platter::engine

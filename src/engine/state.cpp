#include "engine/state.h"

#include <algorithm>
#include <memory>
#include <new>

#include "engine/segment_index.h"

namespace platter::engine {
namespace {

struct Plan {
  std::uint32_t segments_at, waiting_at, done_at, undo_at, ends_at, index_at, ends, bytes, depth;
};

template <typename Item>
std::uint32_t place(std::uint32_t& next, std::uint32_t count) {
  constexpr auto kSize = static_cast<std::uint32_t>(sizeof(Item));
  constexpr auto kAlignment = static_cast<std::uint32_t>(alignof(Item));
  const std::uint32_t begin = (next + kAlignment - 1) / kAlignment * kAlignment;
  next = begin + kSize * count;
  return begin;
}

Plan plan_of(const Tables& tables) {
  Plan plan{};
  plan.depth = kMaxOutstanding;
  std::uint32_t next = sizeof(State);
  plan.segments_at = place<Segment>(next, tables.cache.segments);
  plan.waiting_at = place<Waiting>(next, plan.depth);
  plan.done_at = place<Done>(next, plan.depth);
  plan.undo_at = place<Undo>(next, kMostUndone);
  if (tables.cache.fewest_segments > 0) {
    plan.ends = tables.cache.requests_between_divisions() + kMostUndone;
    plan.ends_at = place<std::uint64_t>(next, plan.ends);
  }
  if (const std::uint32_t room = SegmentIndex::room(tables.cache.segments); room > 0)
    plan.index_at = place<std::uint32_t>(next, room);
  plan.bytes = (next + 15) / 16 * 16;
  return plan;
}

}  // namespace

std::size_t State::bytes(const Tables& tables) { return plan_of(tables).bytes; }

State* State::create(const Tables& tables, void* memory) {
  const Plan plan = plan_of(tables);
  std::fill_n(static_cast<std::byte*>(memory), plan.bytes, std::byte{0});
  auto* state = new (memory) State;
  state->segment_count = tables.cache.segments;
  state->depth = plan.depth;
  state->queue = {static_cast<Scheduler>(tables.queue.scheduler), tables.queue.depth, 0};
  state->segments_at_ = plan.segments_at;
  state->waiting_at_ = plan.waiting_at;
  state->done_at_ = plan.done_at;
  state->undo_at_ = plan.undo_at;
  state->ends_at_ = plan.ends_at;
  state->end_count_ = plan.ends;
  state->index_at_ = plan.index_at;
  std::uninitialized_default_construct_n(state->segments().data(), state->segment_count);
  std::uninitialized_default_construct_n(state->waiting(), state->depth);
  std::uninitialized_default_construct_n(state->done(), state->depth);
  std::uninitialized_value_construct_n(&state->undo_of(0), kMostUndone);
  state->reset(tables, 0);
  return state;
}

void State::reset(const Tables& tables, Nanoseconds now_ns) {
  core = {};
  core.segments = tables.cache.segments;
  core.segment_blocks = tables.cache.segment_blocks;
  core.now_ns = core.media_free_ns = core.taken_until_ns = now_ns;
  core.bus_gap_ns = core.bus_begin_ns = core.bus_free_ns = core.idle_since_ns = now_ns;
  std::ranges::fill(segments(), Segment{});
  if (index() != nullptr) SegmentIndex(segments(), index()).rebuild();
  waiting_count = done_count = undo_count = 0;
  recording = false;
}

void State::take_over(State& other) {
  const std::uint32_t into = core.segments, of_blocks = core.segment_blocks;
  core = other.core;
  core.segments = into;
  core.segment_blocks = of_blocks;
  core.background = {};
  core.paused = {};
  core.dirty = 0;
  core.unwritten_blocks = core.used_blocks = core.visits = 0;
  core.window = core.streams = 0;
  settings = other.settings;
  queue = other.queue;
  done_count = other.done_count;
  std::copy_n(other.done(), done_count, done());
  served = other.served;
  submitted = other.submitted;
  late_arrivals = other.late_arrivals;
  outside_validity = other.outside_validity;
}

}  // namespace platter::engine

#include "engine/state.h"

#include <algorithm>
#include <memory>
#include <new>

#include "engine/segment_index.h"

namespace platter::engine {
namespace {

struct Plan {
  std::uint32_t segments_at, waiting_at, done_at, undo_at, ends_at, index_at, ends, bytes, depth;
  std::uint32_t cores_at, further_buffers_at, translation_at;
};

template <typename Item>
std::uint32_t place(std::uint32_t& next, std::uint32_t count) {
  constexpr auto kSize = static_cast<std::uint32_t>(sizeof(Item));
  constexpr auto kAlignment = static_cast<std::uint32_t>(alignof(Item));
  const std::uint32_t begin = (next + kAlignment - 1) / kAlignment * kAlignment;
  next = begin + kSize * count;
  return begin;
}

// Of a further arm: segments, ends and index as the first has them.
struct Buffer {
  std::uint32_t segments_at = 0, ends_at = 0, index_at = 0;
};

Buffer place_buffer(const Tables& tables, const Plan& plan, std::uint32_t& next) {
  Buffer buffer;
  buffer.segments_at = place<Segment>(next, tables.cache.segments);
  if (plan.ends > 0) buffer.ends_at = place<std::uint64_t>(next, plan.ends);
  if (plan.index_at > 0)
    buffer.index_at = place<std::uint32_t>(next, SegmentIndex::room(tables.cache.segments));
  return buffer;
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
  if (tables.arms.several()) {
    plan.cores_at = place<Core>(next, tables.arms.count);
    plan.further_buffers_at = next;
    for (std::uint32_t arm = 1; arm < tables.arms.count; ++arm) place_buffer(tables, plan, next);
  }
  plan.bytes = (next + 15) / 16 * 16;
  if (tables.shingling.act()) {
    plan.translation_at = plan.bytes;
    plan.bytes += static_cast<std::uint32_t>(shingled::Translation::bytes(tables.shingling));
  }
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
  std::copy_n(tables.power.after_ns, kPowerConditions, state->rests_after_ns);
  state->place_arms(tables, plan.cores_at, plan.further_buffers_at);
  std::uninitialized_default_construct_n(state->segments().data(), state->segment_count);
  std::uninitialized_default_construct_n(state->waiting(), state->depth);
  std::uninitialized_default_construct_n(state->done(), state->depth);
  std::uninitialized_value_construct_n(&state->undo_of(0), kMostUndone);
  if (tables.shingling.act()) {
    state->translation_at_ = plan.translation_at;
    shingled::Translation::create(tables.shingling, state->translation());
  }
  state->reset(tables, 0);
  return state;
}

void State::place_arms(const Tables& tables, std::uint32_t cores_at, std::uint32_t next) {
  arm_count_ = tables.arms.count;
  buffers_[0] = {segments_at_, ends_at_, index_at_};
  if (!tables.arms.several()) return;
  cores_at_ = cores_at;
  std::uninitialized_default_construct_n(at<Core>(cores_at_), arm_count_);
  const Plan plan = plan_of(tables);
  for (std::uint32_t arm = 1; arm < arm_count_; ++arm) {
    const Buffer buffer = place_buffer(tables, plan, next);
    at<Core>(cores_at_)[arm].arm_number = arm;
    buffers_[arm] = {buffer.segments_at, buffer.ends_at, buffer.index_at};
    std::uninitialized_default_construct_n(at<Segment>(buffer.segments_at), segment_count);
  }
}

void State::turn_to(std::uint32_t arm_number) {
  if (arm_number == core.arm_number) return;
  Core* const cores = at<Core>(cores_at_);
  cores[core.arm_number] = core;
  const Core& before = cores[core.arm_number];
  core = cores[arm_number];
  core.now_ns = before.now_ns;
  core.last_was_write = before.last_was_write;
  core.last_end_lbn = before.last_end_lbn;
  core.rest = before.rest;
  core.worked_until_ns = before.worked_until_ns;
  core.awake_ns = before.awake_ns;
  segments_at_ = buffers_[arm_number].segments_at;
  ends_at_ = buffers_[arm_number].ends_at;
  index_at_ = buffers_[arm_number].index_at;
}

void State::reset(const Tables& tables, Nanoseconds now_ns) {
  for (std::uint32_t arm = arm_count_; arm-- > 0;) {
    turn_to(arm);
    reset_arm(tables, now_ns);
  }
  waiting_count = done_count = undo_count = 0;
  recording = false;
}

void State::reset_arm(const Tables& tables, Nanoseconds now_ns) {
  const std::uint32_t number = core.arm_number;
  core = {};
  core.arm_number = number;
  core.segments = tables.cache.segments;
  core.segment_blocks = tables.cache.segment_blocks;
  core.now_ns = core.media_free_ns = core.taken_until_ns = core.worked_until_ns = now_ns;
  core.bus_gap_ns = core.bus_begin_ns = core.bus_free_ns = core.idle_since_ns = now_ns;
  std::ranges::fill(segments(), Segment{});
  if (index() != nullptr) SegmentIndex(segments(), index()).rebuild();
}

void State::take_over(const Tables& tables, State& other) {
  for (std::uint32_t arm = arm_count_; arm-- > 0;) {
    turn_to(arm);
    other.turn_to(arm);
    take_over_arm(other);
  }
  std::copy_n(other.rests_after_ns, kPowerConditions, rests_after_ns);
  settings = other.settings;
  queue = other.queue;
  done_count = other.done_count;
  std::copy_n(other.done(), done_count, done());
  served = other.served;
  submitted = other.submitted;
  late_arrivals = other.late_arrivals;
  outside_validity = other.outside_validity;
  if (tables.shingling.act())
    std::copy_n(reinterpret_cast<const std::byte*>(other.translation()),
                shingled::Translation::bytes(tables.shingling),
                reinterpret_cast<std::byte*>(translation()));
}

void State::take_over_arm(const State& other) {
  const std::uint32_t into = core.segments, of_blocks = core.segment_blocks;
  core = other.core;
  core.segments = into;
  core.segment_blocks = of_blocks;
  core.background = {};
  core.paused = {};
  core.dirty = 0;
  core.unwritten_blocks = core.used_blocks = core.visits = 0;
  core.window = core.streams = 0;
}

}  // namespace platter::engine

#include "engine/queue.h"

#include <algorithm>
#include <limits>

#include "engine/arms.h"
#include "engine/segment_index.h"
#include "engine/step.h"

namespace platter::engine {
namespace {

constexpr std::size_t kDecision = std::numeric_limits<std::size_t>::max();

// `one` of the `count` that begin at `all`.
template <class T>
void remove(T* one, T* all, std::uint32_t& count) {
  std::copy(one + 1, all + count, one);
  --count;
}

}  // namespace

bool Outstanding::submit(const Request& request, Nanoseconds arrival_ns) {
  if (state_.waiting_count + state_.done_count >= state_.room()) return false;
  take_back_from(arrival_ns);
  if (arrival_ns < state_.core.now_ns) ++state_.late_arrivals;
  Waiting waiting;
  waiting.request = request;
  waiting.arrival_ns = arrival_ns;
  waiting.order = state_.submitted++;
  const std::uint64_t slot = tables_.layout.slot_of_lbn(request.lbn);
  const Track track = tables_.layout.track_of_slot(slot);
  waiting.arm = {track.cylinder, track.head};
  waiting.angle = tables_.layout.angle_of_slot(track, slot);
  waiting.arm_number = static_cast<std::uint8_t>(tables_.arms.arm_of(request.lbn));
  insert(waiting);
  return true;
}

// Those that wait stand in the order of their arrival, those of the same time in that of
// submission.
void Outstanding::insert(const Waiting& waiting) {
  const auto earlier = [](const Waiting& a, const Waiting& b) {
    return a.arrival_ns != b.arrival_ns ? a.arrival_ns < b.arrival_ns : a.order < b.order;
  };
  Waiting* const all = state_.waiting();
  std::size_t at = state_.waiting_count++;
  for (; at > 0 && earlier(waiting, all[at - 1]); --at) all[at] = all[at - 1];
  all[at] = waiting;
}

std::optional<Outstanding::Event> Outstanding::next_event() const {
  const Waiting* const all = state_.waiting();
  const Waiting* const end = all + state_.waiting_count;
  const auto arrived = [](const Waiting& w) { return w.arrived(); };
  const Waiting* const next_to_come = std::find_if_not(all, end, arrived);
  std::optional<Event> decision, arrival;
  if (tables_.arms.several()) {
    decision = next_decision();
  } else if (const Waiting* const first_there = std::find_if(all, end, arrived);
             first_there != end) {
    decision = {std::max({state_.core.taken_until_ns, state_.core.now_ns, first_there->arrival_ns}),
                kDecision};
  }
  if (next_to_come != end)
    arrival = {std::max(next_to_come->arrival_ns, state_.core.now_ns),
               static_cast<std::size_t>(next_to_come - all)};
  // Who comes at the moment of a decision takes part in it.
  if (!decision || (arrival && arrival->time_ns <= decision->time_ns)) return arrival;
  return decision;
}

// Of the arm that is free first; of those that are at once the lowest.
std::optional<Outstanding::Event> Outstanding::next_decision() const {
  std::optional<Event> first;
  for (std::uint32_t arm = 0; arm < tables_.arms.count; ++arm) {
    const std::span<const Waiting> all(state_.waiting(), state_.waiting_count);
    const auto there = std::ranges::find(all, arm + 1, &Waiting::there);
    if (there == all.end()) continue;
    const Nanoseconds time_ns =
        std::max({state_.core_of(arm).taken_until_ns, state_.core.now_ns, there->arrival_ns});
    if (!first || time_ns < first->time_ns) first = {time_ns, kDecision, arm};
  }
  return first;
}

// Another arm works, or is about to.
bool Outstanding::another_is_busy(std::uint32_t arm_number, Nanoseconds now_ns) const {
  const auto is_anothers = [&](const Waiting& w) {
    return w.arrived() && w.arm_number != arm_number;
  };
  return another_works(tables_, state_, arm_number, now_ns) ||
         std::any_of(state_.waiting(), state_.waiting() + state_.waiting_count, is_anothers);
}

void Outstanding::play(const Event& event) {
  if (event.arrival == kDecision) {
    state_.turn_to(event.arm_number);
    const std::size_t chosen = choose(tables_, state_.core, state_.queue,
                                      {state_.waiting(), state_.waiting_count}, event.time_ns);
    serve(chosen, event.time_ns, false);
    return;
  }
  Waiting& arriving = state_.waiting()[event.arrival];
  state_.turn_to(arriving.arm_number);
  // A read that is in the buffer need not wait for the arm.
  if (tables_.queue.hits_overtake && state_.core.taken_until_ns > event.time_ns &&
      Step(tables_, state_)
          .is_hit(arriving.request, tables_.decoded_ns(0, arriving.arrival_ns, event.time_ns)))
    serve(event.arrival, event.time_ns, true);
  else
    arriving.arrive();
}

void Outstanding::serve(std::size_t index, Nanoseconds now_ns, bool at_arrival) {
  Waiting* const all = state_.waiting();
  const Waiting served = all[index];
  Undo& undo = state_.undo_of(state_.served);
  undo.core = state_.core;
  undo.served = served;
  undo.at_arrival = at_arrival;
  undo.time_ns = now_ns;
  undo.segments = 0;
  const std::uint64_t order = state_.served++;
  state_.undo_count = std::min(state_.undo_count + 1, kMostUndone);
  state_.recording = true;
  if (served.arm.cylinder != undo.core.arm.cylinder)
    state_.core.sweeps_down = served.arm.cylinder < undo.core.arm.cylinder;
  remove(all + index, all, state_.waiting_count);
  const Completion completion = serve_now(served, now_ns);
  state_.recording = false;
  hand_in(completion, order);
}

void Outstanding::hand_in(const Completion& completion, std::uint64_t order) {
  Done* const done = state_.done();
  std::size_t at = state_.done_count++;
  for (; at > 0 && done[at - 1].completion.completion_ns > completion.completion_ns; --at)
    done[at] = done[at - 1];
  done[at] = {completion, order};
}

Completion Outstanding::serve_now(const Waiting& served, Nanoseconds now_ns) {
  if (!tables_.arms.several())
    return Step(tables_, state_).serve(served.request, served.arrival_ns, now_ns);
  const bool beside = another_is_busy(served.arm_number, now_ns);
  const Completion done = serve_by_arms(tables_, state_, served.request, served.arrival_ns, now_ns,
                                        beside);
  // What two arms did is more than one Undo holds.
  if (is_for_several_arms(tables_, served.request)) state_.undo_count = 0;
  return done;
}

// Takes back what was served then or later, but for a hit at its arrival, which no other request
// that comes then could change.
void Outstanding::take_back_from(Nanoseconds time_ns) {
  while (state_.undo_count > 0) {
    const Undo& newest = state_.undo_of(state_.served - 1);
    if (newest.time_ns < time_ns || (newest.at_arrival && newest.time_ns == time_ns)) break;
    take_back();
  }
  // What came later is still to come.
  for (std::size_t i = 0; i < state_.waiting_count; ++i) {
    Waiting& waiting = state_.waiting()[i];
    if (waiting.arrival_ns > time_ns) waiting.there = 0;
  }
}

void Outstanding::take_back() {
  const Undo& undo = state_.undo_of(--state_.served);
  --state_.undo_count;
  state_.turn_to(undo.core.arm_number);
  state_.core = undo.core;
  for (std::uint32_t i = 0; i < undo.segments; ++i) {
    state_.segments()[undo.segment_index[i]] = undo.segment_before[i];
    if (state_.index() != nullptr)
      SegmentIndex(state_.segments(), state_.index()).note(undo.segment_index[i]);
  }
  Done* const done = state_.done();
  Done* const end = done + state_.done_count;
  Done* const mine = std::find_if(done, end,
                                  [&](const Done& d) { return d.order == state_.served; });
  state_.outside_validity -= mine->completion.outside_validity;
  remove(mine, done, state_.done_count);
  insert(undo.served);
}

void Outstanding::advance(Nanoseconds now_ns) {
  for (auto event = next_event(); event && event->time_ns <= now_ns; event = next_event())
    play(*event);
}

const Completion* Outstanding::next() {
  while (true) {
    const Completion* const first = state_.done_count > 0 ? &state_.done()->completion : nullptr;
    const auto event = next_event();
    if (!event || (first != nullptr && first->completion_ns <= event->time_ns)) return first;
    play(*event);
  }
}

std::optional<Completion> Outstanding::take_next() {
  if (next() == nullptr) return std::nullopt;
  Done* const done = state_.done();
  const Done first = done[0];
  remove(done, done, state_.done_count);
  keep_for_good(first.order);
  return first.completion;
}

// Neither what was served as that, nor what was served before it, can be taken back.
void Outstanding::keep_for_good(std::uint64_t order) {
  state_.undo_count = std::min(state_.undo_count,
                               static_cast<std::uint32_t>(state_.served - 1 - order));
}

// What was chosen behind that time, by looking ahead, is chosen anew.
bool Outstanding::cancel(std::uint32_t tag, Nanoseconds now_ns) {
  advance(now_ns);
  take_back_from(now_ns + 1);
  Waiting* const waiting = state_.waiting();
  Waiting* const waiting_end = waiting + state_.waiting_count;
  const auto its_tag = [&](const Waiting& w) { return w.request.tag == tag; };
  if (Waiting* const mine = std::find_if(waiting, waiting_end, its_tag); mine != waiting_end) {
    remove(mine, waiting, state_.waiting_count);
    return true;
  }
  Done* const done = state_.done();
  Done* const done_end = done + state_.done_count;
  Done* const mine = std::find_if(done, done_end,
                                  [&](const Done& d) { return d.completion.tag == tag; });
  if (mine == done_end) return false;
  keep_for_good(mine->order);
  remove(mine, done, state_.done_count);
  return true;
}

void Outstanding::drain() {
  for (auto event = next_event(); event; event = next_event()) play(*event);
}

}  // namespace platter::engine

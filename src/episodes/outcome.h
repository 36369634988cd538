// What becomes of a request in a drive's episodes. A pure function of the schedule, the drive, and
// the request with its place among the drive's: no clock, no sequence, so that whoever asks again
// gets it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "episodes/schedule.h"

namespace platter::episodes {

// Later than any answer of a drive; of one that never comes.
inline constexpr Nanoseconds kLatest = Nanoseconds{1} << 61;
inline constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

struct Request {
  std::uint32_t drive = 0;    // by its place among those of an emulation
  std::uint64_t ordinal = 1;  // among the drive's reads, writes and flushes
  Kind kind = Kind::read;
  std::uint64_t lbn = 0, blocks = 0;  // of a flush: none
  Nanoseconds arrival_ns = 0;
  Nanoseconds completion_ns = 0;  // the model's; which episodes fail or stick does not depend on it
};

// An episode that acts on a request.
struct Action {
  std::uint32_t episode = 0;  // by its place in the file, from 0
  What what = What::stall;
  Nanoseconds due_ns = 0;  // behind it and those before it; kNever: it is stuck
};

struct Outcome {
  Nanoseconds due_ns = 0;
  bool fails = false;
  std::uint64_t failed_lbn = 0;  // the first
  std::uint32_t actions = 0;
  bool is_stuck() const { return due_ns == kNever; }
};

// Whether that episode acts on the request, whose answer is due at `due_ns` behind those before it.
std::optional<Action> action_of(const Schedule& schedule, std::size_t episode,
                                const Request& request, Nanoseconds due_ns);
// The first block of the request that the episode is of.
std::uint64_t first_touched(const Episode& episode, const Request& request);

// Each episode acts on what those before it in the file left; `each(action)` is told of it. Behind
// one that is stuck there is nothing to act on.
template <typename Each>
Outcome outcome_of(const Schedule& schedule, const Request& request, Each each) {
  Outcome outcome;
  outcome.due_ns = request.completion_ns;
  for (std::size_t i = 0; i < schedule.episodes.size() && !outcome.is_stuck(); ++i) {
    const auto action = action_of(schedule, i, request, outcome.due_ns);
    if (!action) continue;
    ++outcome.actions;
    outcome.due_ns = action->due_ns;
    if (action->what == What::fail && !outcome.fails) {
      outcome.fails = true;
      outcome.failed_lbn = first_touched(schedule.episodes[i], request);
    }
    each(*action);
  }
  return outcome;
}
inline Outcome outcome_of(const Schedule& schedule, const Request& request) {
  return outcome_of(schedule, request, [](const Action&) {});
}

}  // namespace platter::episodes

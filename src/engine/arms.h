// Several arms on one spindle. Each has a Core and a buffer of its own; the state works for one of
// them at a time (State::turn_to). What one arm does never changes another's, but for the time that
// a move takes beside an arm that is busy.
#pragma once

#include "engine/request.h"
#include "engine/state.h"
#include "engine/step.h"
#include "engine/tables.h"

namespace platter::engine {

// Whether the request's blocks lie in ranges of more than one arm.
bool is_for_several_arms(const Tables& tables, const Request& request);

// Whether the media work of an arm other than that one goes on behind now_ns.
bool another_works(const Tables& tables, State& state, std::uint32_t arm_number,
                   Nanoseconds now_ns);

// The request, of a drive with several arms: each of them serves what lies in its ranges, and all
// is done when the last of them is. `beside`: another arm is busy.
Completion serve_by_arms(const Tables& tables, State& state, const Request& request,
                         Nanoseconds arrival_ns, Nanoseconds now_ns, bool beside);

// The request, which arrived at that time, when its turn has come: nothing waits before it.
Completion serve_in_turn(const Tables& tables, State& state, const Request& request,
                         Nanoseconds arrival_ns);

// Calls `visit` with a Step of each arm in turn.
template <typename Visit>
void each_arm(const Tables& tables, State& state, Visit visit) {
  const std::uint32_t at_work = state.core.arm_number;
  for (std::uint32_t arm = 0; arm < tables.arms.count; ++arm) {
    state.turn_to(arm);
    Step step(tables, state);
    visit(step);
  }
  state.turn_to(at_work);
}

}  // namespace platter::engine

#include "engine/arms.h"

#include <algorithm>

#include "engine/in_parts.h"

namespace platter::engine {
namespace {

// The part of the request that begins at `lbn` and ends with its range.
Request part_from(const Tables& tables, const Request& request, std::uint64_t lbn) {
  Request part = request;
  part.lbn = lbn;
  const std::uint64_t end = std::min(request.lbn + request.blocks, tables.end_of_range(lbn));
  part.blocks = static_cast<std::uint32_t>(end - lbn);
  return part;
}

}  // namespace

bool is_for_several_arms(const Tables& tables, const Request& request) {
  return request.lbn + request.blocks > tables.end_of_range(request.lbn);
}

bool another_works(const Tables& tables, State& state, std::uint32_t arm_number,
                   Nanoseconds now_ns) {
  for (std::uint32_t arm = 0; arm < tables.arms.count; ++arm)
    if (arm != arm_number && state.core_of(arm).media_free_ns > now_ns) return true;
  return false;
}

Completion serve_by_arms(const Tables& tables, State& state, const Request& request,
                         Nanoseconds arrival_ns, Nanoseconds now_ns, bool beside) {
  return serve_in_parts(
      state, request, arrival_ns,
      [&](std::uint64_t lbn) { return part_from(tables, request, lbn); },
      [&](const Request& part) {
        state.turn_to(tables.arms.arm_of(part.lbn));
        Step step(tables, state);
        if (beside || part.blocks < request.blocks) step.move_beside(tables.arms.interference_ns);
        return step.serve(part, arrival_ns, now_ns);
      });
}

Completion serve_in_turn(const Tables& tables, State& state, const Request& request,
                         Nanoseconds arrival_ns) {
  state.turn_to(tables.arms.arm_of(request.lbn));
  // Without preseeking it is taken up only when the one in front is out of the way.
  const Nanoseconds now_ns =
      std::max({arrival_ns, state.core.now_ns,
                tables.queue.preseeking == 2 ? arrival_ns : state.core.taken_until_ns});
  if (!tables.arms.several()) return Step(tables, state).serve(request, arrival_ns, now_ns);
  return serve_by_arms(tables, state, request, arrival_ns, now_ns,
                       another_works(tables, state, state.core.arm_number, now_ns));
}

}  // namespace platter::engine

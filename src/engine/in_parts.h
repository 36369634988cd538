// A request that is served part by part, and done when the last of them is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/request.h"
#include "engine/state.h"

namespace platter::engine {

// `part_from(lbn)` is the part that begins there, `serve(part)` its completion.
template <typename PartFrom, typename Serve>
Completion serve_in_parts(State& state, const Request& request, Nanoseconds arrival_ns,
                          PartFrom part_from, Serve serve) {
  const std::uint64_t outside_before = state.outside_validity;
  Completion all;
  all.cache_hit = true;
  const std::uint64_t end = request.lbn + request.blocks;
  for (std::uint64_t lbn = request.lbn; lbn < end;) {
    const auto part = part_from(lbn);
    const Completion done = serve(part);
    all.completion_ns = std::max(all.completion_ns, done.completion_ns);
    all.media_access |= done.media_access;
    all.cache_hit &= done.cache_hit;
    all.outside_validity |= done.outside_validity;
    lbn += part.blocks;
  }
  all.tag = request.tag;
  all.arrival_ns = arrival_ns;
  state.outside_validity = outside_before + all.outside_validity;
  return all;
}

}  // namespace platter::engine

// A buffer that is divided as the load asks: few long segments for few sequential streams, many
// short ones for requests all over the drive.
#include <algorithm>

#include "engine/step.h"

namespace platter::engine {
namespace {

// Does a request go on where one of the window before it ended? Else it begins a stream.
bool carries_on(State& state, std::uint64_t lbn) {
  const std::span<std::uint64_t> ends = state.ends();
  const std::uint64_t from = (state.core.visits - state.core.window) % ends.size();
  const std::uint64_t count = state.core.window;
  const std::uint64_t behind = std::min<std::uint64_t>(count, ends.size() - from);
  const auto holds = [&](std::span<std::uint64_t> part) {
    return std::ranges::find(part, lbn) != part.end();
  };
  return holds(ends.subspan(from, behind)) || holds(ends.first(count - behind));
}

// The fewest segments, doubled until there is one for each stream.
std::uint32_t division_for(const CacheTable& cache, std::uint32_t streams) {
  std::uint64_t segments = cache.fewest_segments;
  while (segments < streams) segments *= 2;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(segments, cache.segments));
}

}  // namespace

// After every window of requests. The new division begins empty, and not while data are not on the
// media.
void Step::divide_as_asked(const Request& request) {
  const std::uint32_t all = tables_.cache.requests_between_divisions();
  if (core_.window == all) {
    const std::uint32_t wanted = division_for(tables_.cache, core_.streams);
    const bool clean = core_.dirty == 0 && core_.background.kind != Kind::destage;
    if (wanted != core_.segments && clean) {
      stop_read_ahead(core_.now_ns);
      core_.paused.count = 0;
      segments_.divide(wanted);
    }
    if (wanted == core_.segments) core_.window = core_.streams = 0;
  }
  if (core_.window == all) return;
  core_.streams += carries_on(state_, request.lbn) ? 0 : 1;
  const std::span<std::uint64_t> ends = state_.ends();
  ends[core_.visits++ % ends.size()] = request.lbn + request.blocks;
  ++core_.window;
}

}  // namespace platter::engine

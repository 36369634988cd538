// A buffer that is divided as the load asks: few long segments for few sequential streams, many
// short ones for requests all over the drive.
#include <algorithm>

#include "engine/step.h"

namespace platter::engine {
namespace {

constexpr std::uint32_t kWindow = 32;  // requests
static_assert(kWindow + kMostUndone <= kVisits);

// Requests that go on where none of those before them ended: each begins a stream.
std::uint32_t streams_of(State& state) {
  const std::uint64_t begin = state.core.visits - kWindow;
  std::uint32_t streams = 0;
  for (std::uint64_t i = begin; i < state.core.visits; ++i) {
    bool carries_on = false;
    for (std::uint64_t before = begin; before < i; ++before)
      carries_on |= state.visit_of(before).end == state.visit_of(i).first;
    streams += carries_on ? 0 : 1;
  }
  return streams;
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
  if (core_.window == kWindow) {
    const std::uint32_t wanted = division_for(tables_.cache, streams_of(state_));
    const bool clean = core_.dirty == 0 && core_.background.kind != Kind::destage;
    if (wanted != core_.segments && clean) {
      stop_read_ahead(core_.now_ns);
      core_.paused = {};
      segments_.divide(wanted);
    }
    if (wanted == core_.segments) core_.window = 0;
  }
  if (core_.window == kWindow) return;
  state_.visit_of(core_.visits++) = {request.lbn, request.lbn + request.blocks};
  ++core_.window;
}

}  // namespace platter::engine

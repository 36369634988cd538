#include "engine/read_ahead.h"

#include <algorithm>

namespace platter::engine {
namespace {

// Where an LBN is: `near`, if it is there, otherwise `other` becomes it.
const Track& track_holding(const LayoutMap& layout, std::uint64_t lbn, const Whereabouts& near,
                           Track& other) {
  const std::uint64_t slot = near.run.holds(lbn) ? near.run.slot_of(lbn) : layout.slot_of_lbn(lbn);
  if (near.track.holds(slot)) return near.track;
  layout.go_to_track(slot, other);
  return other;
}

// The first LBN at or behind a slot; `lbn` is one not far from there.
std::uint64_t at_or_behind(const LayoutMap& layout, std::uint64_t slot, std::uint64_t lbn,
                           const Whereabouts& near) {
  return near.run.holds_slot(slot) ? near.run.lbn_of(slot) : layout.lbn_at_or_after_slot(slot, lbn);
}

// The first LBN behind the track; `lbn` is one on it.
std::uint64_t beyond(const LayoutMap& layout, const Track& track, std::uint64_t lbn,
                     const Whereabouts& near) {
  return at_or_behind(layout, track.first_slot + track.sectors, lbn, near);
}

std::uint64_t end_of_cylinder(const LayoutMap& layout, std::uint64_t lbn, const Whereabouts& near) {
  Track other;
  const Track& first = track_holding(layout, lbn, near, other);
  const std::uint32_t cylinder = first.cylinder;
  std::uint64_t far = beyond(layout, first, lbn, near);
  for (std::uint32_t tracks = layout.heads(); tracks > 0 && far < layout.blocks(); --tracks) {
    const Track& track = track_holding(layout, far, near, other);
    if (track.cylinder != cylinder) break;
    far = beyond(layout, track, far, near);
  }
  return far;
}

// To the end of the track behind the request, and of the next one if what the segment holds began
// on the track before.
std::uint64_t end_of_next_track(const LayoutMap& layout, std::uint64_t end, std::uint64_t most,
                                std::uint64_t segment_first, const Whereabouts& near) {
  Track other;
  const Track& track = track_holding(layout, end, near, other);
  const std::uint64_t far = beyond(layout, track, end, near);
  if (far >= most || segment_first >= at_or_behind(layout, track.first_slot, end, near)) return far;
  return beyond(layout, track_holding(layout, far, near, other), far, near);
}

}  // namespace

std::uint64_t read_ahead_least(const CacheTable& cache, const Request& request) {
  return std::uint64_t{cache.read_ahead_min} * (cache.read_ahead_by_request ? request.blocks : 1);
}

// 0: no bound.
std::uint64_t read_ahead_most(const CacheTable& cache, const Request& request) {
  const std::uint64_t most = std::uint64_t{cache.read_ahead_max} *
                             (cache.read_ahead_by_request ? request.blocks : 1);
  if (cache.read_ahead_ceiling == 0) return most;
  return most == 0 ? cache.read_ahead_ceiling
                   : std::min<std::uint64_t>(most, cache.read_ahead_ceiling);
}

std::uint64_t read_ahead_limit(const Tables& tables, const Request& request, const Segment& segment,
                               const Whereabouts& near) {
  const CacheTable& cache = tables.cache;
  const LayoutMap& layout = tables.layout;
  const std::uint64_t end = request.lbn + request.blocks;
  const std::uint64_t blocks = tables.end_of_range(request.lbn);
  if (end >= blocks) return blocks;
  if (cache.read_ahead_longest_request > 0 && request.blocks > cache.read_ahead_longest_request)
    return end;
  const std::uint64_t bound = read_ahead_most(cache, request);
  const std::uint64_t most = bound > 0 ? std::min(blocks, end + bound) : blocks;
  std::uint64_t far = end;
  switch (static_cast<model::ReadAhead>(cache.read_ahead)) {
    case model::ReadAhead::none:
      return end;
    case model::ReadAhead::to_track_end: {
      Track other;
      far = beyond(layout, track_holding(layout, end - 1, near, other), end - 1, near);
      break;
    }
    case model::ReadAhead::to_cylinder_end:
      far = end_of_cylinder(layout, end - 1, near);
      break;
    case model::ReadAhead::to_segment_full:
      far = cache.read_ahead_over_requested ? end + segment.size
                                            : std::max(end, request.lbn + segment.size);
      if (bound > 0) far = most;
      break;
    case model::ReadAhead::to_next_track_if_sequential:
      far = end_of_next_track(layout, end, most, segment.first, near);
      break;
  }
  // What would fall out of the segment again is not read, whatever the minimum.
  std::uint64_t least = std::min<std::uint64_t>(read_ahead_least(cache, request), segment.size);
  if (cache.read_ahead_ceiling > 0)
    least = std::min<std::uint64_t>(least, cache.read_ahead_ceiling);
  far = std::max(std::min(far, most), end + least);
  return std::min(far, blocks);
}

}  // namespace platter::engine

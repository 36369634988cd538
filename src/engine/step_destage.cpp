// Written data that wait in the buffer: when they go to the media, and in what order.
#include <algorithm>

#include "engine/step.h"

namespace platter::engine {

void Step::start_destage(std::uint32_t segment, Nanoseconds start) {
  const Segment& data = segments_[segment];
  MediaCursor& cursor = send_heads(data.first, std::max(start, data.ready_ns), core_.phase_ns);
  const std::uint64_t first = data.first, end = data.end;
  segments_.set_leaving(segment);
  mechanics_.access(cursor, end, write_access({}), nullptr, nullptr, nullptr);
  leave_media(cursor);
  begin_background(Kind::destage, segment, first, 0, 0);
}

// The data that have waited longest on the cylinder where the arm stands.
std::optional<std::uint32_t> Step::dirty_here() const {
  const std::uint64_t at = core_.media_lbn > 0 ? core_.media_lbn - 1 : 0;
  const std::uint64_t cylinder_blocks = std::uint64_t{mechanics_.track_of(at).sectors} *
                                        tables_.layout.heads();
  return segments_.oldest_dirty(at > cylinder_blocks ? at - cylinder_blocks : 0,
                                at + cylinder_blocks, [&](const Segment& data) {
                                  return mechanics_.track_of(data.first).cylinder ==
                                         core_.arm.cylinder;
                                });
}

// In passing at once, elsewhere after a time without a command.
bool Step::start_destage_when_idle(Nanoseconds now) {
  if (core_.dirty == 0) return false;
  const Nanoseconds free = std::max(core_.media_free_ns, core_.taken_until_ns);
  if (tables_.cache.destage_in_passing && free < now) {
    if (const auto segment = dirty_here()) {
      start_destage(*segment, free);
      return true;
    }
  }
  const Nanoseconds start = std::max(core_.media_free_ns,
                                     core_.idle_since_ns + tables_.cache.destage_idle_ns);
  if (start >= now) return false;
  start_destage(segments_.next_to_destage(core_.media_lbn), start);
  return true;
}

void Step::finish_destage() {
  const std::uint32_t segment = core_.background.segment;
  const bool keep = tables_.cache.read_hit_on_written && reads_cached();
  if (segments_[segment].content == Segment::Content::leaving)
    segments_.set_clean(segment, keep);
  else if (!keep)
    segments_.release(segment);
  core_.background.kind = Kind::none;
}

// A request cannot go on before these data are on the media; what it does there begins behind them.
void Step::destage_at_once(std::uint32_t segment) {
  waited_for_media_ = true;
  if (core_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(core_.now_ns);
  start_destage(segment, std::max(core_.now_ns, core_.media_free_ns));
  finish_destage();
}

void Step::destage_one() {
  waited_for_media_ = true;
  if (core_.background.kind == Kind::destage) return finish_destage();
  destage_at_once(segments_.next_to_destage(core_.media_lbn));
}

void Step::destage_all() {
  while (core_.dirty > 0) destage_one();
}

// Where no more may wait: what has waited longest goes to the media, until there is room for the
// request, which `target` is to absorb, if that is not gone by then. Whether any had to go.
bool Step::destage_beyond_limit(const Request& request, std::optional<std::uint32_t>& target) {
  const std::uint64_t most = tables_.written.most_blocks;
  if (most == 0) return false;
  const auto is_full = [&] {
    return core_.dirty > 0 && core_.unwritten_blocks + segments_.more_dirty(target, request) > most;
  };
  const bool any = is_full();
  while (is_full()) {
    destage_one();
    if (target && segments_[*target].content != Segment::Content::dirty) target.reset();
  }
  return any;
}

// What the request overlaps and is not on the media yet, but for one segment: written there first,
// or dropped where the request overwrites all of it.
void Step::bring_to_media(const Request& request, bool overwrites,
                          std::optional<std::uint32_t> but_for) {
  const std::uint64_t end = request.lbn + request.blocks;
  const Segment* const spared = but_for ? &segments_[*but_for] : nullptr;
  const auto other = [&](const Segment& data) { return &data != spared; };
  while (const auto segment = segments_.oldest_dirty(request.lbn, end, other)) {
    const Segment& data = segments_[*segment];
    if (overwrites && data.first >= request.lbn && data.end <= end)
      segments_.set_clean(*segment, false);
    else
      destage_at_once(*segment);
  }
}

}  // namespace platter::engine

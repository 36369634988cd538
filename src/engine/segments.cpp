#include "engine/segments.h"

#include <algorithm>

namespace platter::engine {
namespace {

// The newest Undo gets the segment as it was before the first change; without room for it, nothing
// that was served so far can be taken back any more.
void record_change(State& state, std::uint32_t segment) {
  Undo& undo = state.undo_of(state.served - 1);
  for (std::uint32_t i = 0; i < undo.segments; ++i)
    if (undo.segment_index[i] == segment) return;
  if (undo.segments == kUndoSegments) {
    state.undo_count = 0;
    state.recording = false;
    return;
  }
  undo.segment_index[undo.segments] = segment;
  undo.segment_before[undo.segments++] = state.segments()[segment];
}

}  // namespace

Segment& Segments::edit(std::uint32_t segment) {
  if (state_.recording) record_change(state_, segment);
  return segments_[segment];
}

// A drive with a separate write segment keeps segment 0 for it.
std::uint32_t Segments::first_for_reads() const { return table_.separate_write_segment ? 1 : 0; }
std::uint32_t Segments::segments_for_writes() const {
  return table_.separate_write_segment ? 1 : table_.segments;
}

Segments::Found Segments::find_read(const Request& request,
                                    std::optional<std::uint32_t> reading) const {
  Found best;
  if (!table_.present) return best;
  const std::uint64_t last = request.lbn + request.blocks;
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const bool holds = request.lbn - segment.first < segment.end - segment.first;
    if (!holds && !(table_.almost_read_hits && request.lbn == segment.end && reading == i))
      continue;
    if (segment.content == Segment::Content::empty) continue;
    if (segment.content == Segment::Content::written && !table_.read_hit_on_written) continue;
    const Match match = last <= segment.end ? Match::whole : Match::partial;
    if (match > best.match) best = {match, i};
  }
  return best;
}

bool Segments::overlaps(std::uint32_t segment, const Request& request) const {
  const Segment& s = segments_[segment];
  // Not &&: one branch, which is hardly ever taken.
  return (request.lbn < s.end) & (request.lbn + request.blocks > s.first) &
         (s.content != Segment::Content::empty);
}

std::uint32_t Segments::oldest(std::uint32_t first, std::uint32_t last) const {
  std::uint32_t best = first;
  std::uint64_t least = kNoKey;
  for (std::uint32_t i = first; i < last; ++i) {
    const Segment& s = segments_[i];
    const std::uint64_t rank = s.content == Segment::Content::empty ? 0 : s.last_use + 1;
    const bool older = rank < least;
    best = older ? i : best;
    least = older ? rank : least;
  }
  return best;
}

std::uint32_t Segments::take_for_read() {
  const std::uint32_t taken = oldest(first_for_reads(), table_.segments);
  edit(taken) = {};
  touch(taken);
  return taken;
}

std::uint32_t Segments::take_for_write(const Request& request) {
  for (std::uint32_t i = 0; i < table_.segments; ++i)
    if (overlaps(i, request)) edit(i).content = Segment::Content::empty;
  const std::uint32_t taken = oldest(0, segments_for_writes());
  edit(taken) = {};
  touch(taken);
  return taken;
}

void Segments::touch(std::uint32_t segment) { edit(segment).last_use = ++state_.core.uses; }

void Segments::drop_all() {
  for (std::uint32_t i = 0; i < segments_.size(); ++i) edit(i) = {};
}

void Segments::grow(std::uint32_t segment, std::uint64_t end) {
  if (end <= segments_[segment].end) return;
  Segment& s = edit(segment);
  s.end = end;
  if (s.end - s.first > table_.segment_blocks) s.first = s.end - table_.segment_blocks;
}

}  // namespace platter::engine

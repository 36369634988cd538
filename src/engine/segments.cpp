#include "engine/segments.h"

#include <algorithm>
#include <bit>

#include "model/splitmix.h"

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

// The one of [from, to) whose turn is first; `to`: none of them has one. Rank and number make one
// key, whose minimum needs no branch: which of them it is cannot be foretold.
template <Waits waits>
std::uint32_t least_rank(std::span<const Segment> segments, std::uint32_t from, std::uint32_t to) {
  constexpr int kNumberBits = std::bit_width(kIndexedFrom);
  constexpr std::uint64_t kNever = kNeverNext << kNumberBits;
  std::uint64_t least = kNever;
  for (std::uint32_t i = from; i < to; ++i)
    least = std::min(least, rank_of(segments[i], waits) << kNumberBits | i);
  return least >= kNever ? to
                         : static_cast<std::uint32_t>(least % (std::uint64_t{1} << kNumberBits));
}

bool overlap(const Segment& segment, const Request& request) {
  return holds_any_of(segment, request.lbn, request.lbn + request.blocks);
}

// Blocks of the run that begins with the first and ends with the last of both.
std::uint64_t together(const Segment& segment, const Request& request) {
  return std::max(request.lbn + request.blocks, segment.end) - std::min(request.lbn, segment.first);
}

}  // namespace

void Segments::note_change(std::uint32_t segment) {
  if (state_.recording) record_change(state_, segment);
  if (indexed()) index().note(segment);
}

// A drive with segments of their own for writes keeps the first ones for them.
std::uint32_t Segments::first_for_reads() const {
  return table_.separate_write_segment && state_.core.segments > 1
             ? std::min(table_.write_segments, state_.core.segments - 1)
             : 0;
}
std::uint32_t Segments::segments_for_writes() const {
  if (table_.write_back_level == 1 && table_.destage_behind) return 1;
  const std::uint32_t own = first_for_reads();
  return own > 0 ? own : std::min(table_.write_segments, state_.core.segments);
}

Segments::Found Segments::find_read(const Request& request, std::uint32_t reading) const {
  Found best;
  if (!table_.present) return best;
  const std::uint64_t last = request.lbn + request.blocks;
  const auto look = [&](std::uint32_t i) {
    const Segment& segment = segments_[i];
    if (segment.content == Segment::Content::empty) return;
    if (segment.content >= Segment::Content::written && !table_.read_hit_on_written) return;
    const Match match = last <= segment.end ? Match::whole : Match::partial;
    if (match > best.match || (match == best.match && i < best.segment)) best = {match, i};
  };
  visit_near(request.lbn, request.lbn + 1, [&](std::uint32_t i) {
    const Segment& segment = segments_[i];
    if (request.lbn - segment.first < segment.end - segment.first) look(i);
  });
  if (table_.almost_read_hits && reading != kNone && segments_[reading].end == request.lbn)
    look(reading);
  return best;
}

bool Segments::carries_on(const Request& request) const {
  bool found = false;
  if (request.lbn == 0) return false;
  visit_near(request.lbn - 1, request.lbn, [&](std::uint32_t i) {
    found |= segments_[i].end == request.lbn && segments_[i].content == Segment::Content::read;
  });
  return found;
}

std::uint32_t Segments::next_of(Waits waits, std::uint32_t first, std::uint32_t last) const {
  if (indexed()) return index().next_of(waits, first, last);
  switch (waits) {
    case Waits::for_replacement:
      return least_rank<Waits::for_replacement>(segments_, first, last);
    case Waits::for_room:
      return least_rank<Waits::for_room>(segments_, first, last);
    case Waits::for_destage:
      return least_rank<Waits::for_destage>(segments_, first, last);
  }
  return last;
}

// An empty one, else whose turn it is; nullopt: all are dirty.
std::optional<std::uint32_t> Segments::replaceable(std::uint32_t first, std::uint32_t last) const {
  const std::uint32_t next = next_of(Waits::for_replacement, first, last);
  const std::uint32_t segments = last - first;
  if (next == last || segments == 0) return std::nullopt;
  if (table_.replacement != static_cast<std::uint8_t>(model::Replacement::random) ||
      segments_[next].content == Segment::Content::empty)
    return next;
  std::uint32_t drawn = first + static_cast<std::uint32_t>(model::mix(state_.core.uses) % segments);
  while (holds_unwritten(segments_[drawn])) drawn = drawn + 1 < last ? drawn + 1 : first;
  return drawn;
}

// In a common buffer, others lose what they hold until there is room for so many blocks more; one
// that is spared is taken for the newest.
bool Segments::reserve(std::uint32_t blocks, std::uint32_t spared) {
  if (!table_.pooled()) return true;
  while (state_.core.used_blocks + blocks > table_.buffer_blocks) {
    std::uint32_t loser = next_of(Waits::for_room, 0, state_.core.segments);
    if (loser == spared) {
      edit(spared).use_at(++state_.core.uses);
      loser = next_of(Waits::for_room, 0, state_.core.segments);
    }
    if (loser == state_.core.segments || loser == spared) return false;
    release(loser);
  }
  state_.core.used_blocks += blocks;
  return true;
}

// As long as its stream, as far as the buffer goes; beyond that what came first falls out.
void Segments::make_longer(std::uint32_t segment, std::uint64_t end) {
  const Segment& s = segments_[segment];
  const std::uint64_t wanted = std::min<std::uint64_t>(end - s.first, largest());
  if (wanted <= s.size) return;
  const auto more = static_cast<std::uint32_t>(wanted - s.size);
  if (reserve(more, segment)) edit(segment).size += more;
}

std::optional<std::uint32_t> Segments::take(std::uint32_t first, std::uint32_t last,
                                            std::uint32_t blocks) {
  const std::optional<std::uint32_t> taken = replaceable(first, last);
  if (!taken) return std::nullopt;
  if (table_.pooled()) release(*taken);
  const std::uint32_t size = table_.pooled() ? std::clamp(blocks, 1u, largest()) : largest();
  if (!reserve(size)) return std::nullopt;
  Segment& segment = edit(*taken);
  segment = {};
  segment.size = size;
  segment.use_at(++state_.core.uses);
  return taken;
}

std::optional<std::uint32_t> Segments::take_for_read(std::uint32_t blocks) {
  return take(first_for_reads(), state_.core.segments, blocks);
}

void Segments::drop_overlapped(const Request& request) {
  visit_near(request.lbn, request.lbn + request.blocks, [&](std::uint32_t i) {
    const Segment& segment = segments_[i];
    if (!overlap(segment, request) || holds_unwritten(segment)) return;
    if (table_.write_updates_segments && segment.content == Segment::Content::read) return;
    release(i);
  });
}

std::optional<std::uint32_t> Segments::take_for_write(const Request& request) {
  drop_overlapped(request);
  const std::uint32_t own = first_for_reads();
  return take(0, own > 0 ? own : state_.core.segments, request.blocks);
}

// First in, first out: only a new content counts.
void Segments::touch(std::uint32_t segment) {
  if (table_.replacement == static_cast<std::uint8_t>(model::Replacement::first_in_first_out))
    return;
  edit(segment).use_at(++state_.core.uses);
}

void Segments::release(std::uint32_t segment) {
  if (segments_[segment].content == Segment::Content::empty) return;
  Segment& s = edit(segment);
  if (table_.pooled()) state_.core.used_blocks -= s.size;
  s.become(Segment::Content::empty);
}

void Segments::drop_clean(std::optional<std::uint32_t> kept) {
  for (std::uint32_t i = 0; i < segments_.size(); ++i)
    if (i != kept && !holds_unwritten(segments_[i])) release(i);
}

void Segments::divide(std::uint32_t segments) {
  drop_clean(std::nullopt);
  state_.core.segments = segments;
  state_.core.segment_blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(table_.buffer_blocks / segments, 0xffffffff));
}

void Segments::hold_dirty(std::uint32_t segment, const Request& request, Nanoseconds ready_ns) {
  Segment& s = edit(segment);
  const std::uint64_t end = request.lbn + request.blocks;
  if (s.content != Segment::Content::dirty) {
    s.become(Segment::Content::dirty);
    s.first = request.lbn;
    s.end = end;
    s.since = ++state_.core.uses;
    ++state_.core.dirty;
    state_.core.unwritten_blocks += request.blocks;
  }
  const std::uint64_t before = s.end - s.first;
  s.first = std::min(s.first, request.lbn);
  s.end = std::max(s.end, end);
  state_.core.unwritten_blocks += s.end - s.first - before;
  s.ready_ns = ready_ns;
  touch(segment);
}

void Segments::set_leaving(std::uint32_t segment) {
  if (const Segment& s = segments_[segment]; !holds_unwritten(s)) {
    ++state_.core.dirty;
    state_.core.unwritten_blocks += s.end - s.first;
  }
  edit(segment).become(Segment::Content::leaving);
}

void Segments::set_clean(std::uint32_t segment, bool keep) {
  --state_.core.dirty;
  state_.core.unwritten_blocks -= segments_[segment].end - segments_[segment].first;
  edit(segment).become(Segment::Content::written);
  if (!keep) release(segment);
}

// Overwriting what waits costs nothing; an adjacent request joins it if the drive combines writes.
std::optional<std::uint32_t> Segments::absorbing(const Request& request) const {
  std::optional<std::uint32_t> best;
  if (state_.core.dirty == 0) return best;
  const std::uint64_t end = request.lbn + request.blocks;
  visit_near(request.lbn - (request.lbn > 0 ? 1 : 0), end + 1, [&](std::uint32_t i) {
    const Segment& segment = segments_[i];
    if (segment.content != Segment::Content::dirty) return;
    const bool adjacent = end == segment.first || request.lbn == segment.end;
    if (!overlap(segment, request) && !(adjacent && table_.combine_writes)) return;
    if (together(segment, request) > (table_.pooled() ? largest() : segment.size)) return;
    if (!best || segment.since < segments_[*best].since) best = i;
  });
  return best;
}

std::uint64_t Segments::more_dirty(std::optional<std::uint32_t> segment,
                                   const Request& request) const {
  if (!segment) return request.blocks;
  const Segment& s = segments_[*segment];
  return together(s, request) - (s.end - s.first);
}

bool Segments::make_room_in(std::uint32_t segment, const Request& request) {
  const Segment& s = segments_[segment];
  const std::uint64_t wanted = together(s, request);
  if (wanted <= s.size) return true;
  const auto more = static_cast<std::uint32_t>(wanted - s.size);
  if (!reserve(more)) return false;
  edit(segment).size += more;
  return true;
}

std::uint32_t Segments::next_to_destage(std::uint64_t lbn) const {
  if (!table_.destage_by_lbn) return next_of(Waits::for_destage, 0, state_.core.segments);
  if (indexed()) return index().destage_from(lbn);
  // The nearest in front of the arm, else the first of all.
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < state_.core.segments; ++i) {
    if (segments_[i].content != Segment::Content::dirty) continue;
    // Modulo 2^64: behind the arm is beyond all in front of it.
    if (!best || segments_[i].first - lbn < segments_[*best].first - lbn) best = i;
  }
  return *best;
}

}  // namespace platter::engine

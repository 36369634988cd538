// The buffer as segments: which of them holds a block, which one a new request takes. As in DiskSim
// 4.0's cache (its manual, "Disk block caches"), and beyond it: other replacement than least
// recently used, segments that take what they need of a common buffer, data that wait for destage.
#pragma once

#include <optional>

#include "engine/segment_index.h"
#include "engine/state.h"

namespace platter::engine {

class Segments {
 public:
  Segments(const CacheTable& table, State& state)
      : table_(table), state_(state), segments_(state.segments()) {}

  const Segment& operator[](std::uint32_t segment) const { return segments_[segment]; }
  // The segment to be changed: its present contents go into the record by which the request that
  // is being served can be taken back.
  Segment& edit(std::uint32_t segment) {
    if (state_.recording || indexed()) note_change(segment);
    return segments_[segment];
  }
  // Blocks of the largest one, as the buffer is divided now.
  std::uint32_t largest() const { return state_.core.segment_blocks; }

  enum class Match { none, partial, whole };
  struct Found {
    Match match = Match::none;
    std::uint32_t segment = 0;
  };
  // The segment that holds the first block of a read, the fullest match first. `reading`: the
  // segment that is being filled, whose end block counts as a match if almost_read_hits.
  static constexpr std::uint32_t kNone = ~0u;
  Found find_read(const Request& request, std::uint32_t reading = kNone) const;
  // Whether some segment ends where the request begins.
  bool carries_on(const Request& request) const;

  // A segment for new read data, with room for so many blocks; nullopt: all hold data that have to
  // wait for their destage.
  std::optional<std::uint32_t> take_for_read(std::uint32_t blocks);
  // A segment for new written data; clean segments that overlap the request lose their contents,
  // unless written blocks are put there, too.
  std::optional<std::uint32_t> take_for_write(const Request& request);
  void drop_overlapped(const Request& request);
  void touch(std::uint32_t segment);
  void release(std::uint32_t segment);
  // All but those that hold data which are not on the media, of which `kept` is one.
  void drop_clean(std::optional<std::uint32_t> kept);
  // Divides the buffer, which holds nothing, into so many segments.
  void divide(std::uint32_t segments);

  // Extends the segment to `end`; what no longer fits falls out at its beginning.
  void grow(std::uint32_t segment, std::uint64_t end) {
    if (end <= segments_[segment].end) return;
    if (table_.segments_grow) make_longer(segment, end);
    Segment& s = edit(segment);
    const std::uint64_t before = s.end - s.first;
    s.end = end;
    s.is_stream = 0;
    if (s.end - s.first > s.size) s.first = s.end - s.size;
    if (holds_unwritten(s)) state_.core.unwritten_blocks += s.end - s.first - before;
  }

  // Data that wait for their destage.
  void hold_dirty(std::uint32_t segment, const Request& request, Nanoseconds ready_ns);
  // A dirty one, or one with what has just been written.
  void set_leaving(std::uint32_t segment);
  void set_clean(std::uint32_t segment, bool keep);
  bool may_take_more_dirty() const { return state_.core.dirty < segments_for_writes(); }
  // The dirty segment that has waited longest among those which hold a block of [low, high) and are
  // accepted.
  template <typename Accept>
  std::optional<std::uint32_t> oldest_dirty(std::uint64_t low, std::uint64_t high,
                                            Accept accept) const;
  // The dirty segment into which the request's data go without a gap and with enough room.
  std::optional<std::uint32_t> absorbing(const Request& request) const;
  // So many more blocks wait once the segment has absorbed the request; nullopt: one of its own.
  std::uint64_t more_dirty(std::optional<std::uint32_t> segment, const Request& request) const;
  // Blocks for what the segment is to absorb; false: the buffer has none left.
  bool make_room_in(std::uint32_t segment, const Request& request);
  // Whose turn it is, the arm being at that LBN; there is one.
  std::uint32_t next_to_destage(std::uint64_t lbn) const;

 private:
  // All segments that may hold a block of [low, high), in any order.
  template <typename Visit>
  void visit_near(std::uint64_t low, std::uint64_t high, Visit visit) const {
    if (indexed()) return index().visit_near(low, high, largest(), visit);
    for (std::uint32_t i = 0; i < state_.core.segments; ++i) visit(i);
  }
  bool indexed() const { return state_.index() != nullptr; }
  SegmentIndex index() const { return {segments_, state_.index()}; }
  void note_change(std::uint32_t segment);
  std::uint32_t first_for_reads() const;
  std::uint32_t segments_for_writes() const;
  std::uint32_t next_of(Waits waits, std::uint32_t first, std::uint32_t last) const;
  std::optional<std::uint32_t> replaceable(std::uint32_t first, std::uint32_t last) const;
  bool reserve(std::uint32_t blocks, std::uint32_t spared = kNone);
  void make_longer(std::uint32_t segment, std::uint64_t end);
  std::optional<std::uint32_t> take(std::uint32_t first, std::uint32_t last, std::uint32_t blocks);

  const CacheTable& table_;
  State& state_;
  std::span<Segment> segments_;
};

template <typename Accept>
std::optional<std::uint32_t> Segments::oldest_dirty(std::uint64_t low, std::uint64_t high,
                                                    Accept accept) const {
  std::optional<std::uint32_t> oldest;
  if (state_.core.dirty == 0) return oldest;
  visit_near(low, high, [&](std::uint32_t i) {
    const Segment& segment = segments_[i];
    if (segment.content != Segment::Content::dirty) return;
    if (!holds_any_of(segment, low, high) || !accept(segment)) return;
    if (!oldest || segment.since < segments_[*oldest].since) oldest = i;
  });
  return oldest;
}

}  // namespace platter::engine

// One segment of the buffer.
#pragma once

#include <cstdint>

#include "model/units.h"

namespace platter::engine {

constexpr std::uint32_t kMostLeft = (1 << 23) - 1;  // no buffer holds as much

struct Segment {
  enum class Content : std::uint8_t {
    empty,
    read,
    written,  // and on the media (where writes do not wait: or on the way there)
    dirty,    // written, and waiting for its destage
    leaving,  // written, and on the way to the media
  };
  std::uint64_t first = 0, end = 0;  // LBNs [first, end) are in it
  std::uint64_t last_use = 0;        // larger is later; changed by use_at()
  std::uint64_t turn = 0;            // when its place may be taken: rank_of for_replacement
  std::uint64_t since = 0;           // dirty: when it became so, larger is later
  Nanoseconds ready_ns = 0;          // when a request's own blocks have come from media or bus
  std::uint32_t size = 0;            // blocks that it has room for
  Content content = Content::empty;  // changed by become()
  // Of a stream whose read-ahead stands still, as the segment was left then: blocks behind `end`
  // that it was broken off before.
  std::uint32_t left : 23 = 0;
  std::uint32_t is_stream : 1 = 0;

  void become(Content next) {
    content = next;
    set_turn();
  }
  void use_at(std::uint64_t use) {
    last_use = use;
    set_turn();
  }

 private:
  void set_turn();
};

// Whether it holds data that the media do not.
inline bool holds_unwritten(const Segment& segment) {
  return segment.content >= Segment::Content::dirty;
}

// Whether it holds a block of [low, high).
inline bool holds_any_of(const Segment& segment, std::uint64_t low, std::uint64_t high) {
  // Not &&: one branch, which is hardly ever taken.
  return (low < segment.end) & (high > segment.first) &
         (segment.content != Segment::Content::empty);
}

// Orders by waiting: whose place a new content takes, who gives up its content for others' room,
// who is destaged.
enum class Waits : std::uint8_t { for_replacement, for_room, for_destage };
constexpr Waits kAllWaits[] = {Waits::for_replacement, Waits::for_room, Waits::for_destage};
constexpr std::uint64_t kNeverNext = ~std::uint64_t{0};

inline void Segment::set_turn() {
  const std::uint64_t held = holds_unwritten(*this) ? kNeverNext : last_use + 1;
  turn = content == Content::empty ? 0 : held;
}

// The least is next; kNeverNext: not this one. An empty place is taken before any other.
inline std::uint64_t rank_of(const Segment& segment, Waits waits) {
  using Content = Segment::Content;
  if (waits == Waits::for_destage)
    return segment.content == Content::dirty ? segment.since : kNeverNext;
  return waits == Waits::for_room && segment.content == Content::empty ? kNeverNext : segment.turn;
}

}  // namespace platter::engine

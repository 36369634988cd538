// State: all that changes while the engine runs, in one trivially copyable block.
#pragma once

#include <array>
#include <type_traits>

#include "engine/engine.h"
#include "engine/tables.h"

namespace platter::engine {

constexpr std::size_t kMaxOutstanding = 64;

struct Arm {
  std::uint32_t cylinder = 0, head = 0;
  bool operator==(const Arm&) const = default;
};

// Where a run over consecutive LBNs stands: all before next_lbn is done at time_ns, and the heads
// are then on `arm`.
struct MediaCursor {
  std::uint64_t next_lbn = 0;
  Nanoseconds time_ns = 0;
  Nanoseconds phase_ns = 0;
  Arm arm;
};

struct Segment {
  enum class Content : std::uint8_t { empty, read, written };
  std::uint64_t first = 0, end = 0;  // LBNs [first, end) are in it
  std::uint64_t last_use = 0;        // larger is later
  Content content = Content::empty;
};

// The media work that goes on between requests. At most one at a time.
struct Background {
  enum class Kind : std::uint8_t { none, read_ahead, destage };
  Kind kind = Kind::none;
  std::uint32_t segment = 0;
  MediaCursor cursor;        // read-ahead: how far it is; destage: where it will have ended
  std::uint64_t limit = 0;   // read-ahead: first LBN not to be read
  std::uint64_t first = 0;   // destage: first LBN not on the media when it began
};

struct State {
  Arm arm;
  Nanoseconds media_free_ns = 0;  // when work that no request can stop leaves the arm
  Nanoseconds bus_free_ns = 0;
  Nanoseconds last_arrival_ns = 0;
  bool last_was_write = false;
  std::uint64_t last_end_lbn = 0;       // behind the last request
  CacheSettings settings;
  std::uint64_t uses = 0;         // clock of the segments' last_use
  Background background;
  std::array<Segment, kMaxSegments> segments{};
  std::array<Completion, kMaxOutstanding> pending{};  // by completion time
  std::size_t pending_count = 0;
};

static_assert(std::is_trivially_copyable_v<State>);

}  // namespace platter::engine

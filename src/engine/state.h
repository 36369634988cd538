// State: all that changes while the engine runs, in one contiguous block of plain bytes whose size
// the tables give. Copying it is a checkpoint, copying it back a rollback.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "engine/request.h"
#include "engine/scheduler.h"
#include "engine/segment.h"
#include "engine/tables.h"

namespace platter::engine {

// Where the heads are: on which track, and which LBNs lie evenly there.
struct Whereabouts {
  Track track{};  // no sectors: on none yet
  EvenRun run{};
};

// Where a run over consecutive LBNs stands: all before next_lbn is done at time_ns, and the heads
// are then on `arm`.
struct MediaCursor {
  std::uint64_t next_lbn = 0;
  Nanoseconds time_ns = 0;
  Nanoseconds phase_ns = 0;
  Arm arm;
  Whereabouts at{};  // of what was read or written last
};

// The media work that goes on between requests. At most one at a time.
struct Background {
  enum class Kind : std::uint8_t { none, read_ahead, destage };
  Kind kind = Kind::none;
  std::uint32_t segment = 0;
  MediaCursor cursor;       // read-ahead: how far it is; destage: where it will have ended
  std::uint64_t limit = 0;  // read-ahead: first LBN not to be read
  std::uint64_t first = 0;  // destage: first LBN not on the media when it began
  std::uint64_t must = 0;   // read-ahead: first LBN from which on a command breaks it off
};

// Segments of the sequential streams that are remembered, the newest first.
struct Streams {
  std::uint16_t segments[kMostStreams] = {};
  std::uint32_t count = 0;
};
static_assert(kMaxSegments <= 65536);

// All but the segments and what is outstanding. Of several arms each has one (arms.h).
struct Core {
  Arm arm;
  std::uint32_t arm_number = 0;
  Nanoseconds now_ns = 0;          // of the last event; time does not go back behind it
  Nanoseconds media_free_ns = 0;   // when work that no request can stop leaves the arm
  Nanoseconds taken_until_ns = 0;  // when the next of several requests that wait can be taken up
  Nanoseconds bus_gap_ns = 0;      // from here to bus_begin_ns the bus is free, too
  Nanoseconds bus_begin_ns = 0, bus_free_ns = 0;  // the last transfer that the bus has been given
  bool last_was_write = false;
  bool sweeps_down = false;        // LOOK: where the last choice that moved the arm sent it
  std::uint64_t last_end_lbn = 0;  // behind the last request
  std::uint64_t uses = 0;          // clock of the segments' last_use
  Nanoseconds idle_since_ns = 0;   // when the last request was through
  Nanoseconds phase_ns = 0;        // of the last request's Disturbance
  std::uint64_t media_lbn = 0;     // behind what was read or written last on the media
  std::uint32_t segments = 0, segment_blocks = 0;  // as the buffer is divided now
  std::uint32_t dirty = 0;                         // segments, those on the way included
  std::uint64_t unwritten_blocks = 0;              // in them
  std::uint64_t used_blocks = 0;                   // of a buffer whose segments take what they need
  std::uint64_t visits = 0;                        // requests so far, to divide the buffer by
  std::uint32_t window = 0, streams = 0;           // ... since it was last looked at; begun by them
  Background background;
  Streams paused;
  // Of a drive with power conditions; all arms share it.
  std::uint32_t rest = 0;  // 1 + the one that it was told, or had gone, to by worked_until_ns
  Nanoseconds worked_until_ns = 0;  // the last command's end: from then on its timers run
  Nanoseconds awake_ns = 0;         // when it was back the last time
};

// How to take back one request that was served: the state before, for an arrival that comes to
// light late. The completion must not have been handed out.
constexpr std::uint32_t kMostUndone = 8;
constexpr std::uint32_t kUndoSegments = 4;

struct Undo {
  Core core;
  Waiting served;
  Nanoseconds time_ns = 0;  // when
  bool at_arrival = false;  // a hit, served as it came; else chosen from those that wait
  std::uint32_t segments = 0;
  std::uint32_t segment_index[kUndoSegments];
  Segment segment_before[kUndoSegments];
};

struct Done {
  Completion completion;
  std::uint64_t order = 0;  // of being served
};

struct State {
  Core core;
  CacheSettings settings;
  QueueSettings queue;
  std::uint32_t segment_count = 0, depth = 0;
  std::uint32_t waiting_count = 0, done_count = 0;
  std::uint32_t undo_count = 0;  // the last `undo_count` of ...
  std::uint64_t served = 0;      // ... so many requests can be taken back
  std::uint64_t submitted = 0;
  std::uint64_t late_arrivals = 0;  // too late to be taken as if they had come in time
  std::uint64_t outside_validity = 0;
  bool recording = false;  // the changes of segments, into the newest Undo
  Nanoseconds rests_after_ns[kPowerConditions] = {};  // as PowerTable::after_ns, as they are now

  // How many requests it takes.
  std::uint32_t room() const { return queue.depth == 0 ? depth : std::min(queue.depth, depth); }

  // The core of an arm, at work or not.
  Core& core_of(std::uint32_t arm_number) {
    return arm_number == core.arm_number ? core : at<Core>(cores_at_)[arm_number];
  }
  // From here on `core`, segments(), ends() and index() are those of this arm. What the arms share
  // goes with them: the time of the last event, and what the last command was.
  void turn_to(std::uint32_t arm_number);

  std::span<Segment> segments() { return {at<Segment>(segments_at_), segment_count}; }
  std::span<const Segment> segments() const {
    return {const_cast<State*>(this)->at<Segment>(segments_at_), segment_count};
  }
  Waiting* waiting() { return at<Waiting>(waiting_at_); }
  Done* done() { return at<Done>(done_at_); }  // by completion time
  // Where the last requests ended, for a buffer that is divided as the load asks: a ring, by
  // core.visits, of a window and what can be taken back.
  std::span<std::uint64_t> ends() { return {at<std::uint64_t>(ends_at_), end_count_}; }
  std::uint32_t* index() { return index_at_ == 0 ? nullptr : at<std::uint32_t>(index_at_); }
  Undo& undo_of(std::uint64_t order) { return at<Undo>(undo_at_)[order % kMostUndone]; }

  // Where the blocks of a shingled drive are.
  shingled::Translation* translation() {
    return reinterpret_cast<shingled::Translation*>(reinterpret_cast<std::byte*>(this) +
                                                    translation_at_);
  }

  // The size of a state for these tables; a new one in `memory`, aligned as std::max_align_t.
  static std::size_t bytes(const Tables& tables);
  static State* create(const Tables& tables, void* memory);
  // As after power-on at that time: arm at cylinder 0, cache empty, nothing outstanding. What lies
  // in a media cache stays there.
  void reset(const Tables& tables, Nanoseconds now_ns);
  // Everything of another one but its buffer, which had nothing left to do.
  void take_over(const Tables& tables, State& other);

 private:
  template <typename Item>
  Item* at(std::uint32_t offset) {
    return reinterpret_cast<Item*>(reinterpret_cast<std::byte*>(this) + offset);
  }
  void place_arms(const Tables& tables, std::uint32_t cores_at, std::uint32_t further_buffers_at);
  void reset_arm(const Tables& tables, Nanoseconds now_ns);
  void take_over_arm(const State& other);

  std::uint32_t segments_at_ = 0, waiting_at_ = 0, done_at_ = 0, undo_at_ = 0;
  std::uint32_t ends_at_ = 0, index_at_ = 0;  // 0: these tables need none
  std::uint32_t end_count_ = 0;
  std::uint32_t translation_at_ = 0;
  std::uint32_t arm_count_ = 1, cores_at_ = 0;  // of several arms: one core each
  struct BufferPlaces {
    std::uint32_t segments_at, ends_at, index_at;
  };
  BufferPlaces buffers_[kMostArms] = {};
};

static_assert(std::is_trivially_copyable_v<State> && std::is_trivially_copyable_v<Undo> &&
              std::is_trivially_copyable_v<Waiting> && std::is_trivially_copyable_v<Done> &&
              std::is_trivially_copyable_v<Segment>);

}  // namespace platter::engine

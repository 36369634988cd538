// What goes into the engine and what comes out of it.
#pragma once

#include <cstdint>

#include "model/units.h"

namespace platter::engine {

// What the outside world does to one request; the engine itself has no noise. A caller derives it
// from (seed, time, request), never from a sequence, so that rollback repeats exactly.
struct Disturbance {
  Nanoseconds positioning_ns = 0;  // added to the request's positioning time (may be negative)
  Nanoseconds media_delay_ns = 0;  // added before its media access begins, arm on track
  Nanoseconds phase_ns = 0;        // the platter is ahead of its nominal angle by this time
};

struct Request {
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  bool write = false;
  bool force_unit_access = false;
  bool verify = false;    // a read that goes to the media and sends nothing (SBC-3, VERIFY)
  bool prefetch = false;  // a read into the cache that sends nothing (SBC-3, PRE-FETCH)
  bool same = false;      // a write whose one block comes over the bus once (SBC-3, WRITE SAME)
  bool head_of_queue = false;  // before all others that wait (SAM-5 clause 8.6.3)
  std::uint32_t tag = 0;
  Disturbance disturbance;
};

struct Completion {
  std::uint32_t tag = 0;
  Nanoseconds arrival_ns = 0;
  Nanoseconds completion_ns = 0;
  bool media_access = false;  // it had to wait for the media; a write also for what was before it
  bool cache_hit = false;     // served from, or completed into, the cache
  bool outside_validity = false;

  bool operator==(const Completion&) const = default;
};

struct CacheSettings {
  bool read_cache = true;   // page 08h: RCD = 0
  bool write_cache = true;  // page 08h: WCE = 1
  bool read_ahead = true;   // page 08h: DRA = 0
};

enum class Scheduler : std::uint8_t {
  fcfs = 0,    // first come, first served
  sstf = 1,    // shortest seek (cylinders) first
  look = 2,    // the nearest in the direction of the sweep, which turns when there is none left
  c_look = 3,  // the next higher cylinder; behind the highest, the lowest
  sptf = 4,    // shortest positioning time (seek, head switch, settle and rotation) first
};

struct QueueSettings {
  Scheduler scheduler = Scheduler::fcfs;
  std::uint32_t depth = 0;  // most requests outstanding; 0: as many as the tables have room for
  double ageing = 0;        // sptf: each ns of waiting counts as so many ns less of positioning
};

struct Arm {
  std::uint32_t cylinder = 0, head = 0;
  bool operator==(const Arm&) const = default;
};

}  // namespace platter::engine

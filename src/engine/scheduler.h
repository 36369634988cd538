// Which of the requests that wait for the arm is served next. Worthington, Ganger and Patt 1994,
// "Scheduling algorithms for modern disk drives", has the algorithms; Jacobson and Wilkes 1991 and
// Seltzer et al. 1990 the shortest positioning time first, and its ageing.
#pragma once

#include <cstdint>
#include <span>

#include "engine/layout_map.h"
#include "engine/request.h"
#include "model/drive_model.h"

namespace platter::engine {

// From DiskSim's number of a queue's policy; what it has beyond these is the nearest of them.
Scheduler scheduler_of(const model::Queue& queue);

class Tables;
struct Core;

// A request that has been submitted and not been served yet, with the place of its first block.
struct Waiting {
  Request request;
  Nanoseconds arrival_ns = 0;
  Arm arm;
  Angle angle = 0;
  std::uint64_t order = 0;  // of submission
  std::uint8_t arm_number = 0;
  std::uint8_t there = 0;  // the drive has seen it: its time has come; then 1 + arm_number

  bool arrived() const { return there != 0; }
  void arrive() { there = static_cast<std::uint8_t>(1 + arm_number); }
};

// When the request's first block could be under the head, were the arm sent there at `now_ns`.
Nanoseconds positioned_ns(const Tables& tables, const Core& core, const Waiting& waiting,
                          Nanoseconds now_ns);

// Index of the one that is next at `now_ns` among those that have arrived and are for the arm of
// `core`, of which there is one.
std::size_t choose(const Tables& tables, const Core& core, const QueueSettings& settings,
                   std::span<const Waiting> waiting, Nanoseconds now_ns);

}  // namespace platter::engine

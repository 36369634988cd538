#include "engine/scheduler.h"

#include <cmath>
#include <limits>

#include "engine/mechanics.h"
#include "engine/state.h"
#include "engine/tables.h"
#include "model/stand_ins.h"

namespace platter::engine {
namespace {

// The one of the lowest cost; of equals the one that was submitted first.
template <typename Cost>
std::size_t cheapest(const Core& core, std::span<const Waiting> waiting, Cost&& cost) {
  const std::uint32_t there = core.arm_number + 1;
  std::size_t best = waiting.size();
  auto least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].there != there) continue;
    const std::int64_t its = cost(waiting[i]);
    if (its < least || best == waiting.size()) {
      least = its;
      best = i;
    }
  }
  return best;
}

// Cylinders to go in the direction of the sweep; behind all of these, those in its back.
std::int64_t ahead(const Arm& arm, const Waiting& waiting, bool down) {
  const std::int64_t way = static_cast<std::int64_t>(waiting.arm.cylinder) -
                           static_cast<std::int64_t>(arm.cylinder);
  return down ? -way : way;
}

std::size_t look(const Core& core, std::span<const Waiting> waiting) {
  constexpr std::int64_t kBehind = std::int64_t{1} << 40;
  return cheapest(core, waiting, [&](const Waiting& w) {
    const std::int64_t way = ahead(core.arm, w, core.sweeps_down);
    return way >= 0 ? way : kBehind - way;
  });
}

std::size_t c_look(const Core& core, std::span<const Waiting> waiting) {
  constexpr std::int64_t kBehind = std::int64_t{1} << 40;
  return cheapest(core, waiting, [&](const Waiting& w) {
    const std::int64_t way = ahead(core.arm, w, false);
    return way >= 0 ? way : kBehind + w.arm.cylinder;
  });
}

// Of those that go before all others, the one that came last; none: how many there are.
std::size_t at_the_head(const Core& core, std::span<const Waiting> waiting) {
  for (std::size_t i = waiting.size(); i-- > 0;)
    if (waiting[i].there == core.arm_number + 1 && waiting[i].request.head_of_queue) return i;
  return waiting.size();
}

}  // namespace

Scheduler scheduler_of(const model::Queue& queue) {
  const double policy = model::acting(queue, queue.policy);
  if (policy == 2 || policy == 5) return Scheduler::look;
  if (policy == 3 || policy == 6) return Scheduler::c_look;
  if (policy == 4 || policy == 7) return Scheduler::sstf;
  if (policy >= 8 && policy <= 27) return Scheduler::sptf;
  return Scheduler::fcfs;
}

Nanoseconds positioned_ns(const Tables& tables, const Core& core, const Waiting& waiting,
                          Nanoseconds now_ns) {
  const CommandOverheads& overheads = tables.overheads;
  const Nanoseconds overhead = (waiting.request.write ? overheads.write_miss
                                                      : overheads.read_miss)[core.last_was_write];
  const Nanoseconds there = tables.decoded_ns(overhead, waiting.arrival_ns, now_ns) +
                            first_move_ns(tables, core.arm, waiting.arm, waiting.request.write);
  return tables.rotation.next_passage(waiting.angle, there, waiting.request.disturbance.phase_ns);
}

std::size_t choose(const Tables& tables, const Core& core, const QueueSettings& settings,
                   std::span<const Waiting> waiting, Nanoseconds now_ns) {
  if (const std::size_t head = at_the_head(core, waiting); head < waiting.size()) return head;
  switch (settings.scheduler) {
    case Scheduler::fcfs:
      break;
    case Scheduler::sstf:
      return cheapest(core, waiting,
                      [&](const Waiting& w) { return std::abs(ahead(core.arm, w, false)); });
    case Scheduler::look:
      return look(core, waiting);
    case Scheduler::c_look:
      return c_look(core, waiting);
    case Scheduler::sptf:
      return cheapest(core, waiting, [&](const Waiting& w) {
        const auto waited = static_cast<double>(now_ns - w.arrival_ns);
        return positioned_ns(tables, core, w, now_ns) -
               static_cast<Nanoseconds>(settings.ageing * waited);
      });
  }
  return cheapest(core, waiting, [](const Waiting& w) { return w.arrival_ns; });
}

}  // namespace platter::engine

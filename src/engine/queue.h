// What is outstanding: requests that have been submitted, one of them chosen whenever the arm is
// free, and completions that have not been handed out. Events are played in the order of their time
// and only as far as an answer needs them, so that a later submission finds its place among them.
#pragma once

#include <optional>

#include "engine/state.h"
#include "engine/tables.h"

namespace platter::engine {

class Outstanding {
 public:
  Outstanding(const Tables& tables, State& state) : tables_(tables), state_(state) {}

  // Takes a request that arrives, or arrived, at that time. What was served meanwhile that it could
  // have changed is taken back, as far as its completions have not been handed out and no more than
  // kMostUndone requests were served since; what was served before that stands (late_arrivals).
  // false: the queue is full.
  bool submit(const Request& request, Nanoseconds arrival_ns);
  // Plays all events up to and including now_ns.
  void advance(Nanoseconds now_ns);
  // The earliest completion, as far as nothing else is submitted; nullptr: nothing is outstanding.
  const Completion* next();
  std::optional<Completion> take_next();
  // Forgets the request of that tag: whether it was there.
  bool cancel(std::uint32_t tag, Nanoseconds now_ns);
  // A request of which the completion is known. There is room.
  void hand_in(const Completion& completion, std::uint64_t order);
  // Plays until nothing waits.
  void drain();

 private:
  struct Event {
    Nanoseconds time_ns;
    std::size_t arrival;           // index of the request that arrives; kDecision: one is chosen
    std::uint32_t arm_number = 0;  // ... for that arm
  };
  std::optional<Event> next_event() const;
  std::optional<Event> next_decision() const;
  bool another_is_busy(std::uint32_t arm_number, Nanoseconds now_ns) const;
  Completion serve_now(const Waiting& served, Nanoseconds now_ns);
  void play(const Event& event);
  void serve(std::size_t index, Nanoseconds now_ns, bool at_arrival);
  void take_back_from(Nanoseconds time_ns);
  void keep_for_good(std::uint64_t order);
  void take_back();
  void insert(const Waiting& waiting);

  const Tables& tables_;
  State& state_;
};

}  // namespace platter::engine

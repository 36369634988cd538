#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "sst/core/event.h"

namespace SST {

using SimTime_t = std::uint64_t;

struct Clock {
  static inline SimTime_t now_ns = 0;
  static inline std::multimap<SimTime_t, std::function<void()>> to_come;
  static bool step() {
    if (to_come.empty()) return false;
    const auto next = to_come.extract(to_come.begin());
    now_ns = next.key();
    next.mapped()();
    return true;
  }
};

// What a component sends comes to `back`, what the other end sends to `there`.
struct Link {
  Event::HandlerBase* there = nullptr;
  Event::HandlerBase* back = nullptr;
  ~Link() {
    delete there;
    delete back;
  }
  void send(SimTime_t delay_ns, Event* event) {
    Clock::to_come.emplace(Clock::now_ns + delay_ns, [this, event] { (*back)(event); });
  }
  void send(Event* event) { send(0, event); }
};

}  // namespace SST

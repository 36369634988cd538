// The guest's kernel as far as its calendar sees it (arch/um/kernel/time.c): timers in the order of
// their times, readings of the clock, kicks and interrupts. It speaks through the calendar's branch
// that is preloaded into the real one.
#pragma once

#include <linux/um_timetravel.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "catch.h"
#include "emulator/cosim/preload/local_calendar.h"
#include "model/units.h"

namespace platter::emulator::testing {

// What goes over the drives' socket in these tests: a request that takes so long.
struct Kick {
  Nanoseconds takes_ns;
};

class FakeKernel {
 public:
  FakeKernel(int calendar, int drives, int interrupts, platter_cosim_page& page,
             std::uint64_t date_ns = 0)
      : calendar_(calendar), drives_(drives), interrupts_(interrupts) {
    local_calendar_open(calendar, &page, date_ns);
  }

  Nanoseconds now_ns() const { return now_ns_; }
  int interrupted() const { return interrupted_; }
  std::size_t timers_left() const { return timers_.size(); }

  void read_clock() { run_until(now_ns_ + 256); }
  void add_timer(Nanoseconds at_ns) { timers_.insert(at_ns); }

  // Until then; timers and interrupts are met on the way.
  void run_until(Nanoseconds until_ns) {
    timers_.insert(until_ns);
    while (now_ns_ < until_ns) step();
  }

  // An interrupt waits meanwhile, and others that come add nothing to it.
  void disable_interrupts() { disabled_ = true; }
  void enable_interrupts() {
    disabled_ = false;
    if (std::exchange(pending_, false)) ++interrupted_;
  }

  // Idle, whether there is a timer or not.
  void wait_for_interrupt() {
    for (const int before = interrupted_; interrupted_ == before;) step();
  }

  void kick(Nanoseconds takes_ns) {
    ask(UM_TIMETRAVEL_UPDATE, static_cast<std::uint64_t>(now_ns_));
    const Kick message{takes_ns};
    REQUIRE(send(drives_, &message, sizeof message, 0) == sizeof message);
    char answer = 0;
    REQUIRE(recv(drives_, &answer, 1, 0) == 1);
  }

  std::uint64_t time_of_day() { return ask(UM_TIMETRAVEL_GET_TOD, UINT64_MAX); }

 private:
  // Asks to go on at the next timer, and does; or is interrupted before. The real kernel panics
  // where it is let go on at any other time.
  void step() {
    const Nanoseconds next_ns = timers_.empty() ? INT64_MAX : *timers_.begin();
    ask(UM_TIMETRAVEL_REQUEST, static_cast<std::uint64_t>(next_ns));
    ask(UM_TIMETRAVEL_WAIT, UINT64_MAX);
    const auto interrupt_ns = local_calendar_has_message() ? std::nullopt : interrupt();
    um_timetravel_msg run{};
    REQUIRE(local_calendar_give(&run) == sizeof run);
    REQUIRE(run.op == UM_TIMETRAVEL_RUN);
    const um_timetravel_msg acknowledgement{UM_TIMETRAVEL_ACK, run.seq, 0};
    local_calendar_take(&acknowledgement);
    REQUIRE(static_cast<Nanoseconds>(run.time) == interrupt_ns.value_or(next_ns));
    REQUIRE(static_cast<Nanoseconds>(run.time) >= now_ns_);
    now_ns_ = static_cast<Nanoseconds>(run.time);
    if (interrupt_ns && disabled_)
      pending_ = true;
    else if (interrupt_ns)
      ++interrupted_;
    else
      timers_.erase(timers_.begin());
  }

  // It is signalled before the emulator's message is there, and seen to before that is read.
  std::optional<Nanoseconds> interrupt() {
    um_timetravel_msg message{};
    REQUIRE(recv(calendar_, &message, sizeof message, MSG_PEEK) == sizeof message);
    std::optional<Nanoseconds> at_ns;
    for (char byte = 0; recv(interrupts_, &byte, 1, MSG_DONTWAIT) == 1;)
      at_ns = static_cast<Nanoseconds>(ask(UM_TIMETRAVEL_GET, UINT64_MAX));
    if (pending_) return std::nullopt;
    if (at_ns) ask(UM_TIMETRAVEL_REQUEST, static_cast<std::uint64_t>(*at_ns));
    return at_ns;
  }

  // Returns the acknowledgement's time.
  std::uint64_t ask(std::uint32_t operation, std::uint64_t time) {
    const um_timetravel_msg message{operation, ++sequence_, time};
    local_calendar_take(&message);
    REQUIRE(local_calendar_has_message());
    um_timetravel_msg answer{};
    REQUIRE(local_calendar_give(&answer) == sizeof answer);
    REQUIRE(answer.op == UM_TIMETRAVEL_ACK);
    REQUIRE(answer.seq == sequence_);
    return answer.time;
  }

  int calendar_, drives_, interrupts_;
  Nanoseconds now_ns_ = 0;
  std::multiset<Nanoseconds> timers_{};
  std::uint32_t sequence_ = 0;
  int interrupted_ = 0;
  bool disabled_ = false, pending_ = false;
};

}  // namespace platter::emulator::testing

// What the host gives a server that has to answer in time: SCHED_FIFO, so that no other program is
// run before it, memory that stays in memory, processors that stay awake, and timers without slack.
#pragma once

#include <string>
#include <vector>

#include "model/units.h"

namespace platter::emulator {

// Locks this process's memory, keeps idle processors polling until it ends, and tries SCHED_FIFO on
// the calling thread only to see if it is allowed. One sentence for each thing that the host
// refuses; none: all is given.
std::vector<std::string> ask_for_real_time();

// The calling thread is scheduled first in, first out, if the host allows it, and its sleeps end
// without slack in any case.
void run_in_real_time();
// Only the slack goes.
void run_without_slack();

// The host's time and the drive's. The drive's clock starts at 0 with the emulator, and may run
// faster than the host's, for those who want a drive so many times as fast.
// How long before a deadline a waiter spins instead of sleeping: a sleep alone ends tens of
// microseconds late.
inline constexpr Nanoseconds kSpin = 150 * kMicrosecond;

// CLOCK_MONOTONIC: one can sleep until an instant of it.
Nanoseconds host_now_ns();

// Sleeps until the host's clock shows that; not at all if it did. Ends early on a signal.
void sleep_until_host_ns(Nanoseconds host_ns);

// Sleeps, then spins: returns at that time, late only where the host gives the processor to
// another.
void wait_until_host_ns(Nanoseconds host_ns);

class DriveClock {
 public:
  DriveClock(Nanoseconds started_host_ns, int speed)
      : started_ns_(started_host_ns), speed_(speed) {}
  Nanoseconds drive_ns(Nanoseconds host_ns) const { return (host_ns - started_ns_) * speed_; }
  // The first instant of the host's clock at which the drive's shows at least that.
  Nanoseconds host_ns(Nanoseconds drive_ns) const;
  Nanoseconds now_ns() const { return drive_ns(host_now_ns()); }
  int speed() const { return speed_; }

 private:
  Nanoseconds started_ns_;
  int speed_;
};

}  // namespace platter::emulator

// Waiting for an instant of a clock: sleeping, and spinning the last stretch, since a sleep ends
// tens of microseconds late. Where the clock is simulated a sleep ends in time, and spinning hardly
// ends: every look at the clock is a system call, and moves it by a fraction of a microsecond.
#pragma once

#include <pthread.h>

#include <csignal>

#include "model/units.h"

namespace platter::transport {

// Whether sleeps end in time, learned from how they end. Nothing else tells a simulated clock: it
// has no name of its own.
class SleepPunctuality {
 public:
  static constexpr Nanoseconds kSpin = 150 * kMicrosecond;
  // As exact as spinning, about; no processor wakes from a real sleep as fast ten times in a row.
  static constexpr Nanoseconds kInTime = kMicrosecond;
  static constexpr int kEnough = 10;

  // Short sleeps say nothing, as they may be over before they begin; nor does one that a signal
  // ended early.
  void slept(Nanoseconds length_ns, Nanoseconds late_ns) {
    if (late_ns > kInTime)
      in_a_row_ = 0;
    else if (late_ns >= 0 && length_ns >= kSpin)
      ++in_a_row_;
  }
  // How long before the instant a sleep has to end.
  Nanoseconds spin_ns() const { return in_a_row_ >= kEnough ? 0 : kSpin; }

 private:
  int in_a_row_ = 0;
};

// `Host` has now_ns() and sleep_ns(): of that length, or longer. Returns at that time, or late.
template <typename Host>
void wait_until_ns(Host& host, Nanoseconds deadline_ns, SleepPunctuality& punctuality) {
  for (;;) {
    const Nanoseconds now_ns = host.now_ns();
    if (now_ns >= deadline_ns) return;
    const Nanoseconds pause_ns = deadline_ns - now_ns - punctuality.spin_ns();
    if (pause_ns <= 0) continue;
    host.sleep_ns(pause_ns);
    punctuality.slept(pause_ns, host.now_ns() - now_ns - pause_ns);
  }
}

// While it lives, no signal interrupts this thread, nor the threads that it makes.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace platter::transport

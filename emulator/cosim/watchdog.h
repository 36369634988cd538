// Watches for programs of the guest that compute for ever: computing takes no time in the guest, so
// one that waits for a timer without a system call would never see it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "emulator/cosim/guest_link.h"

namespace platter::emulator {

class Watchdog {
 public:
  // The host's: of how long a program computed, and of nothing that the guest sees before it did.
  using Clock = std::chrono::steady_clock;

  // `patience`: how long a program may compute before it is given time. After the first that did,
  // each is given as much as passes.
  Watchdog(platter_cosim_page& page, std::chrono::milliseconds patience);

  // The host's process of a program that has not come back to the kernel for so long.
  std::optional<pid_t> look(Clock::time_point now);
  // When to look again.
  int next_look_ms() const;
  // It is stopped, the guest's time goes on a little, and what is due then comes.
  void tick(pid_t program);

 private:
  platter_cosim_page& page_;
  std::chrono::milliseconds patience_;
  std::uint64_t turns_ = 0;
  Clock::time_point since_{};
};

}  // namespace platter::emulator

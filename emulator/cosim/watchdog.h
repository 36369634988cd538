// Watches for programs of the guest that compute for ever: computing takes no time in the guest, so
// one that waits for a timer without a system call would never see it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "emulator/cosim/guest_link.h"

namespace platter::emulator {

class Watchdog {
 public:
  // Processor time, not the time of day: on a busy host a program that waits for its turn computes
  // nothing.
  using Computed = std::function<std::chrono::nanoseconds(pid_t)>;

  // `patience`: how long a program may compute before it is given time, and from then on as much as
  // it takes, until it calls the kernel.
  Watchdog(platter_cosim_page& page, std::chrono::milliseconds patience,
           Computed computed = processor_time);

  // The host's process of a program that has not come back to the kernel for so long.
  std::optional<pid_t> look();
  // When to look again.
  int next_look_ms() const;
  // It is stopped, the guest's time goes on a little, and what is due then comes.
  void tick(pid_t program);

 private:
  // Of a process of the host so far; 0 where there is none any more.
  static std::chrono::nanoseconds processor_time(pid_t process);

  platter_cosim_page& page_;
  std::chrono::milliseconds patience_;
  Computed computed_;
  std::uint64_t turns_ = 0;
  pid_t program_ = 0;
  std::chrono::nanoseconds since_{};
};

}  // namespace platter::emulator

#include "emulator/vhost_user/wake_probe.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "emulator/pace/real_time.h"
#include "emulator/vhost_user/doorbell.h"

namespace platter::emulator {

WakeProbe::WakeProbe(bool in_real_time, TransportDelay& delay,
                     std::function<void(const std::string&)> measured)
    : kick_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      call_(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)),
      delay_(delay),
      commands_(
          in_real_time, 0, delay, [this](const NullCommand& what) { return send(what); },
          std::move(measured)) {}

// The thread may wait for an answer, and send once more before it is told that it ends.
WakeProbe::~WakeProbe() {
  constexpr eventfd_t kAsManyAsItWants = 1U << 30;
  eventfd_write(call_, kAsManyAsItWants);
}

std::string WakeProbe::send(const NullCommand& what) {
  eventfd_t times = 0;
  awake_.store(what.awake, std::memory_order_release);
  eventfd_write(kick_, 1);
  return eventfd_read(call_, &times) == 0 ? "" : "its eventfd cannot be read";
}

void WakeProbe::seen(Nanoseconds host_ns) {
  eventfd_t times = 0;
  if (eventfd_read(kick_, &times) != 0) return;
  commands_.seen(host_ns);
  answer_at_ = answer_host_ns(delay_, host_ns, 0, 0, awake_.load(std::memory_order_acquire));
}

void WakeProbe::answer(Patience& patience) {
  answer_at_.reset();
  commands_.answered(host_now_ns());
  ring(call_, patience);
}

}  // namespace platter::emulator

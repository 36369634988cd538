#include "transport/threads_of_ioctl.h"

#include <atomic>
#include <ctime>
#include <semaphore>
#include <system_error>
#include <thread>

#include "transport/host_clock.h"
#include "transport/measuring_thread.h"
#include "transport/waiting.h"

namespace platter::transport {
namespace {

// Where there is another processor the thread is on it in a few microseconds. On a single one it
// runs while this one sleeps; and whoever wakes up takes the processor away from it, so not soon.
void wait_for(const std::atomic<bool>& there) {
  constexpr Nanoseconds kSpin = 50 * kMicrosecond;
  HostClock clock;
  for (const Nanoseconds end_ns = clock.now_ns() + kSpin;
       has_several_processors() && clock.now_ns() < end_ns;)
    if (there.load(std::memory_order_acquire)) return;
  const timespec pause{0, 200 * kMicrosecond};
  while (!there.load(std::memory_order_acquire))
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

}  // namespace

class ThreadsOfIoctl::Lane {
 public:
  Lane(int fd, SgVersion version, Arrivals& arrivals)
      : fd_(fd), version_(version), arrivals_(arrivals) {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { fly(); });
  }
  ~Lane() {
    flight_ = nullptr;
    go_.release();
    thread_.join();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void send(Flight& flight) {
    flight_ = &flight;
    there_.store(false, std::memory_order_relaxed);
    go_.release();
    wait_for(there_);
  }

 private:
  void fly() {
    HostClock clock;
    join_measuring();
    for (;;) {
      go_.acquire();
      if (!flight_) return;
      Flight& flight = *flight_;
      flight.issued_ns = clock.now_ns();
      there_.store(true, std::memory_order_release);
      flight.error = pass_through(fd_, version_, flight.command, flight.buffer.data(), flight.sense,
                                  flight.answer);
      arrivals_.coming();
      flight.completed_ns = clock.now_ns();
      arrivals_.back(flight);
    }
  }

  int fd_;
  SgVersion version_;
  Arrivals& arrivals_;
  Flight* flight_ = nullptr;  // handed over by go_
  std::binary_semaphore go_{0};
  std::atomic<bool> there_{false};
  std::thread thread_;
};

ThreadsOfIoctl::ThreadsOfIoctl(int fd, SgVersion version, std::size_t most, Arrivals& arrivals)
    : fd_(fd), version_(version), arrivals_(arrivals), lanes_(most) {}

ThreadsOfIoctl::~ThreadsOfIoctl() = default;

// 0, or errno: the machine does not let it have the thread.
int ThreadsOfIoctl::require_lane(std::size_t number) {
  try {
    if (!lanes_[number]) lanes_[number] = std::make_unique<Lane>(fd_, version_, arrivals_);
    return 0;
  } catch (const std::system_error& error) {
    return error.code().value();
  }
}

void ThreadsOfIoctl::prepare(std::size_t flights) {
  for (std::size_t i = 0; i < flights && require_lane(i) == 0; ++i) {
  }
}

int ThreadsOfIoctl::send(Flight& flight) {
  if (const int error = require_lane(flight.number); error != 0) return error;
  lanes_[flight.number]->send(flight);
  return 0;
}

}  // namespace platter::transport

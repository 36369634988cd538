#include "emulator/pace/clock.h"

#include <ctime>

namespace platter::emulator {

Nanoseconds host_now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void sleep_until_host_ns(Nanoseconds host_ns) {
  const timespec time{host_ns / kSecond, host_ns % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

void wait_until_host_ns(Nanoseconds host_ns) {
  sleep_until_host_ns(host_ns - kSpin);
  while (host_now_ns() < host_ns) {
  }
}

Nanoseconds DriveClock::host_ns(Nanoseconds drive_ns) const {
  const bool cut = drive_ns > 0 && drive_ns % speed_ != 0;
  return started_ns_ + drive_ns / speed_ + (cut ? 1 : 0);
}

}  // namespace platter::emulator

#include "emulator/pace/real_time.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace platter::emulator {
namespace {

// Above ordinary programs, below what keeps the kernel itself in time.
constexpr int kPriority = 50;

bool be_first() {
  sched_param wish{};
  wish.sched_priority = kPriority;
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wish) == 0;
}

// Processors that idle poll, as long as the file is open with a 0 in it (the kernel's PM QoS): it
// is most of a wake-up, on virtual machines above all.
bool keep_processors_awake() {
  static const int held = [] {
    const int file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    const std::int32_t latency_us = 0;
    return write(file, &latency_us, sizeof latency_us) == sizeof latency_us ? file : -1;
  }();
  return held >= 0;
}

}  // namespace

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

std::vector<std::string> ask_for_real_time() {
  std::vector<std::string> refused;
  const int policy = sched_getscheduler(0);
  sched_param before{};
  sched_getparam(0, &before);
  if (be_first())
    sched_setscheduler(0, policy, &before);
  else
    refused.push_back(
        fmt::format("no SCHED_FIFO ({}), so answers are late whenever another program runs: run as "
                    "root, or with ulimit -r {}",
                    std::strerror(errno), kPriority));
  // What is not touched need not be there: stacks of threads are 8 MiB each.
  if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0)
    refused.push_back(fmt::format(
        "memory is not locked ({}), so an answer may wait for swapping: raise ulimit -l",
        std::strerror(errno)));
  if (!keep_processors_awake())
    refused.push_back(fmt::format(
        "processors may sleep between requests ({}), so answers vary by the time it takes to wake "
        "them: run as root, or make /dev/cpu_dma_latency writable",
        std::strerror(errno)));
  return refused;
}

void run_in_real_time() {
  be_first();
  run_without_slack();
}

void run_without_slack() { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

}  // namespace platter::emulator

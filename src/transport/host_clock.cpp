#include "transport/host_clock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include "transport/sysfs.h"

namespace platter::transport {
namespace {

Nanoseconds smallest_step(scsi::Clock& clock) {
  auto smallest = std::numeric_limits<Nanoseconds>::max();
  for (int i = 0; i < 1000; ++i) {
    const auto start = clock.now_ns();
    auto next = start;
    while (next == start) next = clock.now_ns();
    smallest = std::min(smallest, next - start);
  }
  return smallest;
}

}  // namespace

namespace {

Nanoseconds read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

}  // namespace

Nanoseconds HostClock::now_ns() { return read_clock(CLOCK_MONOTONIC_RAW); }

Nanoseconds HostClock::with_sleep_ns() { return read_clock(CLOCK_BOOTTIME); }

void HostClock::sleep_without_slack() {
  thread_local bool asked = false;
  if (asked) return;
  asked = true;
  ::prctl(PR_SET_TIMERSLACK, 1);
}

void HostClock::sleep_ns(Nanoseconds length_ns) {
  sleep_without_slack();
  const timespec time{length_ns / kSecond, length_ns % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

void HostClock::sleep_until_ns(Nanoseconds deadline_ns) {
  wait_until_ns(*this, deadline_ns, punctuality_);
}

bool has_several_processors() {
  static const bool several = std::thread::hardware_concurrency() > 1;
  return several;
}

LowLatency::LowLatency(const std::string& root)
    : fd_(::open((root + "/dev/cpu_dma_latency").c_str(), O_WRONLY | O_CLOEXEC)) {
  const std::int32_t none = 0;
  if (fd_ >= 0 && ::write(fd_, &none, sizeof none) != sizeof none) {
    ::close(fd_);
    fd_ = -1;
  }
}

LowLatency::~LowLatency() {
  if (fd_ >= 0) ::close(fd_);
}

HostFitness host_fitness(const std::string& root) {
  HostFitness fitness;
  utsname system{};
  if (uname(&system) == 0) fitness.kernel = system.release;
  fitness.processors = std::thread::hardware_concurrency();
  std::set<std::string> governors;
  for (const auto& cpu : entries(root + "/sys/devices/system/cpu")) {
    std::ifstream file(cpu / "cpufreq/scaling_governor");
    if (std::string governor; file >> governor) governors.insert(governor);
  }
  fitness.governors.assign(governors.begin(), governors.end());
  fitness.low_latency = LowLatency(root).held();
  HostClock clock;
  fitness.clock_step_ns = smallest_step(clock);
  return fitness;
}

}  // namespace platter::transport

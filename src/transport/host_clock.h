// The host's clock as a Device's clock, and what of the host disturbs timing.
#pragma once

#include <string>
#include <vector>

#include "scsi/device.h"
#include "transport/waiting.h"

namespace platter::transport {

// CLOCK_MONOTONIC_RAW: never slewed, so that a revolution stays a revolution.
class HostClock final : public scsi::Clock {
 public:
  Nanoseconds now_ns() override;
  // CLOCK_BOOTTIME, which Linux slews by no more than 500 ppm.
  Nanoseconds with_sleep_ns() override;
  // Sleeps, then spins the last stretch, unless sleeps have turned out to end in time.
  void sleep_until_ns(Nanoseconds deadline_ns) override;
  // May end early, by a signal.
  void sleep_ns(Nanoseconds length_ns);
  // For this thread's sleeps, of any kind: else Linux may end them 50 us late, to save wake-ups.
  static void sleep_without_slack();

 private:
  SleepPunctuality punctuality_{};
};

// Else a thread that spins keeps the others from what it waits for.
bool has_several_processors();

// Keeps the processor out of deep idle states for as long as it lives (/dev/cpu_dma_latency held
// open with 0), where the host permits.
class LowLatency {
 public:
  explicit LowLatency(const std::string& root = "");
  ~LowLatency();
  LowLatency(const LowLatency&) = delete;
  LowLatency& operator=(const LowLatency&) = delete;
  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct HostFitness {
  std::string kernel;  // release
  unsigned processors = 0;
  std::vector<std::string> governors;  // the different ones; empty: no frequency scaling to see
  bool low_latency = false;            // /dev/cpu_dma_latency can be held
  Nanoseconds clock_step_ns = 0;       // smallest step seen between two readings of the clock
};

HostFitness host_fitness(const std::string& root = "");

}  // namespace platter::transport

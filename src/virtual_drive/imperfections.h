// What makes a virtual drive harder than its model. Every disturbance is a pure function of the
// seed, the time and the request, never of a sequence: the same command at the same time is
// disturbed alike.
#pragma once

#include <cstdint>

#include "model/drive_model.h"
#include "model/units.h"
#include "scsi/device.h"

namespace platter::virtual_drive {

// "Default imperfections": positioning noise of sigma 30 us; 1 % of the media accesses slower by an
// exponential delay of mean 1 ms; host and bus delay log-normal, median 12 us, p99 60 us; spindle
// wobble of 5 ppm peak with a period of 7 s; random power-on phase; a unit attention at the start.
// `seed` 0: a new one in every run.
model::Imperfections default_imperfections(std::uint64_t seed = 0);

// What identifies a request to the noise, beside the time when it is issued.
struct RequestKey {
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  std::uint8_t opcode = 0;
};

class Noise {
 public:
  // Seed 0 is replaced by one from the system's entropy. `period_ns`: one revolution.
  Noise(const model::Imperfections& imperfections, Nanoseconds period_ns);

  std::uint64_t seed() const { return seed_; }

  // Error of the positioning time: Gaussian, positioning_sigma_us.
  Nanoseconds positioning_ns(const RequestKey& request, Nanoseconds issued_ns) const;
  // What the media access waits for beyond that, the arm being on track: in slow_access_share of
  // the requests an exponential delay of mean slow_access_mean_ms, in retry_share one revolution,
  // and the rest of a thermal recalibration if one is under way.
  Nanoseconds media_delay_ns(const RequestKey& request, Nanoseconds issued_ns) const;
  // Host and bus together, log-normal with median host_delay_median_us and host_delay_p99_us.
  Nanoseconds host_delay_ns(const RequestKey& request, Nanoseconds issued_ns) const;
  // Behind the drive's answer: in host_stall_share of the requests an exponential delay of mean
  // host_stall_mean_us, else 0.
  Nanoseconds host_stall_ns(const RequestKey& request, Nanoseconds issued_ns) const;
  // The platter's lead over its nominal angle: the power-on phase, 0 <= phase < period, what a
  // spindle that was warm_up_ppm fast at power-on gains until then, and the wobble A sin(2 pi t / T
  // + b) whose greatest deviation of frequency is wobble_ppm.
  Nanoseconds phase_ns(Nanoseconds time_ns) const;
  Nanoseconds power_on_phase_ns() const { return power_on_phase_ns_; }
  // Whether the command is turned away with BUSY, or with a unit attention: busy_share and
  // unit_attention_share of all commands.
  bool is_busy(const scsi::Command& command, Nanoseconds issued_ns) const;
  bool has_unit_attention(const scsi::Command& command, Nanoseconds issued_ns) const;
  // What a command waits for after an idle time of `idle_ns`.
  Nanoseconds wake_up_ns(Nanoseconds idle_ns) const;
  // What is left of the background scan's step that it interrupts, and of the way back from the
  // idle condition, where these are allowed.
  Nanoseconds scan_step_ns(Nanoseconds idle_ns, Nanoseconds issued_ns) const;
  Nanoseconds idle_condition_ns(Nanoseconds idle_ns) const;

 private:
  Nanoseconds lead_of_warm_up_ns(Nanoseconds time_ns) const;

  model::Imperfections imperfections_;
  std::uint64_t seed_ = 0;
  Nanoseconds period_ns_ = 0;
  Nanoseconds power_on_phase_ns_ = 0;
  double wobble_amplitude_ns_ = 0;
  double wobble_start_rad_ = 0;
  double host_delay_sigma_ = 0;  // of the logarithm
};

}  // namespace platter::virtual_drive

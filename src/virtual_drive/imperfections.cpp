#include "virtual_drive/imperfections.h"

#include <cmath>
#include <numbers>
#include <random>

#include "model/splitmix.h"

namespace platter::virtual_drive {
namespace {

// Each kind of disturbance draws from a stream of its own, so that turning one off leaves the
// others.
enum class Stream : std::uint64_t {
  positioning = 1,
  slow_share,
  slow_delay,
  retry,
  host_delay,
  power_on_phase,
  wobble_start,
  busy,
  unit_attention,
  scan_step,
  host_stall_share,
  host_stall,
};

std::uint64_t hash(std::uint64_t seed, Stream stream, const RequestKey& request,
                   Nanoseconds time_ns, std::uint64_t draw = 0) {
  std::uint64_t state = model::mix(seed);
  state = model::mix(state ^ (static_cast<std::uint64_t>(stream) << 8 | draw));
  state = model::mix(state ^ static_cast<std::uint64_t>(time_ns));
  state = model::mix(state ^ request.lbn);
  return model::mix(state ^ (static_cast<std::uint64_t>(request.blocks) << 8 | request.opcode));
}

// In (0, 1): neither end is reached, so that logarithms are finite.
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

double uniform(std::uint64_t seed, Stream stream, const RequestKey& request, Nanoseconds time_ns) {
  return uniform(hash(seed, stream, request, time_ns));
}

// Box and Muller's transform of two draws.
double gaussian(std::uint64_t seed, Stream stream, const RequestKey& request, Nanoseconds time_ns) {
  const double radius = uniform(hash(seed, stream, request, time_ns, 0));
  const double angle = uniform(hash(seed, stream, request, time_ns, 1));
  return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
}

// A command before anyone has looked into it: all bytes of its CDB, mixed into one number.
RequestKey raw_key(const scsi::Command& command) {
  std::uint64_t bytes = 0;
  for (const std::uint8_t byte : command.cdb) bytes = model::mix(bytes ^ byte);
  return {bytes, 0, command.opcode()};
}

Nanoseconds rounded(double ns) { return static_cast<Nanoseconds>(std::llround(ns)); }

// Of that mean, for a draw from (0, 1).
Nanoseconds exponential_ns(double mean_ns, double draw) {
  return rounded(-mean_ns * std::log(draw));
}

std::uint64_t new_seed() {
  std::random_device entropy;
  const std::uint64_t seed = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  return seed == 0 ? 1 : seed;
}

constexpr double kSigmasToP99 = 2.3263478740408408;  // of a normal distribution

}  // namespace

model::Imperfections default_imperfections(std::uint64_t seed) {
  model::Imperfections defaults;
  defaults.seed = seed;
  defaults.positioning_sigma_us = 30;
  defaults.slow_access_share = 0.01;
  defaults.slow_access_mean_ms = 1;
  defaults.host_delay_median_us = 12;
  defaults.host_delay_p99_us = 60;
  defaults.wobble_ppm = 5;
  defaults.wobble_period_s = 7;
  defaults.random_phase = true;
  defaults.unit_attention_at_start = true;
  return defaults;
}

Noise::Noise(const model::Imperfections& imperfections, Nanoseconds period_ns)
    : imperfections_(imperfections),
      seed_(imperfections.seed == 0 ? new_seed() : imperfections.seed),
      period_ns_(period_ns) {
  if (imperfections_.random_phase)
    power_on_phase_ns_ = static_cast<Nanoseconds>(uniform(seed_, Stream::power_on_phase, {}, 0) *
                                                  static_cast<double>(period_ns_));
  if (imperfections_.wobble_ppm > 0 && imperfections_.wobble_period_s > 0) {
    // The derivative of the phase, A 2 pi / T at most, is the deviation of the frequency.
    wobble_amplitude_ns_ = imperfections_.wobble_ppm * 1e-6 * imperfections_.wobble_period_s * 1e9 /
                           (2 * std::numbers::pi);
    wobble_start_rad_ = 2 * std::numbers::pi * uniform(seed_, Stream::wobble_start, {}, 0);
  }
  if (imperfections_.host_delay_p99_us > imperfections_.host_delay_median_us &&
      imperfections_.host_delay_median_us > 0)
    host_delay_sigma_ =
        std::log(imperfections_.host_delay_p99_us / imperfections_.host_delay_median_us) /
        kSigmasToP99;
}

Nanoseconds Noise::positioning_ns(const RequestKey& request, Nanoseconds issued_ns) const {
  if (imperfections_.positioning_sigma_us == 0) return 0;
  return rounded(imperfections_.positioning_sigma_us * 1e3 *
                 gaussian(seed_, Stream::positioning, request, issued_ns));
}

Nanoseconds Noise::media_delay_ns(const RequestKey& request, Nanoseconds issued_ns) const {
  Nanoseconds delay_ns = 0;
  if (imperfections_.slow_access_share > 0 &&
      uniform(seed_, Stream::slow_share, request, issued_ns) < imperfections_.slow_access_share)
    delay_ns += exponential_ns(imperfections_.slow_access_mean_ms * 1e6,
                               uniform(seed_, Stream::slow_delay, request, issued_ns));
  if (imperfections_.retry_share > 0 &&
      uniform(seed_, Stream::retry, request, issued_ns) < imperfections_.retry_share)
    delay_ns += period_ns_;
  if (imperfections_.recalibration_period_s > 0 && imperfections_.recalibration_ms > 0) {
    const Nanoseconds every_ns = rounded(imperfections_.recalibration_period_s * 1e9);
    const Nanoseconds lasts_ns = from_ms(imperfections_.recalibration_ms);
    // The first one is due a whole period after power-on.
    if (every_ns > 0 && issued_ns >= every_ns && issued_ns % every_ns < lasts_ns)
      delay_ns += lasts_ns - issued_ns % every_ns;
  }
  return delay_ns;
}

Nanoseconds Noise::host_delay_ns(const RequestKey& request, Nanoseconds issued_ns) const {
  if (imperfections_.host_delay_median_us <= 0) return 0;
  return rounded(
      imperfections_.host_delay_median_us * 1e3 *
      std::exp(host_delay_sigma_ * gaussian(seed_, Stream::host_delay, request, issued_ns)));
}

Nanoseconds Noise::host_stall_ns(const RequestKey& request, Nanoseconds issued_ns) const {
  if (imperfections_.host_stall_share <= 0 || uniform(seed_, Stream::host_stall_share, request,
                                                      issued_ns) >= imperfections_.host_stall_share)
    return 0;
  return exponential_ns(imperfections_.host_stall_mean_us * 1e3,
                        uniform(seed_, Stream::host_stall, request, issued_ns));
}

Nanoseconds Noise::lead_of_warm_up_ns(Nanoseconds time_ns) const {
  if (imperfections_.warm_up_ppm <= 0 || imperfections_.warm_up_s <= 0) return 0;
  const double lasts_ns = imperfections_.warm_up_s * 1e9;
  return rounded(-imperfections_.warm_up_ppm * 1e-6 * lasts_ns *
                 std::expm1(-static_cast<double>(time_ns) / lasts_ns));
}

Nanoseconds Noise::phase_ns(Nanoseconds time_ns) const {
  const Nanoseconds even_ns = power_on_phase_ns_ + lead_of_warm_up_ns(time_ns);
  if (wobble_amplitude_ns_ == 0) return even_ns;
  const double turns = static_cast<double>(time_ns) / (imperfections_.wobble_period_s * 1e9);
  return even_ns +
         rounded(wobble_amplitude_ns_ * std::sin(2 * std::numbers::pi * turns + wobble_start_rad_));
}

bool Noise::is_busy(const scsi::Command& command, Nanoseconds issued_ns) const {
  return imperfections_.busy_share > 0 &&
         uniform(seed_, Stream::busy, raw_key(command), issued_ns) < imperfections_.busy_share;
}

bool Noise::has_unit_attention(const scsi::Command& command, Nanoseconds issued_ns) const {
  return imperfections_.unit_attention_share > 0 &&
         uniform(seed_, Stream::unit_attention, raw_key(command), issued_ns) <
             imperfections_.unit_attention_share;
}

Nanoseconds Noise::wake_up_ns(Nanoseconds idle_ns) const {
  if (imperfections_.slow_after_idle_s <= 0) return 0;
  return static_cast<double>(idle_ns) < imperfections_.slow_after_idle_s * 1e9
             ? 0
             : from_ms(imperfections_.slow_after_idle_ms);
}

Nanoseconds Noise::scan_step_ns(Nanoseconds idle_ns, Nanoseconds issued_ns) const {
  if (imperfections_.background_scan_step_ms <= 0 ||
      static_cast<double>(idle_ns) < imperfections_.background_scan_idle_ms * 1e6)
    return 0;
  return rounded(imperfections_.background_scan_step_ms * 1e6 *
                 uniform(seed_, Stream::scan_step, {}, issued_ns));
}

Nanoseconds Noise::idle_condition_ns(Nanoseconds idle_ns) const {
  if (imperfections_.idle_condition_s <= 0 ||
      static_cast<double>(idle_ns) < imperfections_.idle_condition_s * 1e9)
    return 0;
  return from_ms(imperfections_.idle_condition_ms);
}

}  // namespace platter::virtual_drive

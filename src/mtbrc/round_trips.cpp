#include "mtbrc/round_trips.h"

#include <algorithm>

#include "mtbrc/access.h"
#include "mtbrc/passages.h"

namespace platter::mtbrc {
namespace {

double took_ms(const Sample& sample) { return to_ms(sample.completed_ns - sample.issued_ns); }

}  // namespace

void measure_round_trips(Context& context, std::uint32_t count) {
  const Meter meter(context, Budget{});
  Accesses accesses(context);
  Samples round_trips;  // kept when they are stamped
  const auto stamping = context.drive.stamp();
  for (std::uint32_t i = 0; i < count && !meter.exhausted(); ++i)
    if (const auto sample = accesses.round_trip()) round_trips.push_back(*sample);
  if (stamping) take_stamps(round_trips, stamping->stamps());
  context.samples.insert(context.samples.end(), round_trips.begin(), round_trips.end());
}

void take_stamps(std::span<Sample> round_trips, std::span<const scsi::Stamp> stamps) {
  constexpr Nanoseconds kRounded = kMicrosecond;  // stamps are whole microseconds
  for (Sample& sample : round_trips) {
    const auto lies_in_it = [&sample](const scsi::Stamp& stamp) {
      return stamp.dispatched_ns >= sample.issued_ns - kRounded &&
             stamp.returned_ns >= stamp.dispatched_ns &&
             stamp.returned_ns <= sample.completed_ns + kRounded;
    };
    const auto own = std::ranges::find_if(stamps, lies_in_it);
    if (own == stamps.end() || std::any_of(own + 1, stamps.end(), lies_in_it)) continue;
    const auto within = [&sample](Nanoseconds ns) {
      return std::clamp(ns, sample.issued_ns, sample.completed_ns);
    };
    sample.dispatched_ns = within(own->dispatched_ns);
    sample.returned_ns = within(own->returned_ns);
  }
}

std::optional<noise::HostDelay> host_delay(const Samples& samples) {
  std::vector<double> times_ms;
  for (const Sample& sample : samples)
    if (sample.experiment == Experiment::round_trip) times_ms.push_back(took_ms(sample));
  return noise::host_delay(std::move(times_ms));
}

std::optional<noise::HostShares> host_shares(const Samples& samples) {
  std::vector<double> above_ms, behind_ms;
  for (const Sample& sample : samples) {
    if (sample.experiment != Experiment::round_trip || !sample.stamped()) continue;
    behind_ms.push_back(to_ms(sample.returned_ns - sample.dispatched_ns));
    above_ms.push_back(took_ms(sample) - behind_ms.back());
  }
  return noise::host_shares(std::move(above_ms), std::move(behind_ms));
}

double host_unsure_ms(const Samples& samples, double period_ms) {
  const auto host = host_delay(samples);
  return host ? host->unsure_ms(Passages::kMostPull_rev * period_ms) : 0;
}

std::vector<std::vector<double>> round_trips_by_stage(const Samples& samples) {
  std::vector<std::vector<double>> stages;
  bool before = false;
  for (const Sample& sample : samples) {
    const bool is_one = sample.experiment == Experiment::round_trip;
    if (is_one && !before) stages.emplace_back();
    if (is_one) stages.back().push_back(took_ms(sample));
    before = is_one;
  }
  return stages;
}

}  // namespace platter::mtbrc

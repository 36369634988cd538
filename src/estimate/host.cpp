#include "estimate/host.h"

#include <utility>

namespace platter::estimate {
namespace {

double took_ms(const Sample& sample) { return to_ms(sample.completed_ns - sample.issued_ns); }

}  // namespace

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

}  // namespace platter::estimate

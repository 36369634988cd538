#include "mtbrc/round_trips.h"

#include "mtbrc/access.h"
#include "mtbrc/passages.h"

namespace platter::mtbrc {
namespace {

double took_ms(const Sample& sample) { return to_ms(sample.completed_ns - sample.issued_ns); }

}  // namespace

void measure_round_trips(Context& context, std::uint32_t count) {
  const Meter meter(context, Budget{});
  Accesses accesses(context);
  for (std::uint32_t i = 0; i < count && !meter.exhausted(); ++i) accesses.round_trip();
}

std::optional<noise::HostDelay> host_delay(const Samples& samples) {
  std::vector<double> times_ms;
  for (const Sample& sample : samples)
    if (sample.experiment == Experiment::round_trip) times_ms.push_back(took_ms(sample));
  return noise::host_delay(std::move(times_ms));
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

#include "cache_probe/arrival_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/circular.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds: fits
// that miss by less are as good as noise lets them be.
constexpr int kTelling = 8;  // more samples
constexpr int kPhaseSteps = 100, kBusSteps = 10;
constexpr double kKept = 0.85;  // share of the residuals that counts: the worst are outliers
constexpr double kGoodFit_rev = 0.05;
constexpr double kNoiseFloor_rev = 0.02;  // no reason to look for another explanation
constexpr double kSlowBus = 0.9;          // of the media's time
constexpr double kBusBound_rev = 0.9;     // fixed time that seek and overheads do not explain

// How the bus is used once the first block is there: kept in step with the media, then the rest at
// its own pace; or all at its own pace from then on.
enum class Bus { in_step, at_once };

double expected(double latency, double blocks_rev, double bus_rev, Bus bus) {
  const double tail = latency - (1 - blocks_rev);  // read before the first block
  if (tail <= 0) return latency + blocks_rev;
  return bus == Bus::in_step ? 1 + tail * bus_rev / blocks_rev : std::max(1.0, latency + bus_rev);
}

struct Fit {
  double residual = std::numeric_limits<double>::infinity();
  double fixed = 0;
};

// Best phase offset for one bus time; the fixed time is the median of what remains.
Fit best_offset(const std::vector<ArrivalSample>& samples, double blocks_rev, double bus_rev,
                Bus bus) {
  Fit best;
  std::vector<double> rest(samples.size());
  const std::size_t kept = std::max<std::size_t>(
      1, static_cast<std::size_t>(kKept * static_cast<double>(samples.size())));
  for (int step = 0; step < kPhaseSteps; ++step) {
    const double offset = static_cast<double>(step) / kPhaseSteps;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double latency = statistics::turn_rev(-samples[i].phase_rev - offset);
      rest[i] = samples[i].response_rev - expected(latency, blocks_rev, bus_rev, bus);
    }
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    std::nth_element(rest.begin(), middle, rest.end());
    const double fixed = *middle;
    for (double& value : rest) value = std::abs(value - fixed);
    std::sort(rest.begin(), rest.end());
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i) sum += rest[i];
    const double residual = sum / static_cast<double>(kept);
    if (residual < best.residual) best = {residual, fixed};
  }
  return best;
}

Fit best_offset(const std::vector<ArrivalSample>& samples, double blocks_rev, double bus_rev) {
  const Fit in_step = best_offset(samples, blocks_rev, bus_rev, Bus::in_step);
  const Fit at_once = best_offset(samples, blocks_rev, bus_rev, Bus::at_once);
  return in_step.residual < at_once.residual ? in_step : at_once;
}

}  // namespace

std::vector<double> telling_phases(std::vector<ArrivalSample> samples, double blocks_rev) {
  if (samples.size() < 4) return {};
  std::ranges::sort(samples, {}, &ArrivalSample::phase_rev);
  // The first block just missed: the response grows by a revolution from one phase to the next.
  std::size_t missed = 0;
  double most = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double grows = samples[(i + 1) % samples.size()].response_rev - samples[i].response_rev;
    if (grows > most) {
      most = grows;
      missed = i;
    }
  }
  const double from = samples[missed].phase_rev;
  const double step = statistics::turn_rev(samples[(missed + 1) % samples.size()].phase_rev - from);
  std::vector<double> phases;
  for (int i = 0; i < kTelling; ++i)
    phases.push_back(statistics::turn_rev(from + step / 2 + blocks_rev * (i + 0.5) / kTelling));
  return phases;
}

ArrivalFit fit_arrival(const std::vector<ArrivalSample>& samples, double blocks_rev,
                       std::optional<double> bus_rev) {
  ArrivalFit result;
  if (samples.size() < 8 || blocks_rev <= 0) return result;
  blocks_rev = std::min(blocks_rev, 1.0);
  const Fit in_order = best_offset(samples, blocks_rev, blocks_rev);
  Fit on_arrival, on_arrival_fast_bus;
  for (int step = 0; step < kBusSteps; ++step) {
    const Fit fit = best_offset(samples, blocks_rev, blocks_rev * step / kBusSteps);
    if (fit.residual < on_arrival.residual) on_arrival = fit;
    if (2 * step <= kBusSteps) on_arrival_fast_bus = on_arrival;
  }
  // With the bus's time known, the contrast is with what that leaves to see.
  std::optional<Fit> contrast;
  if (bus_rev) contrast = best_offset(samples, blocks_rev, std::min(*bus_rev, blocks_rev));
  const double floor = contrast ? kNoiseFloor_rev / 2 : kNoiseFloor_rev;
  const bool arrival = in_order.residual > floor && on_arrival.residual < 0.5 * in_order.residual;
  const Fit& better = arrival ? on_arrival : in_order;
  result.residual_rev = better.residual;
  // With a bus as slow as the media both are the same; the contrast is with a fast one.
  result.other_residual_rev = (arrival    ? in_order
                               : contrast ? *contrast
                                          : on_arrival_fast_bus)
                                  .residual;
  result.fixed_rev = better.fixed;
  if (better.residual > kGoodFit_rev) return result;
  const bool slow_bus = bus_rev ? *bus_rev > kSlowBus * blocks_rev : better.fixed > kBusBound_rev;
  const bool alike = contrast && in_order.residual >= 0.5 * contrast->residual;
  if (!arrival && (slow_bus || alike)) {
    result.answer = ArrivalFit::Answer::hidden;
  } else if (arrival || in_order.residual < 0.5 * on_arrival.residual ||
             in_order.residual < std::max(kNoiseFloor_rev, 0.1 * blocks_rev)) {
    result.answer = arrival ? ArrivalFit::Answer::on_arrival : ArrivalFit::Answer::in_order;
  }
  return result;
}

}  // namespace platter::cache_probe

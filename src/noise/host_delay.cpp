#include "noise/host_delay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/robust.h"

namespace platter::noise {
namespace {

constexpr std::size_t kFewest = 16;  // whose median and mean differ by the tail, not by chance
// A request that is early or late by so much of a turn is still in phase; beyond it a model tells
// no rotational positions (docs/metrics.md, in phase: 1/32).
constexpr double kTooNoisy_rev = 1.0 / 100;
// Five times what the overheads are measured to on a quiet host.
constexpr double kNoisy_ms = 0.01;

// By what each part alone would make a number unsure.
std::string where_it_is(const HostShares& shares, double most_ms) {
  constexpr double kMostOfIt = 2.0 / 3;
  const double above_ms = shares.above.unsure_ms(most_ms),
               behind_ms = shares.behind.unsure_ms(most_ms), all_ms = above_ms + behind_ms;
  if (above_ms > kMostOfIt * all_ms)
    return "; the noise is in the host's software, above the kernel's dispatch to the adapter";
  if (behind_ms > kMostOfIt * all_ms)
    return "; the noise is behind the kernel's dispatch, in adapter, link or drive";
  return "; the noise is on both sides of the kernel's dispatch to the adapter";
}

}  // namespace

HostDelay::HostDelay(std::vector<double> round_trips_ms) : sorted_ms_(std::move(round_trips_ms)) {
  std::sort(sorted_ms_.begin(), sorted_ms_.end());
  if (sorted_ms_.empty()) return;
  median_ms_ = statistics::median(sorted_ms_);
}

double HostDelay::unsure_ms(double most_ms) const {
  if (sorted_ms_.empty()) return 0;
  const auto n = static_cast<double>(sorted_ms_.size());
  double mean_ms = 0, followed_ms = median_ms_ / 2;
  for (const double ms : sorted_ms_) mean_ms += ms / 2 / n;
  // What pulls on it as much from above as from below; a contraction, as each pulls by a share.
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    double pull_ms = 0;
    for (const double ms : sorted_ms_)
      pull_ms += std::clamp(ms / 2 - followed_ms, -most_ms, most_ms) / n;
    followed_ms += pull_ms;
    if (std::abs(pull_ms) < 1e-6 * most_ms) break;
  }
  return std::max(0.0, mean_ms - followed_ms);
}

double HostDelay::quantile_ms(double share) const {
  return statistics::quantile_of(sorted_ms_, share);
}

double HostDelay::spread_ms() const {
  constexpr double kMinus = 0.1587, kPlus = 0.8413;
  return (quantile_ms(kPlus) - quantile_ms(kMinus)) / 4;
}

double HostDelay::share_beyond(double ms) const {
  const auto beyond = sorted_ms_.end() -
                      std::upper_bound(sorted_ms_.begin(), sorted_ms_.end(), median_ms_ + ms);
  return sorted_ms_.empty() ? 0
                            : static_cast<double>(beyond) / static_cast<double>(sorted_ms_.size());
}

std::optional<HostDelay> host_delay(std::vector<double> round_trips_ms) {
  if (round_trips_ms.size() < kFewest) return std::nullopt;
  return HostDelay(std::move(round_trips_ms));
}

std::optional<HostShares> host_shares(std::vector<double> above_ms, std::vector<double> behind_ms) {
  if (above_ms.size() < kFewest) return std::nullopt;
  return HostShares{HostDelay(std::move(above_ms)), HostDelay(std::move(behind_ms))};
}

Quietness quietness(const HostDelay& host, double period_ms, double most_ms) {
  const double unsure_ms = host.unsure_ms(most_ms);
  if (unsure_ms < kNoisy_ms) return Quietness::quiet;
  return unsure_ms > kTooNoisy_rev * period_ms ? Quietness::too_noisy : Quietness::noisy;
}

std::string enough_for(const HostDelay& host, double period_ms, double most_ms) {
  const double unsure_ms = host.unsure_ms(most_ms);
  switch (quietness(host, period_ms, most_ms)) {
    case Quietness::quiet:
      return fmt::format(
          "quiet enough for all that a model has: overheads are unsure by {:.3f} ms for it",
          unsure_ms);
    case Quietness::noisy:
      return fmt::format(
          "noisy: quiet enough for layout, rotation, seeks and rotational positions; overheads are "
          "known to {:.3f} ms only",
          unsure_ms);
    case Quietness::too_noisy:
      break;
  }
  return fmt::format(
      "too noisy: enough for layout and rotation; overheads are known to {:.3f} ms only, which is "
      "{:.1f} % of a revolution, and a model does not tell rotational positions",
      unsure_ms, 100 * unsure_ms / period_ms);
}

std::optional<std::string> told(const HostDelay& host, double period_ms, double most_ms,
                                const std::optional<HostShares>& shares) {
  const Quietness how = quietness(host, period_ms, most_ms);
  if (how == Quietness::quiet) return std::nullopt;
  const bool too_noisy = how == Quietness::too_noisy;
  return fmt::format(
      "the host is {}: of {} commands that need no media half took {:.3f} ms or less, one in ten "
      "more than {:.3f} ms, one in a hundred more than {:.3f} ms; the overheads are known to "
      "{:.3f} ms only for that{}; measure on an idle host, or with --quiet-host{}",
      too_noisy ? "too noisy" : "noisy", host.samples(), host.median_ms(), host.quantile_ms(0.9),
      host.quantile_ms(0.99), host.unsure_ms(most_ms),
      too_noisy ? ", and the model does not tell rotational positions on this host" : "",
      shares ? where_it_is(*shares, most_ms) : "");
}

std::optional<std::string> told_changes(std::span<const std::vector<double>> parts) {
  constexpr double kSigmas = 6, kMatters_ms = 0.01;
  std::optional<statistics::Estimate> least, most;
  for (const std::vector<double>& part : parts) {
    if (part.size() < kFewest) continue;
    const auto middle = statistics::median_estimate(part);
    if (!middle) continue;
    if (!least || middle->value < least->value) least = middle;
    if (!most || middle->value > most->value) most = middle;
  }
  if (!least) return std::nullopt;
  const double change_ms = most->value - least->value;
  if (change_ms < kMatters_ms + kSigmas * std::hypot(least->error, most->error))
    return std::nullopt;
  return fmt::format(
      "the host was not alike all through the run: commands that need no media took {:.3f} ms in "
      "one stage and {:.3f} ms in another; something else kept it or the drive busy for a time, "
      "and the overheads are of both times",
      least->value, most->value);
}

}  // namespace platter::noise

#include "statistics/threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace platter::statistics {
namespace {

constexpr std::size_t kCentres = 61;
constexpr std::size_t kSpreads = 9;
constexpr std::array<double, 3> kLateShares = {0.003, 0.02, 0.08};
constexpr std::array<double, 3> kLatePrior = {0.4, 0.4, 0.2};
// A trial that no ordinary or late access explains: a disturbed host, a wrong angle.
constexpr double kGross = 1e-4;
constexpr double kGuessTrust = 0.8;
constexpr double kGridHalfWidth = 6;  // posterior standard deviations

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

Threshold summary(const std::vector<double>& centres, const std::vector<double>& spreads,
                  const std::vector<double>& log_posterior, std::size_t trials) {
  const double peak = *std::max_element(log_posterior.begin(), log_posterior.end());
  double total = 0, sum = 0, squares = 0, log_spread = 0, late = 0;
  std::size_t k = 0;
  for (double centre : centres) {
    const double offset = centre - centres.front();
    for (double spread : spreads) {
      for (double share : kLateShares) {
        const double log_weight = log_posterior[k++] - peak;
        if (log_weight < -30) continue;
        const double weight = std::exp(log_weight);
        total += weight;
        sum += weight * offset;
        squares += weight * offset * offset;
        log_spread += weight * std::log(spread);
        late += weight * share;
      }
    }
  }
  const double mean = sum / total;
  return {centres.front() + mean, std::sqrt(std::max(squares / total - mean * mean, 0.0)),
          std::exp(log_spread / total), late / total, trials};
}

}  // namespace

void ThresholdPosterior::place_grid(double low, double high) {
  centres_.resize(kCentres);
  for (std::size_t i = 0; i < kCentres; ++i)
    centres_[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(kCentres - 1);
  spreads_.resize(kSpreads);
  log_posterior_.assign(kCentres * kSpreads * kLateShares.size(), 0.0);
  const auto middle = static_cast<double>(kSpreads / 2);
  std::vector<double> log_guess(kCentres, 0.0);
  if (prior_.guess) {
    // Relative to the guess's own peak; what it is not trusted for is flat and low.
    for (std::size_t c = 0; c < kCentres; ++c) {
      const double z = (centres_[c] - *prior_.guess) / prior_.guess_width;
      log_guess[c] = std::log(kGuessTrust * std::exp(-0.5 * z * z) + 0.05 * (1 - kGuessTrust));
    }
  }
  for (std::size_t s = 0; s < kSpreads; ++s) {
    const double z = (static_cast<double>(s) - middle) / middle * 2.2;
    spreads_[s] = prior_.spread * std::exp(z * prior_.log_width);
    for (std::size_t c = 0; c < kCentres; ++c)
      for (std::size_t l = 0; l < kLateShares.size(); ++l)
        log_posterior_[(c * kSpreads + s) * kLateShares.size() + l] =
            -0.5 * z * z + std::log(kLatePrior[l]) + log_guess[c];
  }
  for (const CensoredTrial& trial : trials_) accumulate(trial);
}

void ThresholdPosterior::accumulate(const CensoredTrial& trial) {
  std::size_t k = 0;
  for (double centre : centres_) {
    const double low = trial.low - centre;
    const double high = trial.high - centre;
    const auto late_cdf = [&](double t) {
      return t > 0 ? -std::expm1(-t / prior_.late_mean) : 0.0;
    };
    const double late = late_cdf(high) - late_cdf(low);
    for (double spread : spreads_) {
      const double ordinary = normal_cdf(high / spread) - normal_cdf(low / spread);
      for (double share : kLateShares)
        log_posterior_[k++] += std::log(kGross + (1 - share) * ordinary + share * late);
    }
  }
}

// The grid drawn closer around the posterior, as long as that makes it finer.
void ThresholdPosterior::zoom() {
  for (int round = 0; round < 6; ++round) {
    const Threshold found = summary(centres_, spreads_, log_posterior_, trials_.size());
    const double spacing = centres_[1] - centres_[0];
    const double half = kGridHalfWidth * std::max(found.error, 0.5 * spacing);
    if (2 * half > 0.7 * (centres_.back() - centres_.front())) break;
    place_grid(found.value - half, found.value + half);
  }
}

// A coarse grid over all that the trials allow, then closer.
void ThresholdPosterior::search() {
  double low = trials_.front().low;
  double high = trials_.front().high;
  for (const CensoredTrial& trial : trials_) {
    low = std::min(low, trial.low);
    high = std::max(high, trial.high);
  }
  place_grid(low, high);
  zoom();
}

void ThresholdPosterior::add(const CensoredTrial& trial) {
  if (!(trial.high > trial.low)) return;
  trials_.push_back(trial);
  if (centres_.empty()) {
    search();
  } else {
    accumulate(trial);
    const Threshold found = summary(centres_, spreads_, log_posterior_, trials_.size());
    const double margin = std::min(found.value - centres_.front(), centres_.back() - found.value);
    if (margin < 4 * found.error) {
      search();
    } else if (centres_[1] - centres_[0] > 0.5 * found.error) {
      zoom();
    }
  }
  estimate_ = summary(centres_, spreads_, log_posterior_, trials_.size());
}

std::optional<Threshold> fit_threshold(std::span<const CensoredTrial> trials,
                                       const ThresholdPrior& prior) {
  ThresholdPosterior posterior(prior);
  for (const CensoredTrial& trial : trials) posterior.add(trial);
  return posterior.estimate();
}

}  // namespace platter::statistics

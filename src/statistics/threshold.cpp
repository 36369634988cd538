#include "statistics/threshold.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>
#include <unordered_map>

namespace platter::statistics {
namespace {

constexpr std::size_t kCentres = 61;
constexpr std::array<double, 5> kLateShares = {0.003, 0.02, 0.08, 0.25, 0.55};
constexpr std::array<double, 5> kLatePrior = {0.4, 0.39, 0.18, 0.02, 0.01};
// A trial that no ordinary or late access explains: a disturbed host, a wrong angle.
constexpr double kGross = 1e-4;
constexpr double kGuessTrust = 0.8;
constexpr double kGridHalfWidth = 6;  // posterior standard deviations
constexpr double kSpreadReach = 2.2;  // of the grid of spreads, in log_width

// The normal distribution from a table, within 2e-6: it is asked for some hundred times a trial.
class NormalTable {
 public:
  NormalTable() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = 0.5 * std::erfc(-(static_cast<double>(i) / kSteps - kEnd) / std::numbers::sqrt2);
  }
  double operator()(double z) const {
    if (z <= -kEnd) return 0;
    if (z >= kEnd) return 1;
    const double place = (z + kEnd) * kSteps;
    const auto below = static_cast<std::size_t>(place);
    return values_[below] +
           (place - static_cast<double>(below)) * (values_[below + 1] - values_[below]);
  }

 private:
  static constexpr int kEnd = 6, kSteps = 128;
  std::array<double, 2 * kEnd * kSteps + 2> values_;
};

double normal_cdf(double z) {
  static const NormalTable table;
  return table(z);
}

}  // namespace

void ThresholdPosterior::place_grid(double low, double high) {
  constexpr std::size_t kMiddle = kSpreads / 2;
  const auto middle = static_cast<double>(kMiddle);
  for (std::size_t s = 0; s < kSpreads; ++s) {
    const double z = (static_cast<double>(s) - middle) / middle * kSpreadReach;
    log_spreads_[s] = std::log(prior_.spread) + z * prior_.log_width;
    spreads_[s] = std::exp(log_spreads_[s]);
    spread_prior_[s] = std::exp(-0.5 * z * z);
  }
  columns_.assign(kCentres, {});
  for (std::size_t i = 0; i < kCentres; ++i) {
    Column& column = columns_[i];
    column.centre = low + (high - low) * static_cast<double>(i) / static_cast<double>(kCentres - 1);
    for (Block* block : {&column.before, &column.behind})
      for (auto& likelihoods : *block) likelihoods.fill(1);
    if (!prior_.guess) continue;
    // Relative to the guess's own peak; what it is not trusted for is flat and low.
    const double z = (column.centre - *prior_.guess) / prior_.guess_width;
    column.log_scale = std::log(kGuessTrust * std::exp(-0.5 * z * z) + 0.05 * (1 - kGuessTrust));
  }
  for (const CensoredTrial& trial : trials_) accumulate(trial);
}

// Of a trial's two ends, a turn apart, only the one near the centre tells anything of an ordinary
// access, whose spread is a small part of a turn.
void ThresholdPosterior::accumulate(const CensoredTrial& trial) {
  const auto late_cdf = [&](double t) { return t > 0 ? -std::expm1(-t / prior_.late_mean) : 0.0; };
  for (Column& column : columns_) {
    const double low = trial.low - column.centre, high = trial.high - column.centre;
    const double late = late_cdf(high) - late_cdf(low);
    const bool made_it = std::abs(high) < std::abs(low);  // or was too late for the passage before
    const double end = made_it ? high : low;
    Block& block = end < 0 ? column.before : column.behind;
    std::array<double, kSpreads> ordinary;
    for (std::size_t s = 0; s < kSpreads; ++s) {
      const double before_end = normal_cdf(end / spreads_[s]);
      ordinary[s] = made_it ? before_end : 1 - before_end;
    }
    constexpr double kSmall = 1e-100;
    int large = 0;
    for (std::size_t l = 0; l < kShares; ++l) {
      const double in_time = 1 - kLateShares[l], as_late = kLateShares[l] * late;
      for (std::size_t s = 0; s < kSpreads; ++s) {
        block[l][s] *= kGross + in_time * ordinary[s] + as_late;
        large |= block[l][s] > kSmall ? 1 : 0;
      }
    }
    if (large != 0) continue;
    for (auto& likelihoods : block)
      for (double& likelihood : likelihoods) likelihood /= kSmall;
    column.log_scale += std::log(kSmall);
  }
}

ThresholdPosterior::Weight ThresholdPosterior::weigh(const Column& column) const {
  // Moments 0 and 1 of the logarithm of a spread.
  struct Moments {
    double all = 0, log_spread = 0;
    void add(double weight, double log_spread_here) {
      all += weight;
      log_spread += weight * log_spread_here;
    }
  };
  double all = 0, log_spread = 0, late = 0;
  for (std::size_t l = 0; l < kShares; ++l) {
    Moments before, behind, both;
    for (std::size_t s = 0; s < kSpreads; ++s) {
      const double b = spread_prior_[s] * column.before[l][s];
      before.add(b, log_spreads_[s]);
      behind.add(spread_prior_[s] * column.behind[l][s], log_spreads_[s]);
      both.add(b * column.behind[l][s], log_spreads_[s]);
    }
    if (prior_.skewed)
      both = {before.all * behind.all,
              0.5 * (before.log_spread * behind.all + before.all * behind.log_spread)};
    all += kLatePrior[l] * both.all;
    log_spread += kLatePrior[l] * both.log_spread;
    late += kLatePrior[l] * both.all * kLateShares[l];
  }
  if (!(all > 0)) return {-1e300, 0, 0};
  return {column.log_scale + std::log(all), log_spread / all, late / all};
}

Threshold ThresholdPosterior::summary() const {
  std::array<Weight, kCentres> weights;
  double peak = -1e300;
  for (std::size_t c = 0; c < kCentres; ++c) {
    weights[c] = weigh(columns_[c]);
    peak = std::max(peak, weights[c].log_all);
  }
  double total = 0, sum = 0, squares = 0, log_spread = 0, late = 0;
  for (std::size_t c = 0; c < kCentres; ++c) {
    const double weight = std::exp(weights[c].log_all - peak);
    const double offset = columns_[c].centre - columns_.front().centre;
    total += weight;
    sum += weight * offset;
    squares += weight * offset * offset;
    log_spread += weight * weights[c].log_spread;
    late += weight * weights[c].late_share;
  }
  const double mean = sum / total;
  return {columns_.front().centre + mean, std::sqrt(std::max(squares / total - mean * mean, 0.0)),
          std::exp(log_spread / total), late / total, trials_.size()};
}

// The grid drawn closer around the posterior, as long as that makes it finer.
void ThresholdPosterior::zoom() {
  for (int round = 0; round < 6; ++round) {
    const Threshold found = summary();
    const double half = kGridHalfWidth * std::max(found.error, 0.5 * spacing());
    if (2 * half > 0.7 * (columns_.back().centre - columns_.front().centre)) break;
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
  if (columns_.empty()) {
    search();
  } else {
    accumulate(trial);
    const Threshold found = summary();
    const double margin = std::min(found.value - columns_.front().centre,
                                   columns_.back().centre - found.value);
    if (margin < 4 * found.error) {
      search();
    } else if (spacing() > 0.5 * found.error) {
      zoom();
    }
  }
  estimate_ = summary();
}

std::optional<Threshold> newly_fitted(std::span<const CensoredTrial> trials,
                                      const ThresholdPrior& prior) {
  ThresholdPosterior posterior(prior);
  for (const CensoredTrial& trial : trials)
    if (trial.high > trial.low) posterior.trials_.push_back(trial);
  if (posterior.trials_.empty()) return std::nullopt;
  posterior.search();
  posterior.estimate_ = posterior.summary();
  return posterior.estimate_;
}

namespace {

// What was fitted, of at most so many trials in all; then all of it is forgotten.
class KeptFits {
 public:
  std::optional<Threshold> of(std::span<const CensoredTrial> trials, const ThresholdPrior& prior) {
    constexpr std::size_t kMostTrials = 1 << 18;  // 4 MB
    const std::size_t hash = hash_of(trials);
    const auto [first, last] = fits_.equal_range(hash);
    for (auto fit = first; fit != last; ++fit)
      if (fit->second.prior == prior && std::ranges::equal(fit->second.trials, trials))
        return fit->second.found;
    const auto found = newly_fitted(trials, prior);
    if (kept_trials_ + trials.size() > kMostTrials) fits_.clear(), kept_trials_ = 0;
    kept_trials_ += trials.size();
    fits_.emplace(hash, Fit{{trials.begin(), trials.end()}, prior, found});
    return found;
  }

 private:
  struct Fit {
    std::vector<CensoredTrial> trials;
    ThresholdPrior prior;
    std::optional<Threshold> found;
  };
  static std::size_t hash_of(std::span<const CensoredTrial> trials) {
    static_assert(sizeof(CensoredTrial) == 2 * sizeof(double));
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(trials.data()), trials.size_bytes()});
  }

  std::unordered_multimap<std::size_t, Fit> fits_;
  std::size_t kept_trials_ = 0;
};

}  // namespace

std::optional<Threshold> fit_threshold(std::span<const CensoredTrial> trials,
                                       const ThresholdPrior& prior) {
  thread_local KeptFits kept;
  return kept.of(trials, prior);
}

}  // namespace platter::statistics

// The time that something takes when each trial tells only an interval that holds it: made this
// passage of the sector or only a later one. A probit threshold with a share of late outliers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/robust.h"

namespace platter::statistics {

// low < the trial's time <= high; any unit, the same everywhere.
struct CensoredTrial {
  double low = 0, high = 0;
  bool operator==(const CensoredTrial&) const = default;
};

// What is thought of the spread before any trial: log-normal about `spread`.
struct ThresholdPrior {
  double spread = 1;       // Gaussian sigma of one trial's time
  double log_width = 1.0;  // standard deviation of ln(spread)
  double late_mean = 10;   // mean extra time of a late outlier
  // Where the threshold is thought to be, within about guess_width; not trusted entirely. Only to
  // place trials well: an estimate to be reported should not lean on a guess.
  std::optional<double> guess = std::nullopt;
  double guess_width = 0;
  // The times before the threshold and those behind it have spreads of their own, as where noise
  // can only delay: the threshold is then the median whatever the skew.
  bool skewed = false;
  bool operator==(const ThresholdPrior&) const = default;
};

struct Threshold {
  double value = 0;   // the time that half of the ordinary trials take at most
  double error = 0;   // one standard error
  double spread = 0;  // sigma of an ordinary trial's time
  double late_share = 0;
  std::size_t samples = 0;
};

// Posterior of (threshold, spread, share of late outliers) on a grid that follows the data. Trials
// may be added one by one, so that the next can be placed where it tells most.
class ThresholdPosterior {
 public:
  explicit ThresholdPosterior(const ThresholdPrior& prior) : prior_(prior) {}

  void add(const CensoredTrial& trial);
  std::size_t trials() const { return trials_.size(); }
  // nullopt without trials.
  std::optional<Threshold> estimate() const { return estimate_; }

 private:
  static constexpr std::size_t kSpreads = 9, kShares = 5;
  using Block = std::array<std::array<double, kSpreads>, kShares>;  // [late share][spread]
  // One centre: the likelihood of the trials that fell before it, which tell of the spread there,
  // and of those behind it; times exp(log_scale).
  struct Column {
    double centre = 0, log_scale = 0;
    Block before{}, behind{};
  };

  friend std::optional<Threshold> newly_fitted(std::span<const CensoredTrial> trials,
                                               const ThresholdPrior& prior);
  // Of a column, prior and likelihood over spreads and late shares: all, and what is averaged.
  struct Weight {
    double log_all = 0, log_spread = 0, late_share = 0;
  };
  Weight weigh(const Column& column) const;
  void place_grid(double low, double high);
  void zoom();
  void search();
  void accumulate(const CensoredTrial& trial);
  Threshold summary() const;
  double spacing() const { return columns_[1].centre - columns_[0].centre; }

  ThresholdPrior prior_;
  std::vector<CensoredTrial> trials_;
  std::vector<Column> columns_;
  std::array<double, kSpreads> spreads_{}, log_spreads_{}, spread_prior_{};
  std::optional<Threshold> estimate_;
};

// Of the same trials and prior it is computed once in a thread: a run's stages ask again for what
// the stages before fitted, which is most of what they compute. nullopt without trials.
std::optional<Threshold> fit_threshold(std::span<const CensoredTrial> trials,
                                       const ThresholdPrior& prior);

}  // namespace platter::statistics

// The time that something takes when each trial tells only an interval that holds it: made this
// passage of the sector or only a later one. A probit threshold with a share of late outliers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/robust.h"

namespace platter::statistics {

// low < the trial's time <= high; any unit, the same everywhere.
struct CensoredTrial {
  double low = 0, high = 0;
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
  explicit ThresholdPosterior(ThresholdPrior prior) : prior_(prior) {}

  void add(const CensoredTrial& trial);
  std::size_t trials() const { return trials_.size(); }
  // nullopt without trials.
  std::optional<Threshold> estimate() const { return estimate_; }

 private:
  void place_grid(double low, double high);
  void zoom();
  void search();
  void accumulate(const CensoredTrial& trial);

  ThresholdPrior prior_;
  std::vector<CensoredTrial> trials_;
  std::vector<double> centres_, spreads_;
  std::vector<double> log_posterior_;  // [centre][spread][late share]
  std::optional<Threshold> estimate_;
};

std::optional<Threshold> fit_threshold(std::span<const CensoredTrial> trials,
                                       const ThresholdPrior& prior);

}  // namespace platter::statistics

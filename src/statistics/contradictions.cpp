#include "statistics/contradictions.h"

#include <algorithm>
#include <cmath>

namespace platter::statistics {

void Contradictions::add(bool contradicts, double by_noise) {
  ++answers_;
  contradicting_ += contradicts;
  by_noise_ += by_noise;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const double with_share = by_noise + kShares[i] * (1 - 2 * by_noise);
    log_odds_[i] += contradicts ? std::log(with_share / by_noise)
                                : std::log((1 - with_share) / (1 - by_noise));
  }
}

double Contradictions::odds() const {
  double sum = 0;
  for (const double log_odds : log_odds_) sum += std::exp(log_odds);
  return sum / static_cast<double>(kShares.size());
}

bool Contradictions::refuted() const {
  const double likely = std::log(1.0 / 20);
  return std::all_of(log_odds_.begin() + kWorthKnowing, log_odds_.end(),
                     [&](double log_odds) { return log_odds < likely; });
}

}  // namespace platter::statistics

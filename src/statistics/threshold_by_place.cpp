#include "statistics/threshold_by_place.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "statistics/distribution.h"

namespace platter::statistics {

std::optional<Threshold> fit_threshold_by_place(std::span<const CensoredTrial> trials,
                                                std::span<const std::uint32_t> places,
                                                const ThresholdPrior& prior) {
  constexpr std::size_t kMostGroups = 8, kFewestGroups = 4;
  std::optional<Threshold> whole = fit_threshold(trials, prior);
  std::map<std::uint32_t, std::size_t> number;  // in the order of their trials, which is of chance
  for (const std::uint32_t place : places) number.try_emplace(place, number.size());
  const std::size_t groups = std::min(number.size(), kMostGroups);
  if (!whole || groups < kFewestGroups) return whole;
  std::vector<double> without;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<CensoredTrial> others;
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (number.at(places[i]) % groups != group) others.push_back(trials[i]);
    const auto found = fit_threshold(others, prior);
    if (!found) return whole;
    without.push_back(found->value);
  }
  const double middle = mean(without);
  double squares = 0;
  for (const double value : without) squares += (value - middle) * (value - middle);
  const auto n = static_cast<double>(groups);
  whole->error = std::max(whole->error, std::sqrt(squares * (n - 1) / n));
  return whole;
}

}  // namespace platter::statistics

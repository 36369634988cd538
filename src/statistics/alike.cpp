#include "statistics/alike.h"

#include <cmath>

namespace platter::statistics {

Estimate mean_of(std::span<const Estimate> values) {
  double weights = 0, sum = 0;
  for (const Estimate& value : values) {
    const double weight = 1 / (value.error * value.error);
    weights += weight;
    sum += weight * value.value;
  }
  return {sum / weights, 1 / std::sqrt(weights), values.size()};
}

bool differ_from(std::span<const Estimate> values, double expected, double sigmas) {
  constexpr std::size_t kGroups = 4;
  if (values.size() < kGroups) return false;
  const auto off = [&](std::size_t from, std::size_t to) {
    const Estimate mean = mean_of(values.subspan(from, to - from));
    return std::abs(mean.value - expected) > sigmas * mean.error;
  };
  if (off(0, values.size())) return true;
  for (std::size_t group = 0; group < kGroups; ++group)
    if (off(group * values.size() / kGroups, (group + 1) * values.size() / kGroups)) return true;
  return false;
}

}  // namespace platter::statistics

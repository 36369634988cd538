#include "statistics/alike.h"

#include <cmath>

namespace platter::statistics {

bool differ_from(std::span<const Estimate> values, double expected, double sigmas) {
  constexpr std::size_t kGroups = 4;
  if (values.size() < kGroups) return false;
  const auto off = [&](std::size_t from, std::size_t to) {
    const Estimate mean = weighted_mean(values.subspan(from, to - from));
    return std::abs(mean.value - expected) > sigmas * mean.error;
  };
  if (off(0, values.size())) return true;
  for (std::size_t group = 0; group < kGroups; ++group)
    if (off(group * values.size() / kGroups, (group + 1) * values.size() / kGroups)) return true;
  return false;
}

}  // namespace platter::statistics

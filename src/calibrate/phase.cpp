#include "calibrate/phase.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace platter::calibrate {
namespace {

constexpr std::ptrdiff_t kFewestOfSegment = 5;
constexpr double kWidest = 64;  // times the width, where little is known

}  // namespace

void Phase::add(double time_ns, bool write, double lead_rev) {
  known_[write].emplace_back(time_ns, unit(lead_rev));
}

void Phase::sort() {
  for (auto& list : known_) std::ranges::sort(list, std::less{}, &Entry::first);
}

std::optional<double> Phase::at(double time_ns, bool write) const {
  const auto& list = known_[write].empty() ? known_[!write] : known_[write];
  for (double width_ns = width_ns_; width_ns <= kWidest * width_ns_; width_ns *= 2) {
    const auto from = std::ranges::lower_bound(list, time_ns - width_ns, std::less{},
                                               &Entry::first);
    const auto to = std::ranges::upper_bound(list, time_ns + width_ns, std::less{}, &Entry::first);
    if (to - from < kFewestOfSegment) continue;
    return angle_of(std::accumulate(
        from, to, std::complex<double>{},
        [](std::complex<double> sum, const Entry& entry) { return sum + entry.second; }));
  }
  return std::nullopt;
}

}  // namespace platter::calibrate

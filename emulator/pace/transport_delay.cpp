#include "emulator/pace/transport_delay.h"

#include <algorithm>

namespace platter::emulator {

void TransportDelay::Median::add(Nanoseconds took_ns) {
  samples_[seen_++ % kRemembered] = took_ns;
  if (seen_ < kEnough) return;
  std::array<Nanoseconds, kRemembered> sorted = samples_;
  auto* const end = sorted.data() + std::min(seen_, kRemembered);
  auto* const middle = sorted.data() + (end - sorted.data()) / 2;
  std::nth_element(sorted.data(), middle, end);
  median_.store(std::max<Nanoseconds>(*middle, 0), std::memory_order_relaxed);
}

std::optional<Nanoseconds> TransportDelay::Median::value() const {
  const Nanoseconds median = median_.load(std::memory_order_relaxed);
  return median == kUnknown ? std::nullopt : std::optional(median);
}

// Through the two known sizes around it, or the two nearest.
std::optional<Nanoseconds> TransportDelay::OneWay::at(const BySize& medians, std::uint64_t bytes) {
  struct Point {
    double bytes, took_ns;
  };
  std::optional<Point> before, after;
  for (std::size_t i = 0; i < kBytes.size(); ++i) {
    const auto median = medians[i].value();
    if (!median) continue;
    const Point point{static_cast<double>(kBytes[i]), static_cast<double>(*median)};
    before = after ? after : std::optional(point);
    after = point;
    if (kBytes[i] >= bytes) break;
  }
  if (!after) return std::nullopt;
  if (after->bytes == before->bytes) return static_cast<Nanoseconds>(after->took_ns);
  const double slope = (after->took_ns - before->took_ns) / (after->bytes - before->bytes);
  const double took_ns = before->took_ns + slope * (static_cast<double>(bytes) - before->bytes);
  return static_cast<Nanoseconds>(std::max(took_ns, 0.0));
}

Nanoseconds TransportDelay::OneWay::of(std::uint64_t bytes, bool awake) const {
  if (const auto took_ns = at(medians_[awake], bytes)) return *took_ns;
  return at(medians_[!awake], bytes).value_or(0);
}

bool TransportDelay::OneWay::is_known() const {
  return std::ranges::any_of(medians_, [](const BySize& medians) {
    return std::ranges::any_of(medians,
                               [](const Median& median) { return median.value().has_value(); });
  });
}

void TransportDelay::add(const Sample& inbound, const Sample& outbound) {
  inbound_.add(inbound);
  outbound_.add(outbound);
}

}  // namespace platter::emulator

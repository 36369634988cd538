#include "emulator/pace/lateness.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace platter::emulator {

// Below 2 * kPart each value has its own bucket; from there on a power of two has kPart of them.
std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < 2 * kPart) return value;
  const int shift = static_cast<int>(std::bit_width(value) - std::bit_width(std::uint64_t{kPart}));
  return static_cast<std::size_t>(shift) * kPart + (value >> shift);
}

std::uint64_t Histogram::upper_edge(std::size_t bucket) {
  if (bucket < 2 * kPart) return bucket;
  const auto shift = bucket / kPart - 1;
  return ((bucket - shift * kPart + 1) << shift) - 1;
}

void Histogram::add(Nanoseconds value) {
  const auto held = std::max<Nanoseconds>(value, 0);
  ++counts_[bucket_of(static_cast<std::uint64_t>(held))];
  ++count_;
  max_ = std::max(max_, held);
}

Nanoseconds Histogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= std::max<std::uint64_t>(wanted, 1))
      return std::min(max_, static_cast<Nanoseconds>(upper_edge(bucket)));
  }
  return max_;
}

void Lateness::add(Nanoseconds model_ns, Nanoseconds late_ns) {
  const Nanoseconds error = std::abs(late_ns);
  error_.add(error);
  late_20_us_ += late_ns > 20 * kMicrosecond ? 1 : 0;
  late_60_us_ += late_ns > 60 * kMicrosecond ? 1 : 0;
  late_1_ms_ += late_ns > kMillisecond ? 1 : 0;
  within_2_percent_ += error <= model_ns / 50 ? 1 : 0;
  within_half_percent_ += error <= model_ns / 200 ? 1 : 0;
}

double Lateness::share(std::uint64_t count) const {
  return error_.count() == 0 ? 0 : static_cast<double>(count) / static_cast<double>(error_.count());
}

std::string Lateness::text() const {
  if (error_.count() == 0) return "no request was answered";
  return fmt::format(
      "{} answers; off the model's time by {:.1f} us (median), {:.1f} (98 %), {:.1f} (99 %), "
      "{:.1f} "
      "at most; {:.2f} % within 2 % of it, {:.2f} % within 0.5 %; late by more than 20 us: {}, "
      "60 us: {}, 1 ms: {}",
      error_.count(), to_us(error_.quantile(0.5)), to_us(error_.quantile(0.98)),
      to_us(error_.quantile(0.99)), to_us(error_.max()), 100 * share(within_2_percent_),
      100 * share(within_half_percent_), late_20_us_, late_60_us_, late_1_ms_);
}

std::string Lateness::json() const {
  return fmt::format(
      R"({{"answers":{},"error_median_us":{:.3f},"error_p98_us":{:.3f},"error_p99_us":{:.3f},)"
      R"("error_max_us":{:.3f},"share_within_2_percent":{:.6f},"share_within_half_percent":{:.6f},)"
      R"("late_by_20_us":{},"late_by_60_us":{},"late_by_1_ms":{}}})",
      error_.count(), to_us(error_.quantile(0.5)), to_us(error_.quantile(0.98)),
      to_us(error_.quantile(0.99)), to_us(error_.max()), share(within_2_percent_),
      share(within_half_percent_), late_20_us_, late_60_us_, late_1_ms_);
}

}  // namespace platter::emulator

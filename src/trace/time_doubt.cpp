#include "trace/time_doubt.h"

#include <fmt/format.h>

#include <algorithm>

namespace platter::trace {
namespace {

constexpr std::size_t kEnough = 64, kFewest = 8;
// Requests a microsecond apart are more than any bus takes; the median of an idle drive's, which
// come in bursts, is below a thousand of the coarse units that traces are written in.
constexpr Nanoseconds kTooFast_ns = kMicrosecond;
constexpr Nanoseconds kTooSlow_units = 1000;

}  // namespace

std::optional<std::string> TimeDoubt::see_another(const Request& request) {
  Nanoseconds time_ns = request.service_ns.value_or(0);
  if (kind_ == Kind::open) {
    time_ns = before_ns_ < 0 ? 0 : request.arrival_ns - before_ns_;
    before_ns_ = request.arrival_ns;
  }
  if (time_ns <= 0) return std::nullopt;
  times_ns_.push_back(time_ns);
  whole_ = whole_ && time_ns % unit_ns_ == 0;
  return times_ns_.size() < kEnough ? std::nullopt : judge();
}

std::optional<std::string> TimeDoubt::at_end() {
  return unit_ns_ == 0 || times_ns_.size() < kFewest ? std::nullopt : judge();
}

std::optional<std::string> TimeDoubt::judge() {
  const auto middle = times_ns_.begin() + static_cast<std::ptrdiff_t>(times_ns_.size() / 2);
  std::nth_element(times_ns_.begin(), middle, times_ns_.end());
  const std::size_t count = times_ns_.size();
  const bool too_fast = *middle < kTooFast_ns;
  const bool too_slow = whole_ && *middle > slow_ns_ && *middle > kTooSlow_units * unit_ns_;
  const double median_s = static_cast<double>(*middle) * 1e-9;
  const char* unit = unit_ns_ == kSecond ? "s" : unit_ns_ == kMillisecond ? "ms" : "us";
  unit_ns_ = 0;
  if (!too_fast && !too_slow) return std::nullopt;
  return fmt::format(
      "read in {} as its format has them, {} times {} {:.3g} s (median), which no drive's trace is "
      "like; say the unit that they are in by --time-unit s, ms, us or ns (of platter trace "
      "convert, "
      "for a command that has no such option)",
      unit, count, kind_ == Kind::open ? "between requests are" : "of service are", median_s);
}

}  // namespace platter::trace

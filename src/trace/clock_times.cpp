#include "trace/clock_times.h"

namespace platter::trace {

std::optional<ClockTimes::Wide> ClockTimes::exact_ns(std::string_view text, Nanoseconds unit_ns) {
  constexpr int kMostDigits = 24;  // before the point: no overflow in any unit
  Wide whole = 0;
  Nanoseconds fraction_ns = 0, digit_ns = unit_ns;
  bool point = false;
  int digits = 0;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || (!point && digits == kMostDigits)) return std::nullopt;
    ++digits;
    if (point)
      fraction_ns += (c - '0') * (digit_ns /= 10);
    else
      whole = 10 * whole + (c - '0');
  }
  if (digits == 0) return std::nullopt;
  return whole * unit_ns + fraction_ns;
}

std::optional<Nanoseconds> ClockTimes::since_first(Wide time_ns) {
  if (!first_ns_) first_ns_ = time_ns;
  const Wide since_ns = time_ns - *first_ns_;
  if (since_ns > kLongestTime_ns || since_ns < -kLongestTime_ns) return std::nullopt;
  return static_cast<Nanoseconds>(since_ns);
}

std::optional<Nanoseconds> ClockTimes::since_first(std::string_view text, Nanoseconds unit_ns) {
  const std::optional<Wide> time_ns = exact_ns(text, unit_ns);
  return time_ns ? since_first(*time_ns) : std::nullopt;
}

std::optional<Nanoseconds> ClockTimes::since_first(std::uint64_t time, Nanoseconds unit_ns) {
  return since_first(Wide{time} * unit_ns);
}

}  // namespace platter::trace

// Times of a clock, whatever it counts from, as whole nanoseconds since the first: seconds of 1970
// with nine decimals have more digits than a double holds.
#pragma once

#include <optional>
#include <string_view>

#include "trace/request.h"

namespace platter::trace {

class ClockTimes {
 public:
  // `text` in units of `unit_ns` nanoseconds, a power of ten, since the first that was read, which
  // may be behind it; what is finer than a nanosecond is cut off. nullopt: it is no number, or lies
  // farther from the first than a trace may last.
  std::optional<Nanoseconds> since_first(std::string_view text, Nanoseconds unit_ns);
  std::optional<Nanoseconds> since_first(std::uint64_t time, Nanoseconds unit_ns);

 private:
  __extension__ using Wide = __int128;
  static std::optional<Wide> exact_ns(std::string_view text, Nanoseconds unit_ns);
  std::optional<Nanoseconds> since_first(Wide time_ns);

  std::optional<Wide> first_ns_;
};

}  // namespace platter::trace

// Units that everybody shares. Time is integer nanoseconds (names end in _ns), angle is
// revolutions (names end in _rev), data is counted in logical blocks of the drive.
#pragma once

#include <cmath>
#include <cstdint>

namespace platter {

using Nanoseconds = std::int64_t;

constexpr Nanoseconds kMicrosecond = 1'000;
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kSecond = 1'000'000'000;

constexpr double to_ms(Nanoseconds ns) { return static_cast<double>(ns) / 1e6; }
constexpr double to_us(Nanoseconds ns) { return static_cast<double>(ns) / 1e3; }
inline Nanoseconds from_ms(double ms) { return static_cast<Nanoseconds>(std::llround(ms * 1e6)); }

}  // namespace platter

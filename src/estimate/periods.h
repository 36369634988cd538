// The periods of one revolution that are looked for.
#pragma once

namespace platter::estimate {

// No disk is known to turn faster, and what comes faster is taken for a cache: 20,000 rpm.
constexpr double kFastest_rpm = 20'000;
constexpr double kSlowest_rpm = 3'000;
constexpr double kShortestPeriod_ns = 60e9 / kFastest_rpm, kLongestPeriod_ns = 60e9 / kSlowest_rpm;

}  // namespace platter::estimate

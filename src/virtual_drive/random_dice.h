// Numbers drawn from a generator, the same on every machine (the standard's distributions are not).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "model/drive_model.h"

namespace platter::virtual_drive {

class Dice {
 public:
  explicit Dice(std::mt19937_64& random) : random_(random) {}

  std::uint64_t pick(std::uint64_t low, std::uint64_t high) {  // inclusive; high >= low
    return low + random_() % (high - low + 1);
  }
  std::uint32_t pick32(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(pick(low, high));
  }
  double uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random_() >> 11), -53);
  }
  bool chance(double share) { return uniform(0, 1) < share; }
  // Each factor of two as likely as the next.
  std::uint64_t log_pick(std::uint64_t low, std::uint64_t high) {
    const double drawn = std::exp(
        uniform(std::log(static_cast<double>(low)), std::log(static_cast<double>(high) + 1)));
    return std::min(high, std::max(low, static_cast<std::uint64_t>(drawn)));
  }
  std::uint32_t log_pick32(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(log_pick(low, high));
  }

 private:
  std::mt19937_64& random_;
};

// A number of a drive that nobody built.
inline model::Parameter invented(double number, const char* unit = "") {
  model::Parameter parameter;
  parameter.value = number;
  parameter.unit = unit;
  parameter.method = "invented";
  return parameter;
}

}  // namespace platter::virtual_drive

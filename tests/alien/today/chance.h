// Chance that is the same on every machine: the library's distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace today {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}

  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double even_in_log(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(count));
  }
  bool is(double share) { return uniform() < share; }
  double gauss() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  double waiting() { return -std::log(1 - uniform()); }  // exponential, mean 1

  template <typename T>
  T one_of(std::initializer_list<T> those) {
    return those.begin()[below(static_cast<std::int64_t>(those.size()))];
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace today

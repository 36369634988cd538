// Random draws that are the same on every platform: the standard fixes the numbers of mt19937_64
// but not those of its distributions, and compilers may fuse floating-point operations. Whole
// numbers only.
#pragma once

#include <cstdint>
#include <random>

#include "model/units.h"

namespace platter::trace {

// `part` of `of`, in whole numbers.
struct Share {
  std::uint64_t part = 0, of = 1;
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}

  // Uniform in 0 ... count - 1, without bias: values past the last whole multiple are drawn again.
  std::uint64_t below(std::uint64_t count);

  // Exponential with the given mean.
  Nanoseconds exponential(Nanoseconds mean_ns);

 private:
  std::mt19937_64 generator_;
};

}  // namespace platter::trace

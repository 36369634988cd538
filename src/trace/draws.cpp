#include "trace/draws.h"

namespace platter::trace {
namespace {

__extension__ typedef unsigned __int128 Uint128;

}  // namespace

std::uint64_t Draws::below(std::uint64_t count) {
  const std::uint64_t past = (~std::uint64_t{0} % count + 1) % count;
  std::uint64_t value = generator_();
  while (value > ~std::uint64_t{0} - past) value = generator_();
  return value % count;
}

// J. von Neumann, "Various techniques used in connection with random digits", 1951: a first number
// in [0, 1) is the fraction if the run of descending numbers that it begins has an odd length;
// every run that has not adds 1 to the whole part. Comparisons only.
Nanoseconds Draws::exponential(Nanoseconds mean_ns) {
  const auto mean = static_cast<std::uint64_t>(mean_ns);
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = generator_();
    bool odd = true;
    std::uint64_t last = first;
    for (std::uint64_t next = generator_(); next < last; next = generator_()) {
      last = next;
      odd = !odd;
    }
    if (!odd) continue;
    return static_cast<Nanoseconds>(whole * mean + ((Uint128{first} * mean) >> 64));
  }
}

}  // namespace platter::trace

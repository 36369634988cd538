// What a drive holds at first: of every block and seed something else, so that a block that is
// lost, or that has another one's contents, shows.
#pragma once

#include <cstdint>
#include <vector>

namespace trust {

// The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline std::vector<std::uint8_t> pattern(std::uint64_t seed, std::uint64_t lbn,
                                         std::uint32_t bytes) {
  std::vector<std::uint8_t> block(bytes);
  std::uint64_t state = mix(mix(seed) ^ lbn);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) state = mix(state);
    block[i] = static_cast<std::uint8_t>(state >> (8 * (i % 8)));
  }
  return block;
}

}  // namespace trust

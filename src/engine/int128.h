// 128-bit integers, for products of times and ratios that must not lose a bit.
#pragma once

#include <cstdint>

namespace platter::engine {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

// By this a quotient needs no division.
inline std::uint64_t reciprocal_of(std::uint64_t divisor) { return ~std::uint64_t{0} / divisor; }

// number / divisor: the product with the reciprocal is exact, or too small by one.
inline std::uint64_t quotient(std::uint64_t number, std::uint64_t divisor,
                              std::uint64_t reciprocal) {
  const auto whole = static_cast<std::uint64_t>((Uint128{number} * reciprocal) >> 64);
  return whole + (number - whole * divisor >= divisor);
}

}  // namespace platter::engine

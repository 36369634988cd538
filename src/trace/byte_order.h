// Whole numbers of binary traces, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace platter::trace {

template <class Integer>
Integer load(const char* at, std::endian order) {
  std::array<unsigned char, sizeof(Integer)> bytes;
  std::memcpy(bytes.data(), at, sizeof(Integer));
  if (order != std::endian::native) std::ranges::reverse(bytes);
  return std::bit_cast<Integer>(bytes);
}

template <class Integer>
void store(std::string& out, Integer value, std::endian order) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    const std::size_t shift = order == std::endian::little ? i : sizeof(Integer) - 1 - i;
    out += static_cast<char>(value >> (8 * shift) & 0xff);
  }
}

}  // namespace platter::trace

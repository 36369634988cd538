// Whole numbers of binary traces, in either byte order.
#pragma once

#include <bit>
#include <cstring>
#include <string>

namespace platter::trace {

template <class Integer>
Integer load(const char* at, std::endian order) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    const std::size_t shift = order == std::endian::little ? i : sizeof(Integer) - 1 - i;
    value = static_cast<Integer>(value | static_cast<Integer>(static_cast<unsigned char>(at[i]))
                                             << (8 * shift));
  }
  return value;
}

template <class Integer>
void store(std::string& out, Integer value, std::endian order) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    const std::size_t shift = order == std::endian::little ? i : sizeof(Integer) - 1 - i;
    out += static_cast<char>(value >> (8 * shift) & 0xff);
  }
}

}  // namespace platter::trace

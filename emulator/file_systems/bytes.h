// Numbers of a format out of bytes that a guest wrote. Past the end there are zeros: no length that
// a guest claims can lead a reader out of its buffer.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace platter::emulator {

using Bytes = std::span<const std::uint8_t>;

template <std::unsigned_integral Number>
constexpr Number byte_swapped(Number number) {
  Number swapped = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    swapped = static_cast<Number>(swapped << 8 | (number >> (8 * i) & 0xFF));
  return swapped;
}

template <std::unsigned_integral Number>
Number number_at(Bytes bytes, std::size_t at, std::endian order) {
  Number number = 0;
  if (at <= bytes.size() && sizeof number <= bytes.size() - at)
    std::memcpy(&number, bytes.data() + at, sizeof number);
  return order == std::endian::native ? number : byte_swapped(number);
}

inline std::uint16_t le16(Bytes bytes, std::size_t at) {
  return number_at<std::uint16_t>(bytes, at, std::endian::little);
}
inline std::uint32_t le32(Bytes bytes, std::size_t at) {
  return number_at<std::uint32_t>(bytes, at, std::endian::little);
}
inline std::uint64_t le64(Bytes bytes, std::size_t at) {
  return number_at<std::uint64_t>(bytes, at, std::endian::little);
}
inline std::uint16_t be16(Bytes bytes, std::size_t at) {
  return number_at<std::uint16_t>(bytes, at, std::endian::big);
}
inline std::uint32_t be32(Bytes bytes, std::size_t at) {
  return number_at<std::uint32_t>(bytes, at, std::endian::big);
}
inline std::uint64_t be64(Bytes bytes, std::size_t at) {
  return number_at<std::uint64_t>(bytes, at, std::endian::big);
}

inline std::uint8_t byte_at(Bytes bytes, std::size_t at) {
  return at < bytes.size() ? bytes[at] : std::uint8_t{0};
}

// The part that is there.
inline Bytes part_of(Bytes bytes, std::size_t at, std::size_t size) {
  const std::size_t begin = std::min(at, bytes.size());
  return bytes.subspan(begin, std::min(size, bytes.size() - begin));
}

inline bool all_zeros(Bytes bytes) {
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

inline bool same_bytes(Bytes a, Bytes b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace platter::emulator

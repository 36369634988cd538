// Big-endian integers in CDBs, parameter lists and replies (SCSI sends the high byte first).
#pragma once

#include <cstdint>
#include <span>

namespace platter::scsi {

inline std::uint64_t get_be(const std::uint8_t* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

inline void put_be(std::uint8_t* bytes, int count, std::uint64_t value) {
  for (int i = count - 1; i >= 0; --i, value >>= 8) bytes[i] = static_cast<std::uint8_t>(value);
}

inline std::uint16_t get_be16(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(get_be(bytes, 2));
}

inline std::uint32_t get_be32(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(get_be(bytes, 4));
}

}  // namespace platter::scsi

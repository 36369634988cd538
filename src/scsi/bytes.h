// Big-endian integers in CDBs, parameter lists and replies (SCSI sends the high byte first).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

// Parts of a reply. What lies outside of it, or behind the length that it states, is missing: never
// an error, and never 0.
using Bytes = std::span<const std::uint8_t>;

// At most `count` bytes from `offset`.
inline Bytes part(Bytes bytes, std::size_t offset, std::size_t count) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min(count, bytes.size() - offset));
}

// A vital product data page with its header of four bytes, as far as it came and no farther than it
// says that it goes: bytes have the standards' numbers. Empty if it is another page.
inline Bytes vpd_page_in(Bytes reply, std::uint8_t page) {
  if (reply.size() < 4 || reply[1] != page) return {};
  // SCSI-2 pages have one length byte and a reserved one before it, later ones two.
  return part(reply, 0, 4U + get_be16(&reply[2]));
}

// Whether all of it came.
inline bool is_whole_vpd_page(Bytes page) {
  return page.size() >= 4 && page.size() == 4U + get_be16(&page[2]);
}

// A big-endian field of the page; nullopt where not all of its bytes are there.
template <typename T>
std::optional<T> field(Bytes page, std::size_t at) {
  if (at > page.size() || page.size() - at < sizeof(T)) return std::nullopt;
  return static_cast<T>(get_be(&page[at], sizeof(T)));
}

}  // namespace platter::scsi

// The words of IDENTIFY DEVICE data (ACS-4, 7.13.6).
#pragma once

#include <cstdint>
#include <numeric>

#include "scsi/reply_bytes.h"

namespace platter::scsi {

constexpr std::size_t kIdentifyBytes = 512;

// `data` are whole. Words are little-endian.
inline std::uint16_t ata_word(Bytes data, std::size_t number) {
  return static_cast<std::uint16_t>(data[2 * number] | data[2 * number + 1] << 8);
}

// Of numbers of several words the lowest comes first.
inline std::uint64_t ata_words(Bytes data, std::size_t first, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 16 | ata_word(data, first + i);
  return value;
}

// Bits 15 and 14 of words 83, 84, 87, 106 and 209 are 01b where these, and with some those before
// them, count.
inline bool counts(std::uint16_t word) { return (word & 0xC000) == 0x4000; }

// Whether these are data of an ATA disk, not of an ATAPI device, nor fewer than all.
inline bool is_identify_device(Bytes data) {
  return data.size() >= kIdentifyBytes && (ata_word(data, 0) & 0x8000) == 0;
}

// Word 255: with A5h in its lower byte, all bytes together are 0.
inline bool has_checksum(Bytes data) { return data[kIdentifyBytes - 2] == 0xA5; }
inline bool is_checksum_right(Bytes data) {
  const auto sum = std::accumulate(data.begin(), data.begin() + kIdentifyBytes, 0U);
  return (sum & 0xFF) == 0;
}

}  // namespace platter::scsi

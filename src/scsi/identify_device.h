// Who an ATA drive says that it is: IDENTIFY DEVICE data (ACS-4, 7.13.6), which a translation
// passes on as they are, by ATA PASS-THROUGH or in VPD page 89h (SAT-4). So a drive behind a bridge
// can be told from its bridge.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "scsi/bytes.h"
#include "scsi/zones.h"

namespace platter::scsi {

enum class Checksum : std::uint8_t { absent, right, wrong };  // word 255

// nullopt: the drive does not say, or says what cannot be.
struct AtaIdentity {
  std::optional<std::string> serial, firmware, model;  // words 10 to 19, 23 to 26, 27 to 46
  // User addressable sectors: words 60 and 61 (0FFFFFFFh: at least so many), 100 to 103, 230 to
  // 233.
  std::optional<std::uint64_t> sectors_28, sectors_48, sectors_64;
  std::optional<std::uint32_t> sector_bytes;      // logical; words 106, 117, 118
  std::optional<std::uint8_t> physical_exponent;  // 2 to it: logical in a physical; word 106
  std::optional<std::uint32_t> lowest_aligned;    // LBN; words 106 and 209
  std::optional<std::uint16_t> rotation_rate;     // rpm, 1: does not rotate; word 217
  Zoned zoned = Zoned::not_reported;              // word 69
  bool trim = false;                              // DATA SET MANAGEMENT; word 169
  std::optional<std::uint64_t> world_wide_name;   // words 108 to 111
  Checksum checksum = Checksum::absent;
  bool incomplete = false;  // word 0: the drive has to spin up before it knows the rest

  std::optional<std::uint64_t> sectors() const;  // by the widest of the three
};

// nullopt: these are no data of an ATA disk, or not all 512 bytes of them, or nothing but zeros.
// With a wrong checksum they are decoded all the same: `checksum` tells.
std::optional<AtaIdentity> decode_ata_identity(Bytes data);

// VPD page 89h, ATA Information (SAT-4, 12.4.2).
struct AtaInformation {
  std::string vendor, product, revision;     // of the translation
  std::array<std::uint8_t, 20> signature{};  // what the device told at its reset, as a register FIS
  std::uint8_t command = 0;  // that got the data: ECh IDENTIFY DEVICE, A1h of ATAPI, 0: none
  std::optional<std::vector<std::uint8_t>> identify_device;  // nullopt: none, or not all of them
};

// nullopt: it is another page, or ends before the data.
std::optional<AtaInformation> decode_ata_information(Bytes reply);

// The words of IDENTIFY DEVICE data (ACS-4, 7.13.6).
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

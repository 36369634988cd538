// What a drive says of zones: none, or some that it manages itself, or some that its host has to
// write in order. A host-managed drive is another device type (14h, ZBC-2) in its INQUIRY data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/drive_model.h"
#include "scsi/bytes.h"

namespace platter::scsi {

constexpr std::uint8_t kHostManagedZones = 0x14;  // peripheral device type

// REPORT ZONES parameter data (ZBC-2, 5.6): a header, then a descriptor for each zone.
constexpr std::size_t kZoneHeader = 64, kZoneDescriptor = 64;

// ZONED of VPD page B1h (SBC-4, 6.6.2), and bits 1 and 0 of word 69 of IDENTIFY DEVICE (ACS-4).
enum class Zoned : std::uint8_t { not_reported = 0, host_aware = 1, device_managed = 2, reserved };

// VPD page B6h, Zoned Block Device Characteristics (ZBC-2, 6.5.2). nullopt: not said, or without a
// limit.
struct ZonedCharacteristics {
  std::uint8_t extension = 0;                 // 0: as the type says, 1: host-aware, 2: realms
  bool reads_beyond_write_pointer = false;    // URSWRZ
  std::optional<std::uint32_t> optimal_open;  // sequential write preferred zones, open
  std::optional<std::uint32_t> optimal_nonsequential;  // of them written out of order
  std::optional<std::uint32_t> most_open;              // sequential write required zones, open
  std::optional<std::uint8_t> alignment_method;    // 1: zones of one length, 8: starts on a grid
  std::optional<std::uint64_t> start_granularity;  // of that grid, in logical blocks
};

// nullopt: it is another page, or too short for URSWRZ.
std::optional<ZonedCharacteristics> decode_zoned_characteristics(Bytes reply);

// Of one REPORT ZONES, in the order of the reply, as far as they came whole. nullopt: no such data,
// or a zone that cannot be.
std::optional<std::vector<model::ZoneRun>> decode_zones(Bytes reply);

}  // namespace platter::scsi

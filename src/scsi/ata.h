// An ATA drive behind a SCSI / ATA translation (SAT-4): what platter sends it through ATA
// PASS-THROUGH, and what its answers say (ACS-4: IDENTIFY DEVICE, SET FEATURES, CHECK POWER MODE).
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/device.h"
#include "scsi/replies.h"

namespace platter::scsi {

enum AtaCommand : std::uint8_t {
  kIdentifyDevice = 0xEC,
  kSetFeatures = 0xEF,
  kCheckPowerMode = 0xE5,
};

// The subcommands of SET FEATURES that a run may send: each of them has one that takes it back.
enum class Feature : std::uint8_t {
  enable_write_cache = 0x02,
  enable_power_management = 0x05,  // COUNT is the level
  look_ahead_off = 0x55,
  disable_write_cache = 0x82,
  disable_power_management = 0x85,
  look_ahead_on = 0xAA,
};

constexpr std::uint8_t kMostPerformance = 0xFE;  // of the levels 01h to FEh of power management

// Which of the two forms of ATA PASS-THROUGH the translation takes.
enum class PassThrough : std::uint8_t { twelve, sixteen };

Command identify_device(PassThrough form);
Command check_power_mode(PassThrough form);
// `level` is for enable_power_management alone.
Command set_features(PassThrough form, Feature feature, std::uint8_t level = 0);

// The ATA command in an ATA PASS-THROUGH (12) or (16) CDB; nullopt: the CDB is another one.
std::optional<std::uint8_t> ata_command_of(Bytes cdb);
// Whether a CDB is, bit for bit, one that platter builds here.
bool is_known_pass_through(const Command& command);

// What SET FEATURES can change. nullopt: the drive does not have it, or does not say how it stands.
struct AtaSettings {
  std::optional<bool> write_cache, look_ahead;
  std::optional<std::uint8_t> power_level;  // of advanced power management; 0: it is disabled

  bool operator==(const AtaSettings&) const = default;
  // Whether they are what `wanted` asks for; what that leaves open does not matter.
  bool satisfies(const AtaSettings& wanted) const;
};

// The commands from one to the other.
std::vector<Command> changes(PassThrough form, const AtaSettings& now, const AtaSettings& wanted);

// Words 82 to 87 and 91 of IDENTIFY DEVICE. nullopt: these are no data of an ATA disk.
std::optional<AtaSettings> decode_identify_device(Bytes data);
// The COUNT field that comes with the sense data of CHECK POWER MODE: 00h standby, 80h to 83h idle,
// FFh active or idle.
std::optional<std::uint8_t> decode_power_mode(Bytes sense);

}  // namespace platter::scsi

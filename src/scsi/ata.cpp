#include "scsi/ata.h"

#include "scsi/command_table.h"
#include "scsi/identify_device.h"

namespace platter::scsi {
namespace {

// The two bytes behind the opcode (SAT-4, ATA PASS-THROUGH (16)).
constexpr std::uint8_t kNonData = 3 << 1, kPioIn = 4 << 1;  // PROTOCOL
constexpr std::uint8_t kCheckCondition = 0x20;  // CK_COND: the registers come as sense data
constexpr std::uint8_t kOneBlockIn = 0x08 | 0x04 | 0x02;  // T_DIR, BYT_BLOK, T_LENGTH: in COUNT

struct Registers {
  std::uint8_t features = 0, count = 0, command = 0;
};

Command pass_through(PassThrough form, std::uint8_t protocol, std::uint8_t flags,
                     const Registers& registers) {
  Command command;
  auto& cdb = command.cdb;
  cdb[1] = protocol;
  cdb[2] = flags;
  if (form == PassThrough::sixteen) {
    command.cdb_length = 16;
    cdb[0] = kAtaPassThrough16;
    cdb[4] = registers.features;
    cdb[6] = registers.count;
    cdb[14] = registers.command;
  } else {
    command.cdb_length = 12;
    cdb[0] = kAtaPassThrough12;
    cdb[3] = registers.features;
    cdb[4] = registers.count;
    cdb[9] = registers.command;
  }
  return command;
}

constexpr std::uint16_t kWriteCacheBit = 1 << 5, kLookAheadBit = 1 << 6;  // of words 82 and 85
constexpr std::uint16_t kPowerManagementBit = 1 << 3;                     // of words 83 and 86

}  // namespace

Command identify_device(PassThrough form) {
  Command command = pass_through(form, kPioIn, kOneBlockIn, {0, 1, kIdentifyDevice});
  command.direction = Direction::from_device;
  command.transfer_length = kIdentifyBytes;
  return command;
}

Command check_power_mode(PassThrough form) {
  return pass_through(form, kNonData, kCheckCondition, {0, 0, kCheckPowerMode});
}

Command set_features(PassThrough form, Feature feature, std::uint8_t level) {
  return pass_through(form, kNonData, 0, {static_cast<std::uint8_t>(feature), level, kSetFeatures});
}

std::optional<std::uint8_t> ata_command_of(Bytes cdb) {
  if (cdb.size() >= 16 && cdb[0] == kAtaPassThrough16) return cdb[14];
  if (cdb.size() >= 12 && cdb[0] == kAtaPassThrough12) return cdb[9];
  return std::nullopt;
}

bool is_known_pass_through(const Command& command) {
  const auto ata = ata_command_of(command.cdb);
  if (!ata) return false;
  const bool is_long = command.opcode() == kAtaPassThrough16;
  const auto form = is_long ? PassThrough::sixteen : PassThrough::twelve;
  const auto is = [&](const Command& known) {
    return command.cdb == known.cdb && command.cdb_length == known.cdb_length &&
           command.direction == known.direction && command.transfer_length == known.transfer_length;
  };
  if (*ata == kIdentifyDevice) return is(identify_device(form));
  if (*ata == kCheckPowerMode) return is(check_power_mode(form));
  if (*ata != kSetFeatures) return false;
  const auto feature = static_cast<Feature>(command.cdb[is_long ? 4 : 3]);
  const std::uint8_t level = command.cdb[is_long ? 6 : 4];
  switch (feature) {
    case Feature::enable_power_management:
      return level >= 1 && level <= kMostPerformance && is(set_features(form, feature, level));
    case Feature::enable_write_cache:
    case Feature::disable_write_cache:
    case Feature::look_ahead_on:
    case Feature::look_ahead_off:
    case Feature::disable_power_management:
      return is(set_features(form, feature));
  }
  return false;
}

bool AtaSettings::satisfies(const AtaSettings& wanted) const {
  return (!wanted.write_cache || write_cache == wanted.write_cache) &&
         (!wanted.look_ahead || look_ahead == wanted.look_ahead) &&
         (!wanted.power_level || power_level == wanted.power_level);
}

std::vector<Command> changes(PassThrough form, const AtaSettings& now, const AtaSettings& wanted) {
  std::vector<Command> commands;
  const auto add = [&](Feature feature, std::uint8_t level = 0) {
    commands.push_back(set_features(form, feature, level));
  };
  if (wanted.write_cache && now.write_cache != wanted.write_cache)
    add(*wanted.write_cache ? Feature::enable_write_cache : Feature::disable_write_cache);
  if (wanted.look_ahead && now.look_ahead != wanted.look_ahead)
    add(*wanted.look_ahead ? Feature::look_ahead_on : Feature::look_ahead_off);
  if (wanted.power_level && now.power_level != wanted.power_level) {
    if (*wanted.power_level == 0)
      add(Feature::disable_power_management);
    else
      add(Feature::enable_power_management, *wanted.power_level);
  }
  return commands;
}

// ACS-4, IDENTIFY DEVICE data.
std::optional<AtaSettings> decode_identify_device(Bytes data) {
  if (!is_identify_device(data)) return std::nullopt;
  if (has_checksum(data) && !is_checksum_right(data)) return std::nullopt;
  AtaSettings found;
  if (!counts(ata_word(data, 83)) || !counts(ata_word(data, 87))) return found;
  if (ata_word(data, 82) & kWriteCacheBit)
    found.write_cache = (ata_word(data, 85) & kWriteCacheBit) != 0;
  if (ata_word(data, 82) & kLookAheadBit)
    found.look_ahead = (ata_word(data, 85) & kLookAheadBit) != 0;
  if (ata_word(data, 83) & kPowerManagementBit) {
    const auto level = static_cast<std::uint8_t>(ata_word(data, 91) & 0xFF);
    const bool enabled = (ata_word(data, 86) & kPowerManagementBit) != 0;
    // A level that is none could not be set again.
    if (!enabled)
      found.power_level = std::uint8_t{0};
    else if (level >= 1 && level <= kMostPerformance)
      found.power_level = level;
  }
  return found;
}

// SAT-4: in fixed format the registers are in the INFORMATION field, in descriptor format in the
// ATA Status Return descriptor.
std::optional<std::uint8_t> decode_power_mode(Bytes sense) {
  if (sense.size() < 14) return std::nullopt;
  const int code = sense[0] & 0x7F;
  const bool fixed = code == 0x70, descriptors = code == 0x72;
  const std::uint8_t asc = fixed ? sense[12] : sense[2], ascq = fixed ? sense[13] : sense[3];
  if ((!fixed && !descriptors) || asc != 0x00 || ascq != 0x1D) return std::nullopt;
  if (fixed) return sense[6];
  for (std::size_t at = 8; at + 2 <= sense.size(); at += 2U + sense[at + 1])
    if (sense[at] == 0x09 && at + 14 <= sense.size()) return sense[at + 5];
  return std::nullopt;
}

}  // namespace platter::scsi

#include "virtual_drive/personality.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "model/error.h"
#include "model/stand_ins.h"
#include "scsi/caching_fields.h"
#include "virtual_drive/caching_page.h"

namespace platter::virtual_drive {
namespace {

// The largest READ or WRITE that any drive takes, in blocks.
constexpr std::uint32_t kMostTransferBlocks = 65535;

// WRITE SAME is held to what a WRITE could say, so that no command lasts for minutes.
constexpr std::uint32_t kMostSameBlocks = 65535;

constexpr Nanoseconds kAssumedCommandTime = 200 * kMicrosecond;

// Drives of 3.5 inches take 4 to 15 s; no model says.
constexpr Nanoseconds kAssumedSpinUp = 6 * kSecond;

std::string assumed_level(const model::DriveModel& model, std::uint64_t blocks) {
  const bool large = blocks > std::numeric_limits<std::uint32_t>::max();
  const bool newer = model.arms || model.power || !model.identity.zone_runs.empty() ||
                     (model.firmware &&
                      (model.firmware->ata || model.firmware->most_transfer_blocks > 0));
  return large || newer || model.identity.block_bytes != 512 ? "SPC-3" : "SCSI-2";
}

Nanoseconds command_time(const model::Overheads& overheads) {
  // What acts as a hit's overhead then is a miss's, which such a command is none of.
  if (!overheads.per_request && !overheads.read_hit_after_read) return kAssumedCommandTime;
  const double command_ms = acting(overheads, overheads.per_request) +
                            acting(overheads, overheads.read_hit_after_read);
  return command_ms > 0 ? from_ms(command_ms) : kAssumedCommandTime;
}

std::uint16_t rounded_rpm(double rpm) {
  return static_cast<std::uint16_t>(std::clamp(rpm + 0.5, 0.0, 65535.0));
}

std::uint16_t rotations_per_minute(const model::Rotation& rotation) {
  if (rotation.numerator_ns == 0) return 0;
  const double rpm = 60e9 * static_cast<double>(rotation.denominator) /
                     static_cast<double>(rotation.numerator_ns);
  return rounded_rpm(rpm);
}

}  // namespace

ScsiLevel scsi_level(const std::string& name) {
  constexpr std::array<std::pair<const char*, ScsiLevel>, 7> kLevels{{
      {"SCSI-2", ScsiLevel::scsi2},
      {"SCSI-3", ScsiLevel::spc},
      {"SPC", ScsiLevel::spc},
      {"SPC-2", ScsiLevel::spc2},
      {"SPC-3", ScsiLevel::spc3},
      {"SPC-4", ScsiLevel::spc4},
      {"SPC-5", ScsiLevel::spc4},
  }};
  for (const auto& [known, level] : kLevels)
    if (name == known) return level;
  throw Error(ExitStatus::bad_input, "the model's firmware.scsi_level is '" + name +
                                         "', which is none of SCSI-2, SPC, SPC-2, SPC-3, SPC-4; "
                                         "correct the model file");
}

Personality personality_of(const model::DriveModel& model, const engine::LayoutMap& layout) {
  Personality drive;
  drive.model = model;
  drive.blocks = model.identity.blocks == 0 ? layout.blocks()
                                            : std::min(model.identity.blocks, layout.blocks());
  drive.block_bytes = model.identity.block_bytes;
  if (drive.blocks == 0 || drive.block_bytes == 0)
    throw Error(ExitStatus::bad_input,
                "the model describes a drive without a single block; correct the model file");
  drive.firmware = model.firmware.value_or(model::Firmware{});
  const std::uint32_t most = drive.firmware.most_transfer_blocks;
  drive.most_transfer_blocks = most == 0 ? kMostTransferBlocks
                                         : std::min(most, kMostTransferBlocks);
  drive.most_same_blocks = kMostSameBlocks;
  if (drive.firmware.scsi_level.empty())
    drive.firmware.scsi_level = assumed_level(model, drive.blocks);
  drive.level = scsi_level(drive.firmware.scsi_level);
  drive.has_zones = !model.identity.zone_runs.empty();
  drive.host_managed = drive.has_zones && model.identity.zones == "host-managed";
  constexpr std::uint32_t kHostAware = 1;  // of a host-managed one the device type tells
  if (drive.has_zones) drive.firmware.zoned = drive.host_managed ? 0 : kHostAware;
  if (drive.firmware.ata)  // ATA has nothing for the others (SAT-4, caching mode page)
    for (const scsi::CachingField& field : scsi::caching_fields())
      if (field.name != "WCE" && field.name != "DRA")
        drive.firmware.fixed_cache_fields.emplace_back(field.name);
  check_field_names(drive.firmware.fixed_cache_fields);
  check_field_names(drive.firmware.ignored_cache_fields);
  drive.cylinders = std::max(model.identity.cylinders, layout.cylinders());
  drive.heads = std::max(model.identity.heads, layout.heads());
  drive.rpm = drive.firmware.nominal_rpm > 0 ? rounded_rpm(drive.firmware.nominal_rpm)
                                             : rotations_per_minute(model.rotation);
  drive.command_ns = command_time(model.overheads);
  drive.block_transfer_ns = from_ms(std::max(0.0, acting(model, model.bus.block_transfer).value));
  drive.block_from_host_ns = model.bus.write_block_transfer.value
                                 ? from_ms(std::max(0.0, *model.bus.write_block_transfer.value))
                                 : drive.block_transfer_ns;
  drive.half_translation_ns =
      model.overheads.address_translation.value
          ? from_ms(std::max(0.0, *model.overheads.address_translation.value) / 2)
          : drive.command_ns;
  drive.spin_up_ns = kAssumedSpinUp;
  if (model.power && acting(*model.power, model.power->standby_z) > 0)
    drive.spin_up_ns = from_ms(acting(*model.power, model.power->standby_z));
  if (model.imperfections)
    drive.idle_wake_ns = from_ms(std::max(0.0, model.imperfections->idle_condition_ms));
  return drive;
}

}  // namespace platter::virtual_drive

// A virtual drive whose blocks hold something, and what a journal says that they held.
#pragma once

#include <cstdint>
#include <vector>

#include "damaged_drive.h"
#include "safety/journal.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/virtual_device.h"

namespace platter::testing {

inline model::DriveModel drive_of(std::uint32_t physical_block_bytes = 512) {
  model::DriveModel model =
      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("quantum-atlas10k"));
  model.imperfections.reset();
  model.identity.physical_block_bytes = physical_block_bytes;
  if (!model.firmware) model.firmware.emplace();
  if (physical_block_bytes > 512) model.firmware->scsi_level = "SPC-4";
  return model;
}

// Nothing is journaled yet.
struct WrittenDrive {
  explicit WrittenDrive(std::uint32_t physical_block_bytes = 512)
      : inner(drive_of(physical_block_bytes)), damaged(inner), contents(512) {
    scsi::Guard guard(inner, {});
    identity = scsi::Drive(guard, "the drive").identify();
  }

  void hold(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    scsi::Guard guard(inner, {.writes = {{0, 100000}}});
    scsi::Drive drive(guard, "the drive");
    drive.identify();
    drive.put_back(lbn, bytes);
  }
  std::vector<std::uint8_t> held(std::uint64_t lbn, std::uint32_t blocks) {
    scsi::Guard guard(inner, {});
    scsi::Drive drive(guard, "the drive");
    drive.identify();
    return drive.contents(lbn, blocks, true);
  }
  safety::JournalContents journal() const {
    safety::JournalContents journal;
    journal.identity = identity;
    journal.blocks = contents;
    return journal;
  }

  virtual_drive::VirtualDevice inner;
  DamagedDrive damaged;  // what a run sees of it
  safety::BlockContents contents;
  model::Identity identity;
};

}  // namespace platter::testing

// The test drive as one of today, and the commands that only such drives have.
#pragma once

#include "virtual_drive/test_drive.h"

namespace platter::virtual_drive::testing {

inline model::DriveModel spc4_drive() {
  auto model = test_drive();
  model.firmware->scsi_level = "SPC-4";
  return model;
}

inline model::DriveModel drive_of(const char* level) {
  auto model = test_drive();
  model.firmware->scsi_level = level;
  return model;
}

// A command that names blocks, in the form that its opcode has: LBN and number put in their places.
inline scsi::Command on_blocks(std::uint8_t opcode, std::uint64_t lbn, std::uint32_t blocks,
                               std::uint8_t flags = 0) {
  scsi::Command built;
  built.cdb[0] = opcode;
  built.cdb[1] = flags;
  switch (opcode >> 5) {
    case 4:
      built.cdb_length = 16;
      scsi::put_be(&built.cdb[2], 8, lbn);
      scsi::put_be(&built.cdb[10], 4, blocks);
      break;
    case 5:
      built.cdb_length = 12;
      scsi::put_be(&built.cdb[2], 4, lbn);
      scsi::put_be(&built.cdb[6], 4, blocks);
      break;
    default:
      built.cdb_length = 10;
      scsi::put_be(&built.cdb[2], 4, lbn);
      scsi::put_be(&built.cdb[7], 2, blocks);
      break;
  }
  return built;
}

inline scsi::Command with_data(scsi::Command command, std::vector<std::uint8_t> data) {
  command.direction = scsi::Direction::to_device;
  command.transfer_length = static_cast<std::uint32_t>(data.size());
  command.data = std::move(data);
  return command;
}

inline scsi::Command with_room(scsi::Command command, std::uint32_t bytes) {
  command.direction = scsi::Direction::from_device;
  command.transfer_length = bytes;
  return command;
}

// What such blocks hold before they are written.
inline std::vector<std::uint8_t> unwritten(std::uint64_t lbn, std::uint32_t blocks) {
  std::vector<std::uint8_t> bytes(blocks * 512u, 0);
  for (std::uint32_t i = 0; i < blocks; ++i) scsi::put_be(&bytes[i * 512u], 8, lbn + i);
  return bytes;
}

}  // namespace platter::virtual_drive::testing

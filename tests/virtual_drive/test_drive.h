// A small drive for these tests, with every kind of skipped slot, and commands spelled out in
// bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/small_drive.h"
#include "scsi/bytes.h"
#include "scsi/device.h"
#include "scsi/sense.h"
#include "virtual_drive/virtual_device.h"

namespace platter::virtual_drive::testing {

using engine::testing::small_cache;
using engine::testing::small_drive;
using engine::testing::value;

// The engine's small drive with a cache, an identity, one spare sector at the end of each cylinder
// of zone 0, three slipped defects, and one remapped block. Each cylinder of zone 0 has 80 slots.
inline model::DriveModel test_drive() {
  model::DriveModel drive = small_drive();
  drive.cache = small_cache();
  drive.identity.vendor = "ACME";
  drive.identity.product = "SMALL";
  drive.identity.revision = "1.0";
  drive.identity.serial = "S123";
  drive.identity.heads = 4;
  drive.identity.cylinders = 100;
  drive.overheads.address_translation = value(2.0);
  drive.layout.skips = {
      {.first_slot = 30, .length = 1, .count = 1, .stride = 0},     // a slip: cylinder 0, head 1
      {.first_slot = 79, .length = 1, .count = 5, .stride = 80},    // spares of cylinders 0-4
      {.first_slot = 405, .length = 2, .count = 1, .stride = 0},    // a slip of two: cylinder 5
      {.first_slot = 479, .length = 1, .count = 55, .stride = 80},  // spares of cylinders 5-59
  };
  drive.layout.remaps = {{.lbn = 200, .slot = 239}};  // into the spare sector of its cylinder, 2
  drive.firmware = model::Firmware{};
  drive.firmware->scsi_level = "SCSI-2";
  return drive;
}

inline scsi::Command command(std::initializer_list<std::uint8_t> cdb, std::uint32_t transfer = 0) {
  scsi::Command built;
  std::size_t i = 0;
  for (const std::uint8_t byte : cdb) built.cdb[i++] = byte;
  built.cdb_length = static_cast<std::uint8_t>(cdb.size());
  built.transfer_length = transfer;
  built.direction = transfer > 0 ? scsi::Direction::from_device : scsi::Direction::none;
  return built;
}

inline scsi::Command command_with(std::initializer_list<std::uint8_t> cdb,
                                  std::vector<std::uint8_t> data) {
  scsi::Command built = command(cdb);
  built.direction = scsi::Direction::to_device;
  built.transfer_length = static_cast<std::uint32_t>(data.size());
  built.data = std::move(data);
  return built;
}

inline scsi::Command read_10(std::uint32_t lbn, std::uint16_t blocks, bool fua = false) {
  scsi::Command built = command({0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0}, blocks * 512u);
  if (fua) built.cdb[1] = 0x08;
  scsi::put_be(&built.cdb[2], 4, lbn);
  scsi::put_be(&built.cdb[7], 2, blocks);
  return built;
}

inline scsi::Command write_10(std::uint32_t lbn, std::vector<std::uint8_t> data) {
  const auto blocks = static_cast<std::uint16_t>(data.size() / 512);
  scsi::Command built = command_with({0x2a, 0, 0, 0, 0, 0, 0, 0, 0, 0}, std::move(data));
  scsi::put_be(&built.cdb[2], 4, lbn);
  scsi::put_be(&built.cdb[7], 2, blocks);
  return built;
}

inline scsi::Completion run(scsi::Device& device, const scsi::Command& what) {
  auto done = device.execute(what);
  return done.value();
}

// Sense as key << 16 | asc << 8 | ascq, e.g. 0x52400; 0 for GOOD.
inline std::uint32_t sense_of(const scsi::Completion& done) {
  if (done.status == scsi::Status::good) return 0;
  const auto sense = scsi::decode_sense(done.sense);
  if (!sense) return 0xffffffff;
  return static_cast<std::uint32_t>(sense->key) << 16 |
         static_cast<std::uint32_t>(sense->asc) << 8 | sense->ascq;
}

// The sense of that command.
inline std::uint32_t sense_for(scsi::Device& device, const scsi::Command& what) {
  return sense_of(run(device, what));
}

}  // namespace platter::virtual_drive::testing

// Small drives in memory for a host of the tests.
#pragma once

#include <memory>
#include <vector>

#include "emulator/contents/contents_file.h"
#include "emulator/scsi/scsi_drive.h"
#include "virtual_drive/newer_drive.h"

namespace platter::emulator::testing {

struct SmallDrives {
  explicit SmallDrives(unsigned count) {
    model::DriveModel model = virtual_drive::testing::spc4_drive();
    model.identity.blocks = virtual_drive::Target(model).layout().blocks();
    blocks = model.identity.blocks;
    for (unsigned i = 0; i < count; ++i) {
      model.identity.serial = "S" + std::to_string(i);
      contents.push_back(std::make_unique<ContentsFile>(blocks * 512));
      drives.push_back(std::make_unique<ScsiDrive>(
          ScsiDriveSettings{"drive" + std::to_string(i), model, "digest"}, i, *contents.back(),
          nullptr));
    }
  }
  std::uint64_t blocks = 0;
  std::vector<std::unique_ptr<ContentsFile>> contents;
  std::vector<std::unique_ptr<ScsiDrive>> drives;
};

}  // namespace platter::emulator::testing

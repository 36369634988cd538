// A run on a plain disk, where the measuring of anything else begins: the rotation is measured, the
// map is told.
#pragma once

#include "engine/layout_map.h"
#include "mtbrc/rotation.h"
#include "plain_disk.h"
#include "scsi/drive.h"

namespace plain {

struct Run {
  Run(Disk& disk, std::uint64_t seed, const platter::mtbrc::RotationOptions& options = {})
      : drive(disk, "plain disk"), context(drive, seed), map(disk.layout(true)) {
    drive.identify();
    platter::mtbrc::measure_rotation(context, 0, options);
    context.map = &map;
  }
  Run(const Run&) = delete;

  platter::scsi::Drive drive;
  platter::mtbrc::Context context;
  const platter::engine::LayoutMap map;
};

}  // namespace plain

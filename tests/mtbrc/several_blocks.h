// Reads of several blocks on virtual drives with default imperfections, whose watermark and bus are
// set to any value.
#pragma once

#include <string>

#include "estimate/samples.h"
#include "mtbrc/watermark.h"
#include "scsi/guard.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

namespace platter::mtbrc::testing {

inline model::Parameter number(double value) {
  model::Parameter parameter;
  parameter.value = value;
  return parameter;
}

// Sectors of this HP pass in 0.116 to 0.198 ms.
inline model::DriveModel hp(double watermark, double block_ms, std::uint64_t seed,
                            double by_request = 1) {
  model::DriveModel drive =
      virtual_drive::virtual_model("virtual:hp-c2247?seed=" + std::to_string(seed));
  drive.bus.high_read_watermark = number(watermark);
  drive.bus.watermark_by_request_size = number(by_request);
  drive.bus.block_transfer = number(block_ms);
  return drive;
}

// What measure_watermark() leaves, caches off.
struct SeveralBlocksRead {
  SeveralBlocksRead(const model::DriveModel& drive, std::uint64_t seed)
      : rotation(drive.rotation), map(drive.layout) {
    virtual_drive::VirtualDevice device(drive, "a drive");
    scsi::Guard guard(device, {});
    scsi::Drive scsi(guard, "a drive");
    scsi.identify();
    scsi.settings().set_cache(false, true, true);
    Context context(scsi, seed);
    context.rotation = rotation;
    context.map = &map;
    measure_watermark(context);
    samples = std::move(context.samples);
  }
  model::Rotation rotation;
  engine::LayoutMap map;
  estimate::Samples samples;
};

}  // namespace platter::mtbrc::testing

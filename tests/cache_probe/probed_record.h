// What the cache tests bring home from a virtual drive, layout and rotation being known.
#pragma once

#include <string>
#include <vector>

#include "cache_probe/cache_probe.h"
#include "engine/layout_map.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/target.h"

namespace platter::cache_probe::testing {

inline Record record_of(const model::DriveModel& truth, const std::string& name) {
  virtual_drive::VirtualDevice device(truth, name);
  const std::vector<LbnRange> writable = {{0, truth.identity.blocks / 2}};
  scsi::Guard guard(device, scsi::Permission{true, writable});
  scsi::Drive drive(guard, name);
  drive.identify();
  mtbrc::Context context(drive, 3);
  const engine::LayoutMap map(truth.layout);
  context.map = &map;
  context.rotation = truth.rotation;
  return probe_cache(context, {.writable = writable, .freedoms = false}).record;
}

}  // namespace platter::cache_probe::testing

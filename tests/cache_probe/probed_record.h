// What the cache tests bring home from a virtual drive, layout and rotation being known.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cache_probe/cache_probe.h"
#include "engine/layout_map.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/virtual_device.h"

namespace platter::cache_probe::testing {

inline constexpr std::uint64_t kProbes = 9;

// `parts` of the last test, with other commands between.
inline Record record_of(const model::DriveModel& truth, const std::string& name, int parts = 1) {
  virtual_drive::VirtualDevice device(truth, name);
  const std::vector<LbnRange> writable = {{0, truth.identity.blocks / 2}};
  scsi::Guard guard(device, scsi::Permission{true, writable});
  scsi::Drive drive(guard, name);
  drive.identify();
  // Each of a drive's seeds has probes of its own, too.
  const std::uint64_t seed = truth.imperfections ? truth.imperfections->seed : 0;
  mtbrc::Context context(drive, kProbes + seed);
  const engine::LayoutMap map(truth.layout);
  context.map = &map;
  context.rotation = truth.rotation;
  Record record;
  Findings found = probe_cache(context, record, {.writable = writable, .page_fields = false});
  for (int part = 1; part < parts; ++part) {
    for (std::uint64_t i = 1; i <= 20; ++i) drive.read(truth.identity.blocks / 21 * i, 4);
    exercise_further(context, *found.ground, record);
  }
  return record;
}

}  // namespace platter::cache_probe::testing

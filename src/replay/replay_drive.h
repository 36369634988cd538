// A trace on a drive: requests issued at absolute deadlines on the device's own clock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/replay_model.h"
#include "replay/result.h"
#include "replay/schedule.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "trace/trace.h"

namespace platter::replay {

struct DriveReplay {
  Caches caches = Caches::as_they_are;
  std::uint32_t depth = 1;             // most commands outstanding
  std::uint32_t reference_reads = 16;  // before the trace, as on a model
  // The safety journal: once before anything is changed, for the settings as they are; then every
  // physical block that will be written to, with what it holds, before the timed run.
  std::function<void(const model::Identity& identity, scsi::Drive& drive)> before_changes{};
  std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes)> before_writes{};
  std::function<void(std::size_t done, std::size_t total)> progress{};
  // Requests that come short are counted and named (CameShort); else the first one is an error.
  bool names_short_requests = false;
};

// Who the drive is; nothing but that is asked.
model::Identity identity_of(scsi::Device& device);

// The longest request that the drive and the host's path take, in blocks.
std::uint32_t most_blocks_of(scsi::Device& device);

// Requests are issued as play() (schedule.h) says, at absolute deadlines. A drive that takes fewer
// at once than `depth`, by what its path allows or by its TASK SET FULL, gets as many as it takes;
// the result says so (asked_depth). Writes rewrite what the sectors hold, which is read before the
// timed run. The first write that fails ends the replay; those that are under way then are waited
// for. Cache settings are brought back at the end. Throws Error(bad_input) for a request past the
// drive's end, or longer than the drive or the host's path takes in one command, Error(refused) for
// a write outside the permission, Error(unsupported) where the drive cannot do what is asked,
// Error(drive_error) for a request that the drive fails, or DriveError, came_short(), for one that
// comes short.
Result replay_on_drive(scsi::Device& device, const scsi::Permission& permission,
                       const trace::Trace& trace, const DriveReplay& options = {});

}  // namespace platter::replay

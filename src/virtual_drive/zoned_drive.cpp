#include <algorithm>
#include <bit>
#include <string>

#include "model/zones.h"
#include "virtual_drive/shingled_drive.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint64_t kZoneBytes = 256 << 20, kFewestZones = 64;
constexpr double kFull = 0.85;  // of the sequential zones, then four closed ones
constexpr std::uint64_t kClosed = 4;
constexpr std::uint32_t kMostOpen = 128;

}  // namespace

// As drives of today have them: zones of 256 MiB (of a small drive smaller), the first 1 % of them
// conventional.
bool make_zoned(model::DriveModel& model, std::string_view kind) {
  const bool aware = kind == "host-aware";
  if (!aware && kind != "host-managed" && kind != "restricted" && kind != "empty") return false;
  model::Identity& drive = model.identity;
  const std::uint64_t zone = std::bit_floor(std::max<std::uint64_t>(
      1, std::min(kZoneBytes / drive.block_bytes, drive.blocks / kFewestZones)));
  const std::uint64_t zones = (drive.blocks + zone - 1) / zone;
  const std::uint64_t conventional = std::max<std::uint64_t>(1, zones / 100);
  const auto full = kind == "empty" ? 0
                                    : static_cast<std::uint64_t>(
                                          kFull * static_cast<double>(zones - conventional));
  drive.zone_runs.clear();
  for (std::uint64_t i = 0; i < zones; ++i) {
    model::ZoneRun run;
    run.first_lbn = i * zone;
    run.blocks = std::min(zone, drive.blocks - i * zone);
    const std::uint64_t place = i - conventional;
    run.type = i < conventional ? "conventional"
               : aware          ? "sequential-preferred"
                                : "sequential-required";
    run.condition = i < conventional                     ? "not-write-pointer"
                    : place < full                       ? "full"
                    : full > 0 && place < full + kClosed ? "closed"
                                                         : "empty";
    if (run.condition == "closed") run.written = run.blocks / 16 * (3 * (place - full) + 1);
    model::append_zone(drive.zone_runs, run);
  }
  if (!model.firmware) model.firmware.emplace();
  std::string& level = model.firmware->scsi_level;
  if (level.starts_with("SCSI") || level == "SPC" || level == "SPC-2") level = "SPC-3";
  drive.zones = aware ? "host-aware" : "host-managed";
  if (!aware) drive.most_open_zones = kMostOpen;
  drive.reads_past_pointers = kind != "restricted";
  return true;
}

}  // namespace platter::virtual_drive

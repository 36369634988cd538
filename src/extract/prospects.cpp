#include "extract/prospects.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "extract/time_plan.h"
#include "mtbrc/context.h"
#include "mtbrc/probe.h"
#include "scsi/replies.h"

namespace platter::extract {
namespace {

// One that can be read, and has a place on the media as far as the drive says.
std::optional<std::uint64_t> readable_block(scsi::Drive& drive) {
  constexpr std::uint64_t kTries = 16;
  const auto unmapped = drive.unmapped().value_or(std::vector<LbnRange>());
  for (std::uint64_t i = 0; i < kTries; ++i) {
    const std::uint64_t lbn = (drive.blocks() / 2 + i * (drive.blocks() / kTries)) % drive.blocks();
    if (std::ranges::any_of(unmapped, [&](const LbnRange& r) { return r.meets({lbn, lbn}); }))
      continue;
    try {
      drive.read(lbn);
      return lbn;
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere() && !error.refused()) throw;
    }
  }
  return std::nullopt;
}

}  // namespace

NominalSpeed nominal_speed(scsi::Drive& drive) {
  if (const auto said = drive.stated_rotation(); said && said->rpm != scsi::kDoesNotRotate)
    return {static_cast<double>(said->rpm), said->by};
  if (const auto page = drive.settings().mode_page(0x04, scsi::PageControl::current))
    if (const auto said = scsi::decode_geometry_page(*page); said && said->rpm > 0)
      return {static_cast<double>(said->rpm), "mode page 04h"};
  return {};
}

ExpectedTime expected_time(scsi::Drive& drive) {
  const NominalSpeed speed = nominal_speed(drive);
  TimePlan plan(speed.rpm, std::nullopt);
  plan.expect_no_writes();
  const bool translates = drive.addresses().translates();
  const double bytes = static_cast<double>(drive.blocks()) * drive.block_bytes();
  if (!translates) plan.expect_map_by_timing(bytes);
  return {plan.expected_s(),
          fmt::format("{}, {} and a quiet host, by what such drives took",
                      speed.rpm > 0 ? fmt::format("{:.0f} rpm ({})", speed.rpm, speed.said_by)
                                    : std::string("7200 rpm (the drive states none)"),
                      translates ? std::string("a map by address translation")
                                 : fmt::format("a map by timing of {:.0f} GB", bytes / 1e9))};
}

scsi::ReadsReach reads_reach(scsi::Drive& drive) {
  const auto lbn = readable_block(drive);
  if (!lbn) return scsi::ReadsReach::not_tried;
  mtbrc::Context context(drive);
  const mtbrc::WayToMedia way = mtbrc::find_way_to_media(context, *lbn);
  if (way.reads_once) return scsi::ReadsReach::nothing;
  switch (way.probe) {
    case mtbrc::Probe::read:
      return scsi::ReadsReach::as_they_are;
    case mtbrc::Probe::forced_read:
      return scsi::ReadsReach::with_fua;
    case mtbrc::Probe::verify:
      return scsi::ReadsReach::by_verify;
  }
  return scsi::ReadsReach::not_tried;
}

}  // namespace platter::extract

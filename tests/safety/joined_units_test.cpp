// What was written to two logical units that are named together is put back on both.

#include "scsi/joined_units.h"

#include "catch.h"
#include "safety/restore.h"
#include "virtual_drive/split_units.h"
#include "written_drive.h"

namespace platter::safety {
namespace {

using platter::testing::DamagedDrive;
using platter::testing::drive_of;

std::vector<std::uint8_t> held_by(scsi::Device& device, std::uint64_t lbn, std::uint32_t blocks) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "units");
  drive.identify();
  return drive.contents(lbn, blocks, true);
}

}  // namespace

TEST_CASE("blocks of a pair of units are put back, those across the boundary too") {
  model::DriveModel model = drive_of();
  model.firmware->scsi_level = "SPC-4";
  const virtual_drive::SplitUnits units(model, "units");
  scsi::JoinedUnits joined(units.unit(0, "first"), units.unit(1, "second"));
  const std::uint64_t boundary = joined.unit_blocks()[0];
  JournalContents journal;
  journal.blocks = BlockContents(512);
  DamagedDrive damaged(joined);
  std::vector<std::uint64_t> torn;
  {
    scsi::Guard guard(joined, {});
    scsi::Drive drive(guard, "units");
    journal.identity = drive.identify();
    for (const std::uint64_t lbn : {std::uint64_t{1000}, boundary - 2, boundary + 5000}) {
      journal.blocks.add(lbn, drive.contents(lbn, 4));
      for (std::uint64_t i = 1; i < 3; ++i) torn.push_back(lbn + i);
    }
  }
  damaged.unreadable.insert(torn.begin(), torn.end());
  const Restored done = restore(damaged, journal, {.is_the_drive = true});
  CHECK(done.media.all_well());
  CHECK(damaged.unreadable.empty());
  CHECK(std::ranges::any_of(damaged.writes, [&](const auto& w) { return w.first < boundary; }));
  CHECK(std::ranges::any_of(damaged.writes, [&](const auto& w) { return w.first >= boundary; }));
  for (const LbnRange& range : journal.blocks.runs())
    CHECK(held_by(joined, range.first, static_cast<std::uint32_t>(range.last - range.first + 1)) ==
          journal.blocks.of(range));
}

}  // namespace platter::safety

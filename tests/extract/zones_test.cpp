// Drives with zones that are written in order: what lies above the write pointers is not accessed,
// nothing is written to such zones, and the model tells of them.
#include "model/zones.h"

#include "catch.h"
#include "extract/runs.h"
#include "extract/watched.h"
#include "model/error.h"
#include "model/validate.h"
#include "scsi/commands.h"
#include "scsi/inspection.h"
#include "virtual_drive/shingled_drive.h"

namespace platter::extract {
namespace {

model::DriveModel zoned_c2247(const char* kind) {
  model::DriveModel drive = drive_named("hp-c2247");
  drive.imperfections = virtual_drive::default_imperfections(5);
  drive.firmware->scsi_level = "SPC-3";
  REQUIRE(virtual_drive::make_zoned(drive, kind));
  return drive;
}

Error how_it_fails(scsi::Device& device, const Options& options) {
  try {
    characterize(device, options);
  } catch (const Error& error) {
    return error;
  }
  FAIL("a model was made");
  return {ExitStatus::internal, ""};
}

}  // namespace

TEST_CASE("of a host-managed drive only what was written is read, and nothing is in order") {
  const bool writes = GENERATE(false, true);
  const model::DriveModel truth = zoned_c2247("restricted");
  Watched drive(truth, model::unwritten_in_zones(truth.identity));
  const Folder folder;
  Options options = options_in(folder);
  if (writes) options.writable = {{0, truth.identity.blocks / 2}};
  const Run run = characterize(drive, options);
  for (const auto& [opcode, times] : drive.reached)
    FAIL_CHECK("command " << int{opcode} << " went above write pointers " << times << " times");
  CHECK(drive.others[0x28] > 1000);
  CHECK((drive.others[0x2a] + drive.others[0x0a] > 0) == writes);
  CHECK(drive.broken_rules == 0);
  CHECK_FALSE(run.not_restored);
  CHECK(run.model.identity.zones == "host-managed");
  CHECK(run.model.identity.zone_runs == truth.identity.zone_runs);
  CHECK(run.model.identity.most_open_zones == 128u);
  CHECK(noted(run, "above the write pointers"));
  CHECK(noted(run, "conventional zones alone") == writes);
  CHECK_NOTHROW(model::validate(run.model, "the run's"));
  REQUIRE(run.model.head_switch);
  CHECK(*run.model.head_switch.value == Approx(*truth.head_switch.value).margin(0.1));
}

TEST_CASE("a drive of which too little is written has a status of its own, and no model") {
  virtual_drive::VirtualDevice drive(zoned_c2247("empty"));
  const Folder folder;
  const Error error = how_it_fails(drive, options_in(folder));
  CHECK(error.status() == ExitStatus::unwritten);
  CHECK_THAT(error.what(), Catch::Contains("write pointers"));
}

TEST_CASE("what may be written and lies in zones that are written in order alone is refused") {
  const model::DriveModel truth = zoned_c2247("host-managed");
  virtual_drive::VirtualDevice drive(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.writable = {{truth.identity.blocks / 2, truth.identity.blocks / 2 + 5000}};
  const Error error = how_it_fails(drive, options);
  CHECK(error.status() == ExitStatus::refused);
  CHECK_THAT(error.what(), Catch::Contains("conventional zones"));
}

TEST_CASE("inspection tells of zones, and reads nothing above their pointers") {
  const model::DriveModel truth = zoned_c2247("restricted");
  Watched device(truth, model::unwritten_in_zones(truth.identity));
  scsi::Guard guard(device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, "it");
  const scsi::Inspection found = scsi::inspect(drive, 5);
  CHECK(device.reached.empty());
  CHECK(found.identity.zone_runs == truth.identity.zone_runs);
  CHECK(found.may_be_read());
  CHECK(found.first_block.has_value());
  virtual_drive::VirtualDevice empty(zoned_c2247("empty"));
  scsi::Drive of_empty(empty, "it");
  CHECK_FALSE(scsi::inspect(of_empty, 5).may_be_read());
}

TEST_CASE("the guard lets no write through to zones that are written in order") {
  virtual_drive::VirtualDevice device(zoned_c2247("host-managed"));
  scsi::Guard guard(device, {.settings = false, .writes = {{0, 100'000}}});
  guard.keep_from_writes({{50'000, 60'000}});
  CHECK(guard.may_write(49'999, 1));
  CHECK_FALSE(guard.may_write(49'999, 2));
  CHECK(guard.execute(scsi::write_10(49'999, 1, std::vector<std::uint8_t>(512))));
  const auto refused = guard.execute(scsi::write_10(60'000, 1, std::vector<std::uint8_t>(512)));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == scsi::TransportError::Kind::refused);
  CHECK_THAT(refused.error().sentence, Catch::Contains("written in order"));
}

}  // namespace platter::extract

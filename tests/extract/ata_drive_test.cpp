// An ATA drive behind a SCSI / ATA translation that takes no change of mode page 08h: its caches
// and its power management are off during a run, and come back behind it, whatever ends it.
#include <filesystem>

#include "catch.h"
#include "extract/runs.h"
#include "safety/journal.h"
#include "safety/restore.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel ata_drive() {
  model::DriveModel model = drive_named("sat-disk");
  model.imperfections->seed = 5;
  return model;
}

scsi::AtaSettings settings_now(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  return drive.settings().ata().value();
}

}  // namespace

TEST_CASE("an ATA drive is characterized with its caches off by SET FEATURES, and put in order") {
  const Folder folder;
  const model::DriveModel model = ata_drive();
  virtual_drive::VirtualDevice device(model);
  const auto before = settings_now(device);
  REQUIRE(before.look_ahead == true);
  REQUIRE(before.power_level == 0x80);
  auto options = options_in(folder);
  int looked = 0;
  options.progress = [&](const std::string& stage, double, double) {
    if (stage != "seeks" || ++looked % 50 != 0) return;
    const auto now = settings_now(device);
    CHECK(now.look_ahead == false);
    CHECK(now.power_level == 0);
    CHECK(now.write_cache != true);
  };
  const Run run = characterize(device, options);
  CHECK(looked >= 50);
  CHECK(settings_now(device) == before);
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK(noted(run, "switched off by SET FEATURES"));
  CHECK(noted(run, "advanced power management) were stopped"));
  const double truth_ns = static_cast<double>(model.rotation.numerator_ns) /
                          static_cast<double>(model.rotation.denominator);
  CHECK(std::abs(run.model.rotation.period.value.value() / truth_ns - 1) < 2e-6);
  CHECK(run.model.layout.zones.size() == model.layout.zones.size());
  CHECK(run.model.seek.points.size() > 10);
  REQUIRE(run.model.validity.demerits.size() == 2);
  CHECK(run.model.validity.demerits.front().demerit_percent < 3);
  CHECK(run.model.validity.demerits.front().folded_phase_share > 0.9);
}

TEST_CASE("a run on an ATA drive that is broken off leaves its features as they were") {
  const Folder folder;
  virtual_drive::VirtualDevice device(ata_drive());
  const auto before = settings_now(device);
  auto options = options_in(folder);
  int asked = 0;
  options.interrupted = [&] { return ++asked > 500; };
  CHECK_THROWS_AS(characterize(device, options), Error);
  CHECK(settings_now(device) == before);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("the journal of a killed run brings the features of an ATA drive back") {
  const Folder folder;
  virtual_drive::VirtualDevice device(ata_drive());
  const auto before = settings_now(device);
  scsi::Guard guard(device, {});
  model::Identity identity;
  std::string path;
  {
    scsi::Drive drive(guard, "the drive");
    identity = drive.identify();
    const safety::Journal journal(folder.path.string(), "the drive", identity,
                                  safety::settings_of(drive));
    path = journal.path();
    REQUIRE(drive.settings().set_cache(false, true, true));
    REQUIRE(drive.settings().stop_power_management() == scsi::Stopped::stopped);
    drive.settings().keep();  // as a process that was killed
  }
  REQUIRE(settings_now(device) != before);
  const safety::JournalContents contents = safety::read_journal(path);
  REQUIRE(contents.settings.ata == before);
  CHECK(safety::restore(device, contents).settings);
  CHECK(settings_now(device) == before);
  CHECK(safety::restore(device, contents).settings);
}

}  // namespace platter::extract

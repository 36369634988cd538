// How long a drive takes to wake, measured and told; its timers are as they were behind the run.
#include "model/power.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel drive_that_rests(const char* how) {
  auto model = virtual_drive::virtual_model("virtual:cache-base?seed=5&power=" + std::string(how));
  model.firmware->scsi_level = "SPC-3";
  return model;
}

std::vector<std::uint8_t> power_page_of(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  return drive.settings().mode_page(0x1a, scsi::PageControl::current).value();
}

Run power_run(virtual_drive::VirtualDevice& device, bool power, KeptLines* keeper = nullptr) {
  const Folder folder;
  Options options = options_in(folder);
  options.power = power;
  options.map_by_time = MapByTime::none;
  options.keeper = keeper;
  return characterize(device, options);
}

bool is_told(const model::Parameter& wake) {
  return !wake.value && !wake.guesses.empty() && wake.guesses[0].witness == "VPD page 8Ah" &&
         !wake.guesses[0].probability && !wake.reason.empty();
}

}  // namespace

TEST_CASE("wake times are measured by timers of a second, which are put back") {
  const model::DriveModel truth = drive_that_rests("yes");
  virtual_drive::VirtualDevice device(truth);
  const auto before = power_page_of(device);
  KeptLines kept;
  const Run run = power_run(device, true, &kept);
  CHECK(power_page_of(device) == before);
  REQUIRE(run.model.power);
  for (const auto& [name, wake] : model::kPowerConditions) {
    CAPTURE(name);
    const model::Parameter& found = *run.model.power.*wake;
    const model::Parameter& is = *truth.power.*wake;
    REQUIRE(found.value.has_value() == is.value.has_value());
    if (!is.value) continue;
    CHECK(std::abs(*found.value - *is.value) < 0.05 * *is.value);
    CHECK(std::abs(*found.value - *is.value) < 4 * *found.error);
    CHECK(found.samples >= 3);
    CHECK(found.samples <= 5);
  }
  CHECK(run.model.identity.power_timers == truth.identity.power_timers);
  CHECK(run.model.provenance.stages.back().name == "power conditions");
  CHECK(run.model.provenance.stages.back().drive_seconds < 150);
  // The file of samples says the same.
  const KeptRecord read = read_lines(kept.whole(run));
  CHECK(read.record.facts.power_asked);
  const model::DriveModel again = estimate(read.record);
  CHECK(again.power->standby_z.value == run.model.power->standby_z.value);
  CHECK(again.provenance.missing.empty() == run.model.provenance.missing.empty());
}

TEST_CASE("where the page cannot be changed, and where nobody asked, the drive's word stands") {
  for (const bool asked : {true, false}) {
    CAPTURE(asked);
    virtual_drive::VirtualDevice device(drive_that_rests(asked ? "fixed" : "yes"));
    const auto began_ns = device.clock().now_ns();
    const Run run = power_run(device, asked);
    REQUIRE(run.model.power);
    const model::DriveModel truth = drive_that_rests("fixed");
    for (const auto& [name, wake] : model::kPowerConditions) {
      CAPTURE(name);
      if (!((*truth.power).*wake).value) continue;
      REQUIRE(is_told((*run.model.power).*wake));
      CHECK(((*run.model.power).*wake).guesses[0].value ==
            std::ceil(*((*truth.power).*wake).value * truth.firmware->told_wake_share));
    }
    CHECK(noted(run, "its timer cannot be changed (mode page 1Ah)") == asked);
    CHECK(device.clock().now_ns() - began_ns < 100 * kSecond);
    const auto& stages = run.model.provenance.stages;
    CHECK(std::ranges::any_of(stages, [](const model::StageTime& stage) {
            return stage.name == "power conditions";
          }) == asked);
  }
}

TEST_CASE("a drive without power conditions says so to whom asks, and no model speaks of them") {
  virtual_drive::VirtualDevice device(virtual_drive::virtual_model("virtual:cache-base?seed=5"));
  const Run asked = power_run(device, true);
  CHECK_FALSE(asked.model.power);
  CHECK(noted(asked, "the times that the drive takes to wake up were not measured"));
}

}  // namespace platter::extract

// A drive without any noise: every time is exact, and no error may be taken for 0.

#include "catch.h"
#include "extract/runs.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

TEST_CASE("a drive that does all the same each time is characterized") {
  model::DriveModel truth = drive_named("cache-base");
  truth.imperfections.reset();
  virtual_drive::VirtualDevice device(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.writable = {{0, 100'000}};
  const Run run = characterize(device, options);
  REQUIRE(run.model.head_switch);
  CHECK(*run.model.head_switch.value == Approx(*truth.head_switch.value).margin(1e-4));
  REQUIRE(run.model.write_settle);
  CHECK(*run.model.write_settle.value == Approx(*truth.write_settle.value).margin(0.02));
  CHECK_FALSE(run.model.outward_seek);
  REQUIRE(run.model.validity.demerits.size() == 2);
  CHECK(run.model.validity.demerits[0].demerit_percent < 0.1);
  CHECK(run.model.validity.demerits[1].demerit_percent < 2);  // some writes a revolution later
}

}  // namespace
}  // namespace platter::extract

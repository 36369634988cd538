// Whatever figure a run has no value for, its model says why.
#include "extract/without_experiment.h"

#include "catch.h"
#include "extract/runs.h"
#include "model/parameters.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::extract;

TEST_CASE("every figure that is absent has a reason") {
  const auto [name, writes, translates] =
      GENERATE(table<const char*, bool, bool>({{"cache-base", false, true},
                                               {"quantum-atlas10k", true, true},
                                               {"hp-c2247", true, true},
                                               {"cache-fifo", false, false}}));
  CAPTURE(name, writes, translates);
  model::DriveModel truth = drive_named(name);
  if (!truth.firmware) truth.firmware.emplace();
  if (!translates) truth.firmware->address_translation = false;
  virtual_drive::VirtualDevice device(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  if (writes) options.writable = {{0, truth.identity.blocks - 1}};
  const model::DriveModel model = characterize(device, options).model;
  for (const model::NamedParameter& named : model::parameters_of(model)) {
    CAPTURE(named.path);
    CHECK((named.parameter || !named.parameter.reason.empty()));
  }
  if (!writes)
    CHECK_THAT(model.overheads.minimum_seek_delay.reason,
               Catch::Contains(translates ? "no writes were timed" : "layout is not known"));
}

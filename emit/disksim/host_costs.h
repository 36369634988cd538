// What stands between the host and the drive in a DiskSim topology (bus, controller, driver) as the
// constant costs that it adds to each request.
#pragma once

#include "emit/disksim/libparam.h"
#include "emit/disksim/no_place.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// Adds to the overheads and the bus of `model` what the way to `disk` costs, where the file has a
// topology. As measured with DiskSim (docs/disksim.md): the drive's bus is arbitrated for once with
// the command and once at each reselection; a controller of type 1 delays one message in front of
// the media and three behind them; a block takes as long as the slower of drive and bus needs. What
// has no effect in DiskSim, or cannot be taken over, is noted.
void include_host_costs(const ParameterFile& file, const Block& disk, model::DriveModel& model,
                        Notes& notes);

}  // namespace platter::emit_disksim

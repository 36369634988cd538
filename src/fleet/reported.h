// What stands out, for the HTML report of several drives: the same as platter fleet tells.
#pragma once

#include <span>

#include "fleet/drive.h"
#include "report/fleet_found.h"

namespace platter::fleet {

// By the numbers of these drives. Throws Error(interrupted) if asked to stop.
report::FleetFound found_among(std::span<const Drive> drives);

}  // namespace platter::fleet

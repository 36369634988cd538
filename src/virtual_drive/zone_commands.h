// ZBC IN and ZBC OUT (ZBC-2, clause 5): what hosts ask of zones, and do to them.
#pragma once

#include "scsi/device.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/zone_list.h"

namespace platter::virtual_drive {

// Of a drive that has zones.
Reply report_zones(const ZoneList& zones, const scsi::Command& command);
// CLOSE, FINISH, OPEN, RESET WRITE POINTER: the service action tells.
Reply act_on_zones(ZoneList& zones, const scsi::Command& command);

}  // namespace platter::virtual_drive

// What sequential reads without a pause tell of how a drive looks into its cache. Pure.
#pragma once

#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::cache_check {

// Where no other test told whether a block counts as held that is just being read: the drive's
// reads keep up with the media, and the model's only if it does; or neither do, but if it did.
void look_by_reads_without_pause(const cache_probe::Record& record, model::DriveModel& model);

}  // namespace platter::cache_check

// Reads in a row, each sent as soon as the one before is complete: now and then one comes before
// the drive has read on, and costs a revolution. How many do hangs on the delay in front of the
// cache (overheads.per_request), by a factor for each us or so, and so sharpens it.
#pragma once

#include "model/drive_model.h"
#include "mtbrc/context.h"
#include "replay/result.h"

namespace platter::extract {

// Whether the model, its requests delayed as its delay_spread says, loses clearly more reads with
// one delay in front of the cache than with another that its error allows.
bool hang_on_lookup(const model::DriveModel& model);

// 64 reads of 64 KiB from each of eight places. Caches as the drive has them.
replay::Result reads_in_a_row(mtbrc::Context& context, const model::DriveModel& model);

// What was told of the delay, times how likely the model loses as many reads with each (Poisson,
// some 0.2 % besides). Commands take as long as before in all. A number that no such delay explains
// changes nothing. Pure.
void sharpen_lookup(const replay::Result& drive, model::DriveModel& model);

}  // namespace platter::extract

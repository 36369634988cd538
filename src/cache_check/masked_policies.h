// Policies of the cache that other properties of the same drive mask, so that no test can measure
// them. Pure.
#pragma once

#include "model/drive_model.h"

namespace platter::cache_check {

// Says where cache.stop_read_ahead_in_sector changes nothing: the arm waits for the end of the
// sector only while the next command is being decoded. Overheads and layout as measured; a value
// that is there stays.
void explain_masked(model::DriveModel& model);

}  // namespace platter::cache_check

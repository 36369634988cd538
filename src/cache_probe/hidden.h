// Policies of the cache that other properties of the same drive hide, so that no test can tell
// them. Pure.
#pragma once

#include "model/drive_model.h"

namespace platter::cache_probe {

// Says where cache.stop_read_ahead_in_sector changes nothing: the arm waits for the end of the
// sector only while the next command is being decoded. Overheads and layout as measured; what is
// told stays.
void tell_hidden(model::DriveModel& model);

}  // namespace platter::cache_probe

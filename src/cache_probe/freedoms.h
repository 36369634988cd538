// The degrees of freedom of the Caching mode page (SBC-3, clause 6.4.5): which of its fields the
// drive says can be changed, and whether changing each changes what the drive does. Each is set
// (MODE SELECT, not saved), probed by an effect that it must have, and put back.
#pragma once

#include <vector>

#include "cache_probe/prober.h"
#include "model/drive_model.h"

namespace platter::cache_probe {

// What the tests before found is in the prober's record, and `found` of it. Empty: the drive has no
// such page. Throws Error(drive_error) if the drive does not take its own settings back.
std::vector<model::CacheFreedom> probe_freedoms(Prober& prober, const model::Cache& found,
                                                const std::vector<LbnRange>& writable);

}  // namespace platter::cache_probe

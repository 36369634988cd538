// What the probes say of the cache: a pure function from a Record to model parameters, each with
// its error, its method, or the reason why there is none.
#pragma once

#include "cache_probe/record.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::cache_probe {

struct Estimate {
  model::Cache cache;
  model::Notes notes;  // for a reader: adaptive behaviour, mode page 08h that disagrees
};

// Parameters as DiskSim 4.0 defines them (its manual, "Disk block caches"). Blocks are logical
// blocks.
Estimate estimate_cache(const Record& record);

}  // namespace platter::cache_probe

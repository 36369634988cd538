// The stages with the caches as the drive has them: the hits, the cache's tests, and the requests
// in random order that show what of the cache the model does not explain.
#pragma once

#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::extract {

struct Rig;
struct Seen;
struct Findings;

void measure_hit_overheads(Rig& rig);
void probe_cache(Rig& rig);
void estimate_cache(const Seen& seen, Findings& found);
// Overheads and what the model explains of the cache.
void conclude_cache(const Seen& seen, Findings& found);
// Of a model without a delay in front of the cache's lookup: why, and what holds it. `answered`:
// what was asked about it was held against what the model answers.
void say_what_holds_the_lookup(const cache_probe::Record& record, bool answered,
                               model::DriveModel& model);

void read_in_a_row(Rig& rig);
void sharpen_by_reads_in_a_row(const Seen& seen, Findings& found);
void exercise_cache_further(Rig& rig);
void check_cache_anew(const Seen& seen, Findings& found);

}  // namespace platter::extract

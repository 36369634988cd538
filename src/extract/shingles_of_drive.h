// Drives with shingled tracks: by what they say, or by blocks that are rewritten in place; what the
// options ask for is measured of them; all comes home behind it.
#pragma once

#include "model/drive_model.h"

namespace platter::extract {

struct Rig;
struct Seen;
struct Findings;

// Facts::shingling, where the drive is one. Caches off; the context has a map, if only of
// distances.
void find_shingles(Rig& rig);
// Where Options::shingles asks for it: cleaning and bands, or the media cache, too.
void measure_shingles(Rig& rig);
void take_shingles(const Seen& seen, Findings& found);
// Before that is done: that it is one, of which nothing acts yet.
void take_that_it_is_shingled(const Seen& seen, Findings& found);
// Once the model has its date: as of then its validity holds, where blocks move.
void say_as_of_when(model::DriveModel& model);

}  // namespace platter::extract

// How much of what a cache did the model explains. Pure.
#pragma once

#include <string>
#include <vector>

#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::cache_probe {

struct Explained {
  model::Parameter unexplained_share;
  std::vector<std::string> notes;  // what the model does not explain, by kinds of requests
  bool open = false;               // there may be something all the same: more requests would tell
};

// The engine answers the record's exercise from the model, at the times at which the drive got it.
// An answer of the drive is contradicted where it comes as fast as a hit and the model has to go to
// the media, or the other way round; requests that the model answers neither fast nor slow tell
// nothing, nor do those that turn out otherwise by chance. What noise makes of that is taken off:
// it is known from probes whose answer is beyond doubt, and from answers of the model whose times
// and choices are others.
Explained explain(const Record& record, const model::DriveModel& model);

// A block's time of delay in front of the cache looks like blocks that count as held while they are
// being read. Where the pairs asked for that leave both open (lookup.h): the likelier by these and
// the exercise together, and the delay that goes with it. A delay alone must be ten times likelier;
// that blocks count as held, ten times likelier by each half of the exercise than neither.
void settle_lookup(const Record& record, model::DriveModel& model);

// Values for policies of the cache that no other test told: of those that make both halves of the
// exercise's answers much likelier, the best. What makes little difference stays as it is.
void fill_gaps(const Record& record, model::DriveModel& model);

}  // namespace platter::cache_probe

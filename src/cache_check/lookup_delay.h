// How long after it was sent a command finds what is in the cache, and whether a block that is
// being read counts as held, from pairs of reads (cache_probe/lookup.h). Pure.
#pragma once

#include <random>
#include <vector>

#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::cache_check {

using cache_probe::Record;

// The engine asks the model the same pairs, with commands of which more or less passes before the
// cache is looked into: overheads.per_request, which the overheads of hits and misses then lack.
// Where blocks that are just being read must count as held (cache.almost_read_hits) to explain the
// answers, or must not, that is set, too. What the answers do not show stays as it is.
void estimate_lookup_delay(const Record& record, model::DriveModel& model);

// Whether enough pairs were asked for that: else nothing is known of the delay, not even that there
// is none.
bool asked_about_lookup(const Record& record);

// Where nobody asked: the delay is in the overheads of hits and misses, whose errors then hold one
// as long as any that is tried, all alike likely.
void hold_untold_delay(model::Overheads& overheads);

// The model with a cache that is looked into so much later; commands take as long as before in all.
model::DriveModel with_later_lookup(model::DriveModel model, double by_ms);

// Another delay and error in place of the estimate, also within the errors of the commands.
void correct_lookup_delay(model::Overheads& overheads, double by_ms, double error_ms);

// The model with another delay that the estimate allows: off by its error; any, where there is no
// estimate. Commands take as long as before in all.
model::DriveModel with_other_delay(const model::DriveModel& model, std::mt19937_64& random);

// Where estimate_lookup_delay() left it open: the logarithm of the likelihood of the pairs if
// blocks that are being read do not count as held, and if they do; and the model with either and
// with the delay that goes with it, if one is proven. Else empty.
struct HeldOrNot {
  double log_likelihood = 0;
  model::DriveModel model;
};
std::vector<HeldOrNot> held_or_not(const Record& record, const model::DriveModel& model);

// By the same answers: how likely a block that is being read is none of the cache, so that what
// looks as if it were is a delay of about a block's time. 0 where nothing was asked.
double chance_of_delay_instead(const Record& record, const model::DriveModel& model);

}  // namespace platter::cache_check

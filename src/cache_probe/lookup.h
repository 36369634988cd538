// When a drive looks into its cache. A command that carries on in the track which is being read
// ahead costs a block's time if the drive finds its block there, and a revolution if it does not: a
// few us decide that, which no response time shows. So blocks are asked for just before and just
// after they have passed under the heads.
#pragma once

#include <random>
#include <vector>

#include "cache_probe/prober.h"
#include "model/drive_model.h"

namespace platter::cache_probe {

// Pairs of reads: one elsewhere (x = 0), and one a few blocks behind it (x = 1).
void test_lookup(Prober& prober);

// The engine asks the model the same, with commands of which more or less passes before the cache
// is looked into: overheads.per_request, which the overheads of hits and misses then lack. Where
// blocks that are just being read must count as held (cache.almost_read_hits) to explain the
// answers, or must not, that is told, too. What the answers do not show stays as it is. Pure.
void tell_lookup(const Record& record, model::DriveModel& model);

// The model with a cache that is looked into so much later; commands take as long as before in all.
model::DriveModel with_later_lookup(model::DriveModel model, double by_ms);

// Another delay and error in place of what was told, also within the errors of the commands.
void correct_lookup(model::Overheads& overheads, double by_ms, double error_ms);

// The model with another delay that what was told allows: off by its error; any, where none was
// told. Commands take as long as before in all.
model::DriveModel with_other_delay(const model::DriveModel& model, std::mt19937_64& random);

// Where tell_lookup() left that open: the logarithm of the likelihood of those pairs if such blocks
// do not count as held, and if they do; and the model with either and with the delay that it goes
// with, if one is told. Else empty.
struct HeldOrNot {
  double log_likelihood = 0;
  model::DriveModel model;
};
std::vector<HeldOrNot> held_or_not(const Record& record, const model::DriveModel& model);

// By the same answers: how likely a block that is just being read is none of the cache, so that
// what looks as if it were is a delay of about a block's time. 0 where nothing was asked.
double chance_of_delay_instead(const Record& record, const model::DriveModel& model);

}  // namespace platter::cache_probe

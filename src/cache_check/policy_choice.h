// Policies of the cache that no single test measures: those under which the model's answers to the
// exercise are by far the likeliest. With check.h the only writer of a policy after cache_probe.
// Pure.
#pragma once

#include "cache_check/model_answers.h"

namespace platter::cache_check {

// A block's time of delay before the cache looks like blocks that count as held while they are
// being read. Where the pairs of reads leave both open (lookup_delay.h): the likelier by these and
// the exercise together, and the delay that goes with it. A delay alone must be ten times likelier;
// that blocks count as held, ten times likelier by each half of the exercise than neither.
void choose_lookup(const Record& record, model::DriveModel& model);

// Values for policies that the tests left open. Of those that make each half of the answers 100
// times likelier (ten times for almost_read_hits, which no other test asks for) the best, then the
// next one, until none does. The order of destage by the times of writes without pause. What makes
// little difference stays as it is.
void choose_open_policies(const Record& record, model::DriveModel& model);

}  // namespace platter::cache_check

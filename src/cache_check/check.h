// How much of what a cache answered to requests in random order the model explains. Pure.
#pragma once

#include "cache_check/model_answers.h"
#include "cache_probe/record.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::cache_check {

struct Check {
  model::Parameter unexplained_share;
  model::Notes notes;  // what the model does not explain, by kinds of requests
  bool open = false;   // more requests may show something that it does not
};

// The engine answers the record's exercise from the model, at the times at which the drive got it.
// The model contradicts an answer of the drive that came as fast as a hit where it has to go to the
// media, or the other way round. Requests that the model answers neither fast nor slow are not
// counted, nor are those that turn out otherwise by chance. What noise makes of that is taken off:
// it is known from probes whose answer is beyond doubt, and from answers of the model whose times
// and choices are others.
Check check_answers(const cache_probe::Record& record, const model::DriveModel& model);

// Policies of the cache that other properties of the same drive mask, so that no test can measure
// them. Pure.
// Says where cache.stop_read_ahead_in_sector changes nothing: the arm waits for the end of the
// sector only while the next command is being decoded. Overheads and layout as measured; a value
// that is there stays.
void explain_masked(model::DriveModel& model);

// What sequential reads without a pause tell of how a drive looks into its cache. Pure.
// Where no other test told whether a block counts as held that is just being read: the drive's
// reads keep up with the media, and the model's only if it does; or neither do, but if it did.
void look_by_reads_without_pause(const cache_probe::Record& record, model::DriveModel& model);

// Policies of the cache that no single test measures: those under which the model's answers to the
// exercise are by far the likeliest. With check.h the only writer of a policy after cache_probe.
// Pure.
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

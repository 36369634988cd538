// How much of what a cache answered to requests in random order the model explains. Pure.
#pragma once

#include <string>
#include <vector>

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

}  // namespace platter::cache_check

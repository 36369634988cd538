#include "extract/cache_findings.h"

#include "cache_check/check.h"
#include "cache_check/lookup_delay.h"

namespace platter::extract {

void CacheFindings::check(const cache_probe::Record& record, model::DriveModel& model) {
  cache_check::estimate_lookup_delay(record, model);
  cache_check::choose_lookup(record, model);
  cache_check::explain_masked(model);
  as_tested_ = model.cache;
  check_anew(record, model);
}

void CacheFindings::check_anew(const cache_probe::Record& record, model::DriveModel& model) {
  model.cache = as_tested_;
  cache_check::choose_open_policies(record, model);
  cache_check::look_by_reads_without_pause(record, model);
  check_ = cache_check::check_answers(record, model);
  model.cache.unexplained_share = check_.unexplained_share;
  answers_ = record.observations.size();
}

}  // namespace platter::extract

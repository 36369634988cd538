#include "extract/cache_findings.h"

#include "cache_probe/hidden.h"
#include "cache_probe/lookup.h"

namespace platter::extract {

void CacheFindings::explain(const cache_probe::Record& record, model::DriveModel& model) {
  cache_probe::tell_lookup(record, model);
  cache_probe::settle_lookup(record, model);
  cache_probe::tell_hidden(model);
  as_tested_ = model.cache;
  explain_anew(record, model);
}

void CacheFindings::explain_anew(const cache_probe::Record& record, model::DriveModel& model) {
  model.cache = as_tested_;
  cache_probe::fill_gaps(record, model);
  explained_ = cache_probe::explain(record, model);
  model.cache.unexplained_share = explained_.unexplained_share;
  answers_ = record.observations.size();
}

}  // namespace platter::extract

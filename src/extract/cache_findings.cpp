#include "extract/cache_findings.h"

#include <utility>

#include "cache_probe/hidden.h"
#include "cache_probe/lookup.h"

namespace platter::extract {

std::vector<std::string> CacheFindings::probe(mtbrc::Context& context,
                                              const std::vector<LbnRange>& writable,
                                              model::DriveModel& model) {
  cache_probe::Options how;
  how.writable = writable;
  cache_probe::Findings found = cache_probe::probe_cache(context, how);
  record_ = std::move(found.record);
  observed_ = record_.observations.size();
  ground_.reset();
  if (found.ground) ground_.emplace(std::move(*found.ground));
  not_taken_back_ = std::move(found.not_taken_back);
  model.cache = std::move(found.estimate.cache);
  return std::move(found.estimate.notes);
}

void CacheFindings::explain(model::DriveModel& model) {
  cache_probe::tell_lookup(record_, model);
  cache_probe::settle_lookup(record_, model);
  cache_probe::tell_hidden(model);
  as_tested_ = model.cache;
  explain_anew(model);
}

void CacheFindings::explain_anew(model::DriveModel& model) {
  model.cache = as_tested_;
  cache_probe::fill_gaps(record_, model);
  explained_ = cache_probe::explain(record_, model);
  model.cache.unexplained_share = explained_.unexplained_share;
}

void CacheFindings::explain_further(mtbrc::Context& context, model::DriveModel& model) {
  constexpr int kMostParts = 6;
  if (record_.observations.size() > observed_) {
    record_.observations.resize(observed_);
    explain_anew(model);
  }
  if (context.limited()) return;
  for (int part = 0; part < kMostParts && explained_.open && ground_; ++part) {
    const std::size_t answers = record_.observations.size();
    cache_probe::exercise_further(context, *ground_, record_);
    if (record_.observations.size() == answers) return;
    explain_anew(model);
  }
}

}  // namespace platter::extract

#include "extract/cache_stages.h"

#include <string>

#include "cache_check/lookup_delay.h"
#include "cache_probe/estimate.h"
#include "extract/impossible_values.h"
#include "extract/mechanics_stages.h"
#include "extract/reads_in_a_row.h"
#include "extract/rig.h"
#include "extract/self_validation.h"
#include "extract/some_map.h"
#include "mtbrc/targets.h"

namespace platter::extract {

void measure_hit_overheads(Rig& rig) {
  const SomeMap map(rig);
  mtbrc::measure_hit_overheads(rig.context, rig.options.writable,
                               mtbrc::targets_of(rig.context).overheads);
}

void probe_cache(Rig& rig) {
  cache_probe::Options how;
  how.writable = rig.options.writable;
  const SomeMap map(rig);
  how.map_known = map.is_known();
  cache_probe::Findings found = cache_probe::probe_cache(rig.context, rig.facts.cache, how);
  rig.handed.ground.reset();
  if (found.ground && map.is_known()) rig.handed.ground.emplace(std::move(*found.ground));
  rig.facts.cache_fields = std::move(found.estimate.cache.freedoms);
  rig.facts.not_taken_back = std::move(found.not_taken_back);
  rig.facts.no_media_writes = rig.settings.no_media_writes();
}

void estimate_cache(const Seen& seen, Findings& found) {
  cache_probe::Estimate estimate = cache_probe::estimate_cache(seen.cache);
  found.model.cache = std::move(estimate.cache);
  found.model.cache.freedoms = seen.facts.cache_fields;
  for (const model::Noted& note : estimate.notes) found.note(note);
  if (seen.facts.not_taken_back)
    found.note(*seen.facts.not_taken_back +
               " after a test of them: the cache's tests were the last");
}

void say_what_holds_the_lookup(const cache_probe::Record& record, bool answered,
                               model::DriveModel& model) {
  model::Parameter& lookup = model.overheads.per_request;
  if (lookup) return;
  if (answered && cache_check::asked_about_lookup(record)) {
    lookup.reason =
        "no delay in front of the cache's lookup showed: it is in the overheads of hits and misses";
  } else if (model.cache.read_enabled.value == 0) {
    lookup.reason = "the drive caches no reads: it is in the overheads of misses";
  } else {
    cache_check::hold_untold_delay(model.overheads);
    lookup.reason = std::string(cache_check::asked_about_lookup(record)
                                    ? "without what a prediction needs it cannot be told"
                                    : "it was not asked") +
                    " how long after its issue a command looks into the cache: that is in the "
                    "overheads of hits and misses, and their errors hold it";
  }
}

void conclude_cache(const Seen& seen, Findings& found) {
  estimate_overheads(seen, found);
  if (found.map) found.cache.check(seen.cache, found.model);
  say_what_holds_the_lookup(seen.cache, found.map && !what_prevents_prediction(found.model),
                            found.model);
  for (const model::Noted& note : take_out_what_cannot_be(found.model)) found.note(note);
}

void read_in_a_row(Rig& rig) {
  rig.facts.in_a_row.reset();
  if (!rig.context.limited() && hang_on_lookup(rig.found.model))
    rig.facts.in_a_row = reads_in_a_row(rig.context, rig.found.model);
}

void sharpen_by_reads_in_a_row(const Seen& seen, Findings& found) {
  if (!seen.facts.in_a_row) return;
  sharpen_lookup(*seen.facts.in_a_row, found.model);
  found.cache.check_anew(seen.cache, found.model);
}

// Another part of the requests in random order, while the answers leave something open.
void exercise_cache_further(Rig& rig) {
  constexpr int kMostParts = 6;
  if (rig.context.limited()) return;
  Findings trial = rig.found;
  for (int part = 0; part < kMostParts && trial.cache.open() && rig.handed.ground; ++part) {
    const std::size_t answers = rig.facts.cache.observations.size();
    cache_probe::exercise_further(rig.context, *rig.handed.ground, rig.facts.cache);
    if (rig.facts.cache.observations.size() == answers) return;
    trial.cache.check_anew(rig.facts.cache, trial.model);
  }
}

void check_cache_anew(const Seen& seen, Findings& found) {
  if (seen.cache.observations.size() > found.cache.answers())
    found.cache.check_anew(seen.cache, found.model);
}

}  // namespace platter::extract

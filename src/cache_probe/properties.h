// The properties of a cache in the order in which the drive is asked about them: which fields of
// the model each owns, which other properties it needs, its test and its estimate. A field has one
// owner; cache_check alone writes it later.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cache_probe/estimator.h"
#include "cache_probe/prober.h"
#include "cache_probe/targets.h"

namespace platter::cache_probe {

// What tests ask with.
struct Questioner {
  Prober& prober;
  const std::vector<LbnRange>& writable;  // empty: reads only
  std::optional<Targets> targets;         // of writes, from their first test on
};

struct Property {
  const char* name;
  std::vector<model::Parameter model::Cache::*> owns;
  std::vector<const char*> needs;  // what its test or estimate builds on
  void (*test)(Questioner&);       // nullptr: nothing is asked
  void (*estimate)(Estimator&);    // nullptr: a later property makes use of the answers
  const char* says;                // for docs/methods/cache.md: how the drive is asked
  bool by_places = false;          // asked by angles or ends of tracks, which a map tells
};

std::span<const Property> properties();

}  // namespace platter::cache_probe

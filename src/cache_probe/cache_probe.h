// The cache facts of a drive (paper, section 4.3): tests on the drive in its default cache
// settings, then their estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache_probe/estimate.h"
#include "cache_probe/places.h"
#include "cache_probe/record.h"
#include "mtbrc/context.h"

namespace platter::cache_probe {

struct Options {
  std::vector<LbnRange> writable;  // sectors that may be rewritten; empty: reads only
  bool map_known = true;  // of the context's: else its tracks are a measure of distances alone, and
                          // what needs ends of tracks, or angles, is not asked
  bool page_fields = true;  // also what the fields of the caching page do, which takes a second or
                            // three
};

// Where the tests took place, for more of them.
struct Ground {
  Places places;
  std::vector<std::uint64_t> targets;  // of writes
};

struct Findings {
  Estimate estimate;
  std::optional<Ground> ground;
  std::optional<std::string> not_taken_back;  // page_fields.h
};

// The context's map and rotation must be known, the drive identified; how the cache is set is the
// caller's affair. Uses up to the context's budget; facts beyond it are absent with that reason.
// Throws Error(unsupported) where the layout leaves no room, and what the Drive throws. The raw
// samples go to `record`, as they come.
Findings probe_cache(mtbrc::Context& context, Record& record, const Options& options = {});

// Another part of the record's last test (exercise.h), for where its answers leave open whether the
// model explains them. The context's budget, and what is thrown, as above.
void exercise_further(mtbrc::Context& context, Ground& ground, Record& record);

}  // namespace platter::cache_probe

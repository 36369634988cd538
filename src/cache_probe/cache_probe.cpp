#include "cache_probe/cache_probe.h"

#include <functional>

#include "cache_probe/exercise.h"
#include "cache_probe/freedoms.h"
#include "cache_probe/lookup.h"
#include "cache_probe/places.h"
#include "cache_probe/prober.h"
#include "cache_probe/read_tests.h"
#include "cache_probe/write_tests.h"
#include "model/error.h"

namespace platter::cache_probe {

Findings probe_cache(mtbrc::Context& context, const Options& options) {
  if (!context.map || context.rotation.numerator_ns == 0) {
    throw Error(ExitStatus::internal, "the cache was tested before layout and rotation were known");
  }
  Findings findings;
  Record& record = findings.record;
  record.setting.period_ns = context.period_ns();
  record.setting.page = context.drive.settings().cache_page();
  Ground& ground = findings.ground.emplace(Ground{Places(*context.map, context.random), {}});
  Places& places = ground.places;
  places.avoid([&context](std::uint64_t lbn, std::uint32_t blocks) {
    return context.drive.leaves_out(lbn, blocks);
  });
  record.setting.track_blocks = places.track_blocks();
  Prober prober(context, places, record);
  const std::vector<LbnRange>& writable = options.writable;
  record.setting.writes_allowed = !writable.empty();

  // What waits since earlier experiments may hold the segments that reads are to have.
  if (!writable.empty()) settle(prober);
  const std::vector<std::function<void()>> tests = {
      [&] { test_miss_control(prober); },
      [&] { test_basics(prober); },
      [&] { test_read_ahead(prober); },
      [&] { test_segment_size(prober); },
      [&] { test_segment_count(prober); },
      [&] { test_adaptivity(prober); },
      [&] { test_read_ahead_on_hit(prober); },
      [&] { test_lookup(prober); },
      [&] { test_free_blocks(prober); },
      [&] { test_zero_latency_read(prober); },
      [&] {
        if (writable.empty()) return;
        Targets targets(prober, writable);
        if (targets.any()) {
          test_write_back(prober, targets);
          test_reads_of_written(prober, targets);
          test_write_segments(prober, targets);
          test_separate_write_segment(prober, targets);
          test_destage(prober, targets);
          ground.targets = targets.all();
        }
        test_zero_latency_write(prober, writable);
      },
      [&] { exercise_cache(prober, ground.targets); },
  };
  for (std::size_t i = 0; i < tests.size(); ++i) {
    context.report("cache", static_cast<double>(i) / static_cast<double>(tests.size()));
    if (prober.spent()) break;
    tests[i]();
  }
  record.setting.complete = !prober.spent();
  findings.estimate = estimate_cache(record);
  if (options.freedoms) {
    FreedomsFound freedoms = probe_freedoms(prober, findings.estimate.cache, writable);
    findings.estimate.cache.freedoms = std::move(freedoms.fields);
    findings.not_taken_back = std::move(freedoms.not_taken_back);
  }
  context.report("cache", 1.0);
  return findings;
}

void exercise_further(mtbrc::Context& context, Ground& ground, Record& record) {
  Prober prober(context, ground.places, record);
  exercise_cache(prober, ground.targets, true);
}

}  // namespace platter::cache_probe

#include "cache_probe/cache_probe.h"

#include <span>

#include "cache_probe/exercise.h"
#include "cache_probe/page_fields.h"
#include "cache_probe/places.h"
#include "cache_probe/prober.h"
#include "cache_probe/properties.h"
#include "model/error.h"

namespace platter::cache_probe {
namespace {

// A block that cannot be read where trials do not reckon with it: the same elsewhere.
void test(const Property& property, Questioner& ask) {
  constexpr int kTries = 8;  // Chosen: where more fails, the drive is to be copied, not measured
  for (int i = 1;; ++i) {
    try {
      property.test(ask);
      return;
    } catch (const scsi::DriveError& error) {
      if (i == kTries || !error.may_do_elsewhere()) throw;
    }
  }
}

}  // namespace

Findings probe_cache(mtbrc::Context& context, Record& record, const Options& options) {
  if (!context.map || context.rotation.numerator_ns == 0) {
    throw Error(ExitStatus::internal, "the cache was tested before layout and rotation were known");
  }
  Findings findings;
  record = {};
  record.setting.period_ns = context.period_ns();
  record.setting.map_known = options.map_known;
  record.setting.page = context.drive.settings().cache_page();
  Ground& ground =
      findings.ground.emplace(Ground{Places(*context.map, context.random,
                                            [&context](std::uint64_t lbn, std::uint32_t blocks) {
                                              return context.drive.leaves_out(lbn, blocks);
                                            }),
                                     {}});
  Places& places = ground.places;
  record.setting.track_blocks = places.track_blocks();
  Prober prober(context, places, record);
  const std::vector<LbnRange>& writable = options.writable;
  record.setting.writes_allowed = !writable.empty();

  // What waits since earlier experiments may hold the segments that reads are to have.
  if (!writable.empty()) settle(prober);
  const std::span<const Property> all = properties();
  Questioner ask{prober, writable, std::nullopt};
  for (std::size_t i = 0; i < all.size(); ++i) {
    context.report("cache", static_cast<double>(i) / static_cast<double>(all.size()));
    if (prober.spent()) break;
    if (all[i].test && (options.map_known || !all[i].by_places)) test(all[i], ask);
    if (ask.targets) ground.targets = ask.targets->all();
  }
  record.setting.complete = !prober.spent();
  findings.estimate = estimate_cache(record);
  if (options.page_fields) {
    PageFields found = probe_page_fields(prober, findings.estimate.cache, writable);
    findings.estimate.cache.freedoms = std::move(found.fields);
    findings.not_taken_back = std::move(found.not_taken_back);
  }
  context.report("cache", 1.0);
  return findings;
}

void exercise_further(mtbrc::Context& context, Ground& ground, Record& record) {
  Prober prober(context, ground.places, record);
  exercise_cache(prober, ground.targets, true);
}

}  // namespace platter::cache_probe

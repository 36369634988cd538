// Whether a write is complete before it is on the media.

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/write_properties.h"
#include "model/known.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// Chosen: three show the spread.
constexpr int kSynchronizations = 3;

// With its sector far ahead, so that a write which waits for it is slow.
void write_aligned(Prober& prober, std::uint64_t lbn) {
  prober.rest_until(lbn, 0);
  prober.write(lbn);
}

}  // namespace

void test_write_back(Prober& prober, Targets& targets) {
  // Where SYNCHRONIZE CACHE is answered and does nothing, the write before stands in the way.
  bool waited = false;
  prober.decide(Question::write_isolated, 0, [&](std::int64_t x) {
    const std::uint64_t lbn = targets.next();
    settle(prober);
    if (waited) prober.rest_rev(kDestage_rev);
    prober.refresh_angle();
    prober.rest_until(lbn, 0);
    prober.probe_write(Question::write_isolated, x, lbn);
    waited |= write_waited(prober.record(), prober.record().observations.back());
    return true;
  });
  if (!writes_cached(prober.record())) {
    // Only what carries on the write before? On the media the next block has just gone by.
    prober.decide(Question::write_appended, 0, [&](std::int64_t x) {
      const std::uint64_t lbn = targets.next();
      synchronize(prober);
      prober.refresh_angle();
      prober.write(lbn);
      prober.probe_write(Question::write_appended, x, lbn + prober.write_unit());
      return true;
    });
  }
  const bool cached = writes_cached(prober.record());
  if (synchronize(prober)) {
    prober.rest_rev(cached ? kDestage_rev : 1);
    for (int i = 0; i < kSynchronizations; ++i)
      synchronize(prober, std::pair{Question::synchronize_clean, 0});
    for (int i = 0; cached && i < kSynchronizations; ++i) {
      const std::uint64_t lbn = targets.next();
      prober.refresh_angle();
      write_aligned(prober, lbn);
      synchronize(prober, std::pair{Question::synchronize_dirty, 0}, lbn);
    }
  }
  if (!cached) return;
  // FUA alone tells, where the drive does not know SYNCHRONIZE CACHE.
  prober.decide(Question::write_forced, 0, [&](std::int64_t x) {
    const std::uint64_t lbn = targets.next();
    settle(prober);
    prober.refresh_angle();
    prober.rest_until(lbn, 0);
    try {
      const std::uint32_t unit = prober.write_unit();
      prober.keep(Question::write_forced, x, prober.context().drive.write(lbn, unit, true), lbn,
                  unit, true);
    } catch (const scsi::DriveError& error) {
      if (!error.refused()) throw;
      return false;  // there is no such write to ask about
    }
    return true;
  });
}

void estimate_write_back(Estimator& e) {
  const Record& record = e.record();
  Parameter& level = e.cache().write_back_level;
  if (const auto reason = e.without_writes()) {
    level = absent(*reason);
    if (record.setting.page)
      model::add_guess(level, {record.setting.page->write_cache_enabled ? 2.0 : 0.0, std::nullopt,
                               "mode page 08h"});
    return;
  }
  const Judgement isolated = judge(record, Question::write_isolated, 0);
  const bool appended = e.verdict(Question::write_appended) == Verdict::hit;
  if (isolated.verdict == Verdict::mixed)
    e.note({model::Code::cache_mixed, "isolated writes are cached only sometimes"});
  level = measured(isolated.verdict == Verdict::hit ? 2
                   : appended                       ? 1
                                                    : 0,
                   isolated.error, tally_of(record, Question::write_isolated, 0).all(),
                   "isolated writes, then sequential writes");
}

}  // namespace platter::cache_probe

// When dirty data go to the media, and what a host that wants them there has to wait for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/waiting_data.h"
#include "cache_probe/write_properties.h"
#include "model/known.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// Chosen: from before any destage to the longest that is waited for; 0.1 % is finer than timers of
// drives. What it costs is in docs/methods/cache.md, "The idle time before destage".
constexpr double kFirstIdle_rev = 2.5, kMostIdle_rev = 250;
constexpr double kIdleShare = 0.001, kCoarseShare = 0.03;  // how well the idle time is told
constexpr double kLongWrite_rev = 250;  // of one probe after the other; then kCoarseShare will do
constexpr double kBehind_rev = 0.3;     // the sector, when SYNCHRONIZE CACHE is sent
constexpr double kFine_rev = 0.005;     // host and sector are not in time by more
constexpr int kMostIdleProbes = 40;

constexpr const char* kDoesNothing = "SYNCHRONIZE CACHE is answered while data wait for the media";

// SYNCHRONIZE CACHE after a write and pauses: the longest one after which it still had to wait for
// the media, and the shortest after which not.
struct Pauses {
  std::optional<double> waited_ms, done_ms;
  std::uint64_t probes = 0;
};
Pauses pauses_of(const Record& record) {
  Pauses pauses;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::destaged) continue;
    ++pauses.probes;
    const double ms = static_cast<double>(seen.x) * 1e-3;
    if (synchronize_waited(record, seen))
      pauses.waited_ms = std::max(pauses.waited_ms.value_or(0), ms);
    else
      pauses.done_ms = std::min(pauses.done_ms.value_or(ms), ms);
  }
  return pauses;
}

Parameter clean_synchronize(const Record& record) {
  const auto ns = synchronize_ns(record);
  if (!ns) return absent("the drive does not know SYNCHRONIZE CACHE", "ms");
  if (synchronize_does_nothing(record)) return absent(kDoesNothing, "ms");
  std::vector<double> times_ms;
  for (const Observation& seen : record.observations)
    if (seen.question == Question::synchronize_clean)
      times_ms.push_back(static_cast<double>(seen.response_ns()) * 1e-6);
  const auto [least, most] = std::ranges::minmax(times_ms);
  return measured(*ns * 1e-6, (most - least) / 2, times_ms.size(),
                  "SYNCHRONIZE CACHE with nothing to write", "ms");
}

Parameter persist(Estimator& e) {
  const Verdict verdict = written_persist(e.record());
  if (verdict == Verdict::open) return absent(e.missing());
  const auto synchronized = static_cast<std::uint64_t>(std::ranges::count(
      e.record().observations, Question::synchronize_clean, &Observation::question));
  return measured(verdict == Verdict::hit ? 1 : 0, 0,
                  tally_of(e.record(), Question::write_forced, 0).all() + synchronized,
                  "writes with FUA, and SYNCHRONIZE CACHE right after a write");
}

// Why nothing is known of when dirty data go to the media.
std::string unseen(Estimator& e) {
  if (written_persist(e.record()) == Verdict::hit)
    return "no command shows when dirty data reach the media";
  if (synchronize_does_nothing(e.record())) return kDoesNothing;
  return synchronize_ns(e.record())
             ? e.missing()
             : "the drive does not know SYNCHRONIZE CACHE, which would show it";
}

Parameter behind(Estimator& e, const Pauses& pauses) {
  const auto run = run_length(e.record(), Question::write_run);
  if (run && run->median >= 2)
    return measured(1, 0, run->runs, "several scattered writes are cached at once");
  if (run && pauses.probes > 0)
    return measured(pauses.waited_ms ? 1 : 0, 0, run->runs + pauses.probes,
                    "SYNCHRONIZE CACHE after a write and a pause");
  return absent(unseen(e));
}

Parameter idle_time(Estimator& e, const Pauses& pauses) {
  const std::string method = "SYNCHRONIZE CACHE after a write and pauses of many lengths";
  if (pauses.probes == 0) return absent(unseen(e), "ms");
  if (!pauses.done_ms)
    return model::at_least(*pauses.waited_ms, "no pause that was tried was long enough", "ms");
  if (!pauses.waited_ms) return measured(0, *pauses.done_ms / 2, pauses.probes, method, "ms");
  if (const auto idle = idle_before_destage(e.record()))
    return measured(idle->ns * 1e-6, idle->error_ns * 1e-6, idle->samples,
                    "SYNCHRONIZE CACHE after a write and pauses in which its sector comes by "
                    "sooner or later",
                    "ms");
  // The destage itself takes up to a revolution.
  const double period_ms = e.record().setting.period_ns * 1e-6;
  const double waited_ms = *pauses.waited_ms, done_ms = *pauses.done_ms;
  return measured(std::max(0.0, (waited_ms + done_ms - period_ms) / 2),
                  (std::abs(done_ms - waited_ms) + period_ms) / 2, pauses.probes, method, "ms");
}

Parameter most_dirty_blocks(Estimator& e) {
  const Record& record = e.record();
  const auto run = run_length(record, Question::write_run);
  const auto large = run_length(record, Question::write_run_large);
  if (!run) return absent(e.missing(), kBlocks);
  if (!large) return absent(run->median < 2 ? "one write waits at a time" : e.missing(), kBlocks);
  double blocks = 1;
  for (const Observation& seen : record.observations)
    if (seen.question == Question::write_run_large) blocks = seen.blocks;
  if (large->bound)
    return model::at_least(std::floor(large->median * blocks), "nothing larger was tried", kBlocks);
  if (!run->bound && large->median >= run->median)
    return absent("as many as the segments hold", kBlocks);
  if (const auto taken = taken_blocks(record)) {
    const auto open = static_cast<double>(*taken->too_many - taken->most - 1);
    return counted(static_cast<double>(taken->most) + open / 2, open / 2, taken->runs,
                   "runs of writes without pause, of more and fewer blocks", kBlocks);
  }
  return counted((large->median + 0.5) * blocks, blocks * (0.5 + large->error), large->runs,
                 "large scattered writes without pause until one has to wait", kBlocks);
}

}  // namespace

// For how long do written data wait where no command comes? Their sector comes by when the time is
// over, or just before.
void test_destage(Prober& prober, Targets& targets) {
  Record& record = prober.record();
  if (!writes_cached(record) || written_persist(record) != Verdict::miss) return;
  // Nothing else tells when data are on the media.
  if (!synchronize_ns(record) || synchronize_does_nothing(record)) return;
  const std::uint64_t lbn = targets.next();
  const auto began_ns = prober.context().drive.now_ns();
  const auto is_destaged = [&](double idle_rev) {
    // The arm stays on the track: the same block again.
    prober.refresh_angle();
    prober.write(lbn);
    synchronize(prober);
    // The time counts from when the write is through.
    const double until_sector_rev = idle_rev + usual_write_ns(record) / prober.period_ns();
    const double ahead_rev = until_sector_rev - std::floor(until_sector_rev);
    prober.rest_until(lbn, 0, ahead_rev, ahead_rev);
    prober.write(lbn);
    const Nanoseconds written_ns = prober.context().drive.now_ns();
    double until_rev = prober.angle_rev(lbn) - prober.angle_now_rev();
    until_rev += std::round(idle_rev - until_rev);
    if (!record.setting.angles_trusted) until_rev = idle_rev;
    prober.rest_rev(std::max(0.0, until_rev) + kBehind_rev);
    const std::int64_t x = (prober.context().drive.now_ns() - written_ns) / 1000;
    synchronize(prober, std::pair{Question::destaged, x}, lbn);
    return !synchronize_waited(record, record.observations.back());
  };
  double low = 0, high = kFirstIdle_rev;
  while (!is_destaged(high)) {
    low = high;
    if (high >= kMostIdle_rev || prober.spent()) return;
    high = std::min(kMostIdle_rev, 4 * high);
  }
  if (low == 0) {
    is_destaged(high);
    return;
  }
  for (int i = 0; i < kMostIdleProbes && !prober.spent(); ++i) {
    double next = std::sqrt(low * high);
    if (const auto told = idle_before_destage(record)) {
      const bool late = static_cast<double>(prober.context().drive.now_ns() - began_ns) >
                        kLongWrite_rev * prober.period_ns();
      const double enough_ns = std::max(kFine_rev * prober.period_ns(), kIdleShare * told->ns);
      if (told->narrow_ns < (late ? kCoarseShare * told->ns : enough_ns)) return;
      next = told->passed_ns / prober.period_ns();
    } else if (high < 1.02 * low) {
      return;
    }
    (is_destaged(next) ? high : low) = next;
  }
}

void estimate_destage(Estimator& e) {
  model::Cache& c = e.cache();
  const std::array of_dirty_data = {&c.written_persist, &c.destage_behind, &c.destage_idle,
                                    &c.written_blocks};
  if (const auto reason = e.without_writes()) {
    c.synchronize = absent(*reason);
    for (Parameter* p : of_dirty_data) *p = absent(*reason);
    return;
  }
  c.synchronize = clean_synchronize(e.record());
  if (e.verdict(Question::write_isolated) != Verdict::hit) {
    for (Parameter* p : of_dirty_data) *p = absent("isolated writes are not cached");
    return;
  }
  const Pauses pauses = pauses_of(e.record());
  c.written_persist = persist(e);
  if (synchronize_does_nothing(e.record()))
    e.note({model::Code::synchronize_does_nothing,
            std::string(kDoesNothing) + ": it does not make them safe"});
  c.destage_behind = behind(e, pauses);
  c.destage_idle = idle_time(e, pauses);
  c.written_blocks = most_dirty_blocks(e);
}

}  // namespace platter::cache_probe

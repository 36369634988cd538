#include "emit/small/stated.h"

#include <cmath>
#include <utility>
#include <vector>

#include "emit/small/distance.h"
#include "model/interruption.h"
#include "replay/compare.h"
#include "trace/workload.h"

namespace platter::emit_small {
namespace {

constexpr double kStandardErrors = 4;

// Sequential requests so many at once, then on from anywhere: a drive has many places.
constexpr std::uint64_t kRun = 100;

trace::Profile profile_of(const std::string& workload) {
  trace::Profile profile = trace::profile(workload);
  if (workload == "sequential") profile.place = trace::Streams{.run_requests = kRun};
  return profile;
}

}  // namespace

model::Demerit replayed(const replay::Subject& whole, const replay::Subject& small,
                        const std::string& workload, std::uint64_t seed) {
  const trace::Trace trace = trace::generate({.profile = profile_of(workload),
                                              .blocks = whole.blocks,
                                              .block_bytes = whole.block_bytes,
                                              .requests = kRequests,
                                              .seed = seed});
  const replay::Result one = replay::replay_on_model(whole, trace);
  replay::ModelReplay how;
  if (trace.kind == trace::Kind::open) how.like = &one;
  const replay::Result other = replay::replay_on_model(small, trace, how);
  const replay::ClassMetrics all = replay::compare(one, other).classes.front();
  model::Demerit demerit;
  demerit.workload = workload;
  demerit.requests = all.n_drive;
  demerit.drive_mean_ms = all.mean_drive_ms;
  demerit.demerit_ms = all.demerit_ms;
  demerit.demerit_percent = all.demerit_percent;
  demerit.folded_phase_share = all.folded_phase_share.value_or(0);
  return demerit;
}

model::Demerit stated(std::span<const model::Demerit> replays, double period_ms) {
  const auto n = static_cast<double>(replays.size());
  model::Demerit mean = replays.front();
  mean.drive_mean_ms = mean.demerit_ms = mean.demerit_percent = mean.folded_phase_share = 0;
  for (const model::Demerit& one : replays) {
    mean.drive_mean_ms += one.drive_mean_ms / n;
    mean.demerit_ms += one.demerit_ms / n;
    mean.folded_phase_share += one.folded_phase_share / n;
  }
  double squares = 0;
  for (const model::Demerit& one : replays)
    squares += (one.demerit_ms - mean.demerit_ms) * (one.demerit_ms - mean.demerit_ms);
  mean.demerit_ms += kStandardErrors * std::sqrt(squares / (n - 1) * (1 + 1 / n));
  mean.demerit_ms = std::hypot(mean.demerit_ms,
                               period_ms / std::sqrt(static_cast<double>(mean.requests)));
  mean.demerit_percent = 100 * mean.demerit_ms / mean.drive_mean_ms;
  return mean;
}

emit_table::Simplified stated_errors(const model::DriveModel& whole,
                                     const emit_table::Table& whole_table,
                                     const emit_table::Table& small) {
  emit_table::Simplified errors;
  errors.from = whole_table.model_sha256;
  errors.seek_ns = farthest_seek_ns(*whole_table.tables, *small.tables);
  const MapDistance map = distance(whole_table.tables->layout, small.tables->layout);
  errors.cylinders = map.cylinders;
  errors.in_phase_share = map.in_phase_share;
  const replay::Subject one = replay::subject_of(whole.identity, whole_table.tables);
  const replay::Subject other = replay::subject_of(whole.identity, small.tables);
  for (const char* workload : kWorkloads) {
    std::vector<model::Demerit> replays;
    for (std::uint64_t seed = 1; seed <= kReplays; ++seed) {
      stop_if_asked();
      replays.push_back(replayed(one, other, workload, seed));
    }
    errors.demerits.push_back(stated(replays, to_ms(whole_table.tables->rotation.period_ns())));
  }
  return errors;
}

}  // namespace platter::emit_small

#include "estimate/hits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "estimate/bus_time.h"
#include "model/parameters.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

constexpr double kClock_ms = 0.01;  // by which clocks round

// Times that were rounded up to a grid's step, spread evenly over it: what is made of them by ranks
// and weights would else take a step for all times in it. As many early as late, in an order that
// is the same for the same samples.
class SpreadOverStep {
 public:
  explicit SpreadOverStep(Nanoseconds step_ns) : step_ms_(to_ms(step_ns)) {}
  double next_ms() {
    constexpr double kGolden = 0.6180339887498949;
    share_ = std::fmod(share_ + kGolden, 1.0);
    return step_ms_ * (share_ - 0.5);
  }

 private:
  double step_ms_, share_ = 0;
};

using TimesBySize = std::map<std::uint32_t, std::vector<double>>;

// Which of these lie about `centre`; empty if so few that it may be by chance.
std::vector<double> gathered(const std::vector<double>& times, double centre, double reach) {
  constexpr double kFewestFast = 0.35;
  std::vector<double> kept;
  for (double ms : times)
    if (std::abs(ms - centre) <= reach) kept.push_back(ms);
  if (static_cast<double>(kept.size()) < kFewestFast * static_cast<double>(times.size()))
    kept.clear();
  return kept;
}

// Those of one kind that the cache served: the smallest accesses are often fast, and the fast ones
// lie close together, as accesses to the media by chance do not. With the number of blocks hits
// grow along a straight line; a size that the drive does not keep leaves it, for accesses to the
// media lie all over the turn, or in a row a whole turn apart.
std::optional<HitTimes> hit_times(TimesBySize by_size, std::uint32_t fewest, double others_ms,
                                  double period_ms) {
  constexpr double kClose_rev = 0.04;
  constexpr double kSigmas = 8;  // of the hits' own spread, which has a long tail
  constexpr double kLineSigmas = 4;
  std::vector<double> fast;
  for (double ms : by_size[fewest])
    if (ms < kHit_rev * period_ms + others_ms) fast.push_back(ms);
  if (fast.size() < kFewestHits || statistics::mad_sigma(fast) > kClose_rev * period_ms)
    return std::nullopt;
  const double one_ms = statistics::median(fast);
  const double spread_ms = statistics::mad_sigma(fast);
  HitTimes kept;
  std::size_t sizes = 0;
  for (const auto& [size, times] : by_size) {
    double centre = one_ms, unsure = 0;
    if (sizes == 1) {  // no line yet: the quick ones
      centre = statistics::quantile_of(times, 0.15);
      const double times_as_many = static_cast<double>(size) / fewest - 1;
      if (centre > one_ms + kHit_rev * period_ms + times_as_many * others_ms) continue;
    } else if (sizes > 1) {
      const auto line = statistics::huber_line(kept.blocks, kept.ms);
      if (!line) continue;
      const std::array<double, 2> row = {1, static_cast<double>(size)};
      centre = line->predict(row);
      unsure = line->predict_error(row);
    }
    const double reach = std::min(kSigmas * spread_ms + kLineSigmas * unsure + kClock_ms,
                                  2 * kClose_rev * period_ms);
    const std::vector<double> mine = gathered(times, centre, reach);
    if (mine.empty()) {
      if (sizes == 0) return std::nullopt;
      continue;
    }
    if (sizes == 0) kept.reach_ms = reach;
    for (double ms : mine) {
      kept.blocks.push_back(size);
      kept.ms.push_back(ms);
    }
    ++sizes;
  }
  return kept;
}

}  // namespace

bool HitTimes::has(std::uint32_t size) const {
  return std::ranges::find(blocks, size) != blocks.end();
}

std::vector<double> HitTimes::of_size(std::uint32_t size) const {
  std::vector<double> mine;
  for (std::size_t i = 0; i < ms.size(); ++i)
    if (blocks[i] == size) mine.push_back(ms[i]);
  return mine;
}

double bus_time_beyond_first_ms(const Hits& hits, std::uint32_t blocks) {
  if (blocks == 1) return 0;
  return (blocks - 1) * std::max(0.0, acting_transfer_ms(transfer_of_hits(hits, false)));
}

Hits estimate_hits(const Evidence& evidence) {
  std::array<TimesBySize, 4> times;
  SpreadOverStep spread(evidence.grid_ns());
  for (const Sample& s : evidence.samples())
    if (s.experiment == Experiment::hit && s.after_completed_ns > 0)
      times[(s.write ? 2 : 0) + (s.after_write ? 1 : 0)][s.blocks].push_back(
          to_ms(s.completed_ns - s.issued_ns) + spread.next_ms());
  Hits hits;
  for (std::size_t kind = 0; kind < times.size(); ++kind) {
    const std::uint32_t fewest = kind >= 2 ? evidence.write_unit() : 1;
    hits.kinds[kind] = hit_times(std::move(times[kind]), fewest,
                                 bus_time_beyond_first_ms(hits, fewest), evidence.period_ms());
  }
  return hits;
}

model::Parameter transfer_of_hits(const Hits& hits, bool write) {
  const auto& times = hits.of(write, write);
  if (!times)
    return model::absent(write ? "no cached writes were timed" : "no cache hits were timed", "ms");
  const auto line = statistics::huber_line(times->blocks, times->ms);
  if (!line)
    return model::absent(write ? "cached writes of several sizes are needed"
                               : "cache hits of several sizes are needed",
                         "ms");
  model::Parameter result;
  result.unit = "ms";
  result.method = write ? "slope of the time of cached writes over blocks"
                        : "slope of hit time over blocks";
  result.value = line->coefficients[1];
  result.error = std::sqrt(line->covariance.at(1, 1));
  result.samples = times->ms.size();
  return result;
}

std::optional<model::DelaySpread> estimate_delay_spread(const Hits& hits) {
  constexpr std::size_t kFewest = 100, kFewestOfKind = 24;
  constexpr std::array kShares = {0.0, 0.01, 0.02, 0.05, 0.1,  0.2,  0.3,  0.4, 0.5,
                                  0.6, 0.7,  0.8,  0.9,  0.95, 0.98, 0.99, 1.0};
  std::vector<double> late_ms;
  for (const bool write : {false, true})
    for (const bool after_write : {false, true}) {
      const auto& times = hits.of(write, after_write);
      if (!times || times->ms.size() < kFewestOfKind) continue;
      const auto line = statistics::huber_line(times->blocks, times->ms);
      std::vector<double> of_kind;
      for (std::size_t i = 0; i < times->ms.size(); ++i) {
        const std::array<double, 2> row = {1, times->blocks[i]};
        of_kind.push_back(times->ms[i] - (line ? line->predict(row) : 0));
      }
      const double usual_ms = statistics::median(of_kind);
      for (const double ms : of_kind) late_ms.push_back(ms - usual_ms);
    }
  if (late_ms.size() < kFewest) return std::nullopt;
  model::DelaySpread spread;
  spread.method = "response times of cache hits beside the line of their kind over blocks";
  spread.samples = late_ms.size();
  for (const double share : kShares)
    spread.quantiles.push_back({.share = share, .ms = statistics::quantile_of(late_ms, share)});
  return spread;
}

}  // namespace platter::estimate

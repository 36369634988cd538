#include "calibrate/hit_overheads.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "replay/hits.h"
#include "statistics/regression.h"

namespace platter::calibrate {
namespace {

constexpr std::size_t kFewestHits = 12;  // hits of a kind
constexpr double kFar = 1.0 / 8;         // of a revolution: a difference that no overhead explains
constexpr double kLeast_ms = 0.01;       // that hits which carry on differ from others
constexpr double kSlopeErrors = 4;       // standard errors of that
constexpr double kSplit = 0.95;          // of what is unexplained: more than a limit in time leaves
constexpr std::size_t kLimits = 40;      // tried at a time

struct Hit {
  std::size_t kind = 0;  // 0: after a read, 1: after a write
  double blocks = 0, longer_ms = 0;
  bool carries_on = false;  // begins where the command before, of the same kind, ended
  double idle_ms = 0;       // since its completion
};

std::vector<Hit> hits_of(const Measurement& measured, const replay::Result& mine, bool write) {
  const double period_ns = *mine.period_ns;
  const replay::HitRule rule = replay::HitRule::of_period(period_ns,
                                                          mine.block_transfer_ns.value_or(0));
  std::vector<Hit> hits;
  for (std::size_t i = std::max<std::size_t>(1, measured.learn().begin); i < measured.learn().end;
       ++i) {
    const replay::Response &drive = measured.drive().requests[i], &model = mine.requests[i];
    if (drive.write != write || rule.is_hit(model) != true) continue;
    if (rule.is_hit_by_time(drive) != true || rule.is_hit_by_time(model) != true) continue;
    const auto longer = static_cast<double>(drive.response_ns - model.response_ns);
    if (std::abs(longer) > kFar * period_ns) continue;
    const replay::Response& before = measured.drive().requests[i - 1];
    hits.push_back({before.write ? 1u : 0u, static_cast<double>(drive.blocks), longer / 1e6,
                    before.write == write && drive.lbn == before.lbn + before.blocks,
                    to_ms(drive.issue_ns - before.completion_ns())});
  }
  return hits;
}

// The fit of one side, for one limit of the time in which a hit carries on; none: they are like
// others.
struct Fit {
  std::array<std::optional<statistics::Estimate>, 2> command{};
  std::optional<statistics::Estimate> block{}, sequential{};
  double unexplained_ms = 0;  // sum of absolute residuals
};

std::optional<Fit> fit(const std::vector<Hit>& hits, std::optional<double> limit_ms) {
  std::array<std::size_t, 2> counts{};
  std::set<double> sizes;
  std::size_t carry_on = 0;
  const auto is_fast = [&](const Hit& hit) {
    return limit_ms && hit.carries_on && hit.idle_ms <= *limit_ms;
  };
  for (const Hit& hit : hits) {
    ++counts[hit.kind];
    sizes.insert(hit.blocks);
    carry_on += is_fast(hit);
  }
  if (limit_ms && (carry_on < kFewestHits || hits.size() - carry_on < kFewestHits))
    return std::nullopt;
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < 2; ++kind)
    if (counts[kind] >= kFewestHits) kinds.push_back(kind);
  if (kinds.empty()) return std::nullopt;
  const std::size_t sequential = kinds.size(), block = sequential + (limit_ms ? 1 : 0);
  const bool several_sizes = sizes.size() > 1;
  statistics::Matrix design(0, block + (several_sizes ? 1 : 0));
  std::vector<double> observed;
  for (const Hit& hit : hits) {
    std::size_t column = 0;
    while (column < kinds.size() && kinds[column] != hit.kind) ++column;
    if (column == kinds.size()) continue;
    for (std::size_t c = 0; c < kinds.size(); ++c) design.data.push_back(c == column ? 1 : 0);
    if (limit_ms) design.data.push_back(is_fast(hit) ? 1 : 0);
    if (several_sizes) design.data.push_back(hit.blocks);
    observed.push_back(hit.longer_ms);
    ++design.rows;
  }
  const auto found = statistics::huber_regression(design, observed);
  if (!found) return std::nullopt;
  const auto estimate = [&](std::size_t column, std::size_t samples) {
    return statistics::Estimate{found->coefficients[column],
                                std::sqrt(found->covariance.at(column, column)), samples};
  };
  Fit fitted;
  for (std::size_t c = 0; c < kinds.size(); ++c)
    fitted.command[kinds[c]] = estimate(c, counts[kinds[c]]);
  if (limit_ms) fitted.sequential = estimate(sequential, carry_on);
  if (several_sizes) fitted.block = estimate(block, observed.size());
  for (std::size_t row = 0; row < design.rows; ++row) {
    double left = observed[row];
    for (std::size_t c = 0; c < design.columns; ++c)
      left -= design.at(row, c) * found->coefficients[c];
    fitted.unexplained_ms += std::abs(left);
  }
  return fitted;
}

bool differs(const std::optional<Fit>& fit) {
  return fit && fit->sequential && std::abs(fit->sequential->value) > kLeast_ms &&
         std::abs(fit->sequential->value) > kSlopeErrors * fit->sequential->error;
}

// The limit that leaves least unexplained: among some, then among those beside the best.
std::optional<statistics::Estimate> best_limit(const std::vector<Hit>& hits, const Fit& without) {
  std::vector<double> idle;
  for (const Hit& hit : hits)
    if (hit.carries_on) idle.push_back(hit.idle_ms);
  std::ranges::sort(idle);
  if (idle.size() < 2 * kFewestHits) return std::nullopt;
  std::size_t from = kFewestHits, to = idle.size() - kFewestHits, best = 0;
  double least = kSplit * without.unexplained_ms;
  for (std::size_t step = std::max<std::size_t>(1, (to - from) / kLimits);; step = 1) {
    for (std::size_t i = from; i < to; i += step) {
      const std::optional<Fit> with = fit(hits, (idle[i - 1] + idle[i]) / 2);
      if (!differs(with) || with->unexplained_ms >= least) continue;
      least = with->unexplained_ms;
      best = i;
    }
    if (best == 0) return std::nullopt;
    if (step == 1) break;
    from = std::max(from, best - std::min(best, step));
    to = std::min(to, best + step);
  }
  return statistics::Estimate{(idle[best - 1] + idle[best]) / 2, (idle[best] - idle[best - 1]) / 2,
                              idle.size()};
}

}  // namespace

HitOverheads fit_hit_overheads(const Measurement& measured, const replay::Result& in_own_time,
                               std::optional<double> within_known_ms) {
  constexpr double kAnyTime_ms = 1e12;
  HitOverheads fitted;
  for (const bool write : {false, true}) {
    const std::vector<Hit> hits = hits_of(measured, in_own_time, write);
    std::optional<double> limit_ms = kAnyTime_ms;
    if (!write && within_known_ms) limit_ms = within_known_ms;
    std::optional<Fit> found = fit(hits, limit_ms);
    if (!write && found && !within_known_ms)
      if (const auto within = best_limit(hits, *found)) {
        fitted.read_within = within;
        found = fit(hits, within->value);
      }
    if (!differs(found)) found = fit(hits, std::nullopt);
    if (!found) continue;
    for (std::size_t kind = 0; kind < 2; ++kind)
      fitted.command[kind + (write ? 2 : 0)] = found->command[kind];
    (write ? fitted.write_block : fitted.read_block) = found->block;
    (write ? fitted.write_sequential : fitted.read_sequential) = found->sequential;
  }
  return fitted;
}

}  // namespace platter::calibrate

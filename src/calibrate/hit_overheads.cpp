#include "calibrate/hit_overheads.h"

#include <cmath>
#include <set>
#include <vector>

#include "replay/hits.h"
#include "statistics/regression.h"

namespace platter::calibrate {
namespace {

constexpr std::size_t kFewest = 12;  // hits of a kind
constexpr double kFar = 1.0 / 8;     // of a revolution: a difference that no overhead explains

struct Hit {
  std::size_t kind = 0;  // 0: after a read, 1: after a write
  double blocks = 0, longer_ms = 0;
};

std::vector<Hit> hits_of(const Measurement& measured, const replay::Result& mine, bool write) {
  const double period_ns = *mine.period_ns;
  const replay::HitRule rule =
      replay::HitRule::of_period(period_ns, mine.block_transfer_ns.value_or(0));
  std::vector<Hit> hits;
  for (std::size_t i = std::max<std::size_t>(1, measured.learn().begin); i < measured.learn().end; ++i) {
    const replay::Response &drive = measured.drive().requests[i], &model = mine.requests[i];
    if (drive.write != write || rule.is_hit(model) != true) continue;
    if (rule.is_hit_by_time(drive) != true || rule.is_hit_by_time(model) != true) continue;
    const auto longer = static_cast<double>(drive.response_ns - model.response_ns);
    if (std::abs(longer) > kFar * period_ns) continue;
    hits.push_back({measured.drive().requests[i - 1].write ? 1u : 0u,
                    static_cast<double>(drive.blocks), longer / 1e6});
  }
  return hits;
}

void fit(const std::vector<Hit>& hits, std::optional<statistics::Estimate>* command,
         std::optional<statistics::Estimate>& block) {
  std::array<std::size_t, 2> counts{};
  std::set<double> sizes;
  for (const Hit& hit : hits) {
    ++counts[hit.kind];
    sizes.insert(hit.blocks);
  }
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < 2; ++kind)
    if (counts[kind] >= kFewest) kinds.push_back(kind);
  if (kinds.empty()) return;
  const bool several_sizes = sizes.size() > 1;
  statistics::Matrix design(0, kinds.size() + (several_sizes ? 1 : 0));
  std::vector<double> observed;
  for (const Hit& hit : hits) {
    std::size_t column = 0;
    while (column < kinds.size() && kinds[column] != hit.kind) ++column;
    if (column == kinds.size()) continue;
    for (std::size_t c = 0; c < kinds.size(); ++c) design.data.push_back(c == column ? 1 : 0);
    if (several_sizes) design.data.push_back(hit.blocks);
    observed.push_back(hit.longer_ms);
    ++design.rows;
  }
  const auto found = statistics::huber_regression(design, observed);
  if (!found) return;
  const auto estimate = [&](std::size_t column, std::size_t samples) {
    return statistics::Estimate{found->coefficients[column],
                                std::sqrt(found->covariance.at(column, column)), samples};
  };
  for (std::size_t c = 0; c < kinds.size(); ++c)
    command[kinds[c]] = estimate(c, counts[kinds[c]]);
  if (several_sizes) block = estimate(kinds.size(), observed.size());
}

}  // namespace

HitOverheads fit_hit_overheads(const Measurement& measured, const replay::Result& in_own_time) {
  HitOverheads fitted;
  fit(hits_of(measured, in_own_time, false), fitted.command.data(), fitted.read_block);
  fit(hits_of(measured, in_own_time, true), fitted.command.data() + 2, fitted.write_block);
  return fitted;
}

}  // namespace platter::calibrate

#include "calibrate/policy_search.h"

#include <cmath>
#include <optional>
#include <set>

#include "calibrate/gain.h"

namespace platter::calibrate {
namespace {

constexpr double kGainErrors = 3.5;   // that a gain must exceed
constexpr double kLeastGain = 0.002;  // of the mean absolute difference
constexpr int kMostRounds = 12;

struct PolicyCandidate {
  std::string path;
  model::Parameter model::Cache::*cache = nullptr;
  model::Parameter model::Bus::*bus = nullptr;
  double value = 0;

  model::Parameter& in(model::DriveModel& model) const {
    return cache ? model.cache.*cache : model.bus.*bus;
  }
};

struct Policy {
  const char* name;
  model::Parameter model::Cache::*field;
  std::vector<double> values;
};

// Values that do not depend on the drive.
const std::vector<Policy>& policies() {
  using C = model::Cache;
  static const std::vector<double> kFlag = {0, 1};
  static const std::vector<Policy> all = {
      {"write_back_level", &C::write_back_level, {0, 1, 2}},
      {"read_ahead", &C::read_ahead, {0, 1, 2, 3, 4}},
      {"read_ahead_on_hit", &C::read_ahead_on_hit, kFlag},
      {"read_ahead_over_requested", &C::read_ahead_over_requested, kFlag},
      {"read_free_blocks", &C::read_free_blocks, kFlag},
      {"zero_latency_read", &C::zero_latency_read, kFlag},
      {"zero_latency_write", &C::zero_latency_write, kFlag},
      {"read_hit_on_written", &C::read_hit_on_written, kFlag},
      {"combine_sequential_writes", &C::combine_sequential_writes, kFlag},
      {"stop_read_ahead_in_sector", &C::stop_read_ahead_in_sector, kFlag},
      {"write_hit_stops_read_ahead", &C::write_hit_stops_read_ahead, kFlag},
      {"almost_read_hits", &C::almost_read_hits, kFlag},
      {"transfer_partial_hit", &C::transfer_partial_hit, kFlag},
      {"discards_after_transfer", &C::discards_after_transfer, kFlag},
      {"separate_write_segment", &C::separate_write_segment, kFlag},
      {"segments", &C::segments, {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32}},
      {"write_segments", &C::write_segments, {1, 2, 3, 4, 8}},
      {"replacement", &C::replacement, {0, 1, 2}},
      {"read_ahead_by_request", &C::read_ahead_by_request, kFlag},
      {"read_ahead_after_sequential", &C::read_ahead_after_sequential, kFlag},
      {"read_ahead_abort", &C::read_ahead_abort, kFlag},
      {"read_ahead_resumes", &C::read_ahead_resumes, kFlag},
      {"destage_behind", &C::destage_behind, kFlag},
      {"destage_order", &C::destage_order, kFlag},
      {"destage_in_passing", &C::destage_in_passing, kFlag},
  };
  return all;
}

std::vector<PolicyCandidate> candidates(const model::DriveModel& model) {
  std::vector<PolicyCandidate> list;
  for (const Policy& policy : policies())
    for (const double value : policy.values)
      list.push_back({std::string("cache.") + policy.name, policy.field, nullptr, value});
  const double segment = model.cache.segment_blocks.or_else(0);
  list.push_back({"cache.read_ahead_max_blocks", &model::Cache::read_ahead_max_blocks, nullptr, 0});
  std::set<double> sizes;
  for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0})
    sizes.insert(std::round(factor * segment));
  for (const double size : sizes) {
    if (size < 1) continue;
    list.push_back({"cache.segment_blocks", &model::Cache::segment_blocks, nullptr, size});
    list.push_back(
        {"cache.read_ahead_max_blocks", &model::Cache::read_ahead_max_blocks, nullptr, size});
  }
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    list.push_back({"bus.low_write_watermark", nullptr, &model::Bus::low_write_watermark, share});
    list.push_back({"bus.high_read_watermark", nullptr, &model::Bus::high_read_watermark, share});
  }
  return list;
}

}  // namespace

std::vector<PolicyChange> search_policies(model::DriveModel& model, const Measurement& measured,
                                          const std::function<bool()>& keep_on) {
  std::vector<PolicyChange> changes;
  std::optional<Differences> now = differences(model, measured);
  for (int round = 0; now && round < kMostRounds; ++round) {
    std::optional<PolicyCandidate> best;
    Differences best_differences{};
    Gain best_gain;
    for (const PolicyCandidate& candidate : candidates(model)) {
      if (!keep_on()) return changes;
      const model::Parameter before = candidate.in(model);
      if (before.value && *before.value == candidate.value) continue;
      candidate.in(model).value = candidate.value;
      const std::optional<Differences> then = differences(model, measured);
      candidate.in(model) = before;
      if (!then) continue;
      const Gain gain = gain_of(*now, *then);
      if (gain.mean <= kGainErrors * gain.error || gain.mean < kLeastGain * mean(*now)) continue;
      if (best && gain.mean <= best_gain.mean) continue;
      best = candidate;
      best_gain = gain;
      best_differences = *then;
    }
    if (!best) break;
    model::Parameter& parameter = best->in(model);
    changes.push_back({best->path, parameter.or_else(0), best->value, parameter.value.has_value(),
                       best_gain.mean, best_gain.error});
    parameter.value = best->value;
    now = best_differences;
  }
  return changes;
}

}  // namespace platter::calibrate

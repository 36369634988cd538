#include "calibrate/policy_search.h"

#include <cmath>
#include <set>

#include "calibrate/gain.h"
#include "model/stand_ins.h"

namespace platter::calibrate {
namespace {

constexpr double kGainErrors = 3.5;   // that a gain must exceed
constexpr double kLeastGain = 0.002;  // of the mean absolute difference

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
  const double segment = model::acting(model, model.cache.segment_blocks);
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
  // The file's own word, where import took it otherwise: the drive may do what was meant.
  for (const model::DisksimParameter& word : model.disksim)
    if (word.name == "Maximum read-ahead (blks)")
      list.push_back({"cache.read_ahead_max_blocks", &model::Cache::read_ahead_max_blocks, nullptr,
                      word.value});
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
    list.push_back({"bus.high_read_watermark", nullptr, &model::Bus::high_read_watermark, share});
  return list;
}

}  // namespace

std::optional<PolicyStep> best_policy(const model::DriveModel& model, const Measurement& measured,
                                      const Differences& now,
                                      const std::function<bool()>& keep_on) {
  std::optional<PolicyStep> best;
  model::DriveModel next = model;
  for (const PolicyCandidate& candidate : candidates(model)) {
    if (!keep_on()) return std::nullopt;
    const model::Parameter before = candidate.in(next);
    if (before.value && *before.value == candidate.value) continue;
    candidate.in(next).value = candidate.value;
    if (const std::optional<Differences> then = differences(next, measured)) {
      const Gain gain = gain_of(now, *then);
      if (gain.mean > kGainErrors * gain.error && gain.mean >= kLeastGain * mean(now) &&
          (!best || gain.mean > best->gain.mean))
        best = PolicyStep{next, candidate.path, before.value, candidate.value, gain};
    }
    candidate.in(next) = before;
  }
  return best;
}

}  // namespace platter::calibrate

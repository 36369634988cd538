#include "cache_probe/responses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "statistics/robust.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds:
// priors and bounds for the times of hits and misses, which the control probes then replace.
constexpr double kUsualHit_rev = 0.05, kLeastSpread = 0.35, kMostSpread = 0.8;
constexpr double kWritesUnlikeReads = 0.5, kUnlikeSpread = 1.2;  // of the logarithm of a hit's time
constexpr double kHitAtMost_rev = 0.4;                           // a control hit beyond was none
constexpr double kLeastLateSpread_rev = 0.03, kMostLateSpread_rev = 0.15;
constexpr double kKernel_rev = 0.12;  // where angles do not tell when a miss ends
constexpr double kOutliers = 0.03;    // responses that are neither: anything up to kWorst_rev
constexpr double kWorst_rev = 2.5;
constexpr double kLeastEarly = 0.004;  // misses before their sector arrives: angles err
constexpr double kEarlyResponse_rev = 0.15;
// A sector that just went by costs a revolution more, a far way two; where the spindle is fast,
// several.
constexpr std::array kTurnsMore = {0.73, 0.19, 0.05, 0.01, 0.01, 0.005, 0.005};
constexpr double kUnlikeAll = 0.02;  // of the misses take a time that no control had

double normal(double x, double spread) {
  const double z = x / spread;
  return std::exp(-0.5 * z * z) / (spread * 2.5066282746);
}

double outlier(double response_rev) {
  return (response_rev < kWorst_rev ? 1 : std::exp(kWorst_rev - response_rev)) / kWorst_rev;
}

}  // namespace

Responses::Responses(const Record& record)
    : period_ns_(record.setting.period_ns), trusted_(record.setting.angles_trusted) {
  std::vector<double> hits, late;
  for (const Observation& seen : record.observations) {
    const double response = static_cast<double>(seen.response_ns()) / period_ns_;
    switch (seen.question) {
      case Question::miss_control:
        misses_rev_.push_back(response);
        if (seen.ahead_rev >= 0) late.push_back(response - seen.ahead_rev);
        break;
      case Question::reread:
      case Question::next_block:
      case Question::next_block_later:
        if (response < kHitAtMost_rev) hits.push_back(std::log(std::max(1e-6, response)));
        break;
      default:
        break;
    }
  }
  trusted_ = trusted_ && late.size() >= 4;
  const double centre = hits.empty() ? std::log(kUsualHit_rev) : statistics::median(hits);
  hit_rev_ = std::exp(centre);
  hit_spread_ = hits.size() < 4
                    ? kMostSpread
                    : std::clamp(2 * statistics::mad_sigma(hits), kLeastSpread, kMostSpread);
  if (!late.empty()) {
    // What took a revolution more is no part of it.
    for (double& value : late)
      if (value > 0) value -= std::floor(value + kEarlyResponse_rev);
    late_rev_ = statistics::median(late);
    const auto early = std::ranges::count_if(
        late, [&](double value) { return value < late_rev_ - kEarlyResponse_rev; });
    early_share_ = std::max(kLeastEarly,
                            (static_cast<double>(early) - 0.5) / static_cast<double>(late.size()));
    late_spread_rev_ = std::clamp(1.5 * statistics::mad_sigma(late), kLeastLateSpread_rev,
                                  kMostLateSpread_rev);
  }
}

double Responses::if_hit(double response_rev, bool write) const {
  const double response = std::max(1e-6, response_rev);
  const double late = std::log(response / hit_rev_);
  const double like_read = normal(late, hit_spread_) / response;
  if (!write) return like_read;
  // The controls are reads; writes that wait for nothing may take some times as long.
  return (1 - kWritesUnlikeReads) * like_read +
         kWritesUnlikeReads * normal(late, kUnlikeSpread) / response;
}

double Responses::if_miss(double response_rev, double ahead_rev) const {
  if (trusted_ && ahead_rev >= 0) {
    const double late = response_rev - ahead_rev - late_rev_;
    double sum = 0;
    for (std::size_t turns = 0; turns < kTurnsMore.size(); ++turns)
      sum += kTurnsMore[turns] * normal(late - static_cast<double>(turns), late_spread_rev_);
    return sum;
  }
  if (misses_rev_.empty()) return response_rev > kHitAtMost_rev ? 1 : 0;
  double sum = 0;
  for (const double miss : misses_rev_) sum += normal(response_rev - miss, kKernel_rev);
  return (1 - kUnlikeAll) * sum / static_cast<double>(misses_rev_.size()) +
         kUnlikeAll * std::exp(-response_rev);
}

double Responses::log_ratio(const Observation& seen) const {
  const double response = static_cast<double>(seen.response_ns()) / period_ns_;
  const double neither = outlier(response);
  // Delays only add: what comes before its sector was no miss.
  const bool early = trusted_ && seen.ahead_rev >= 0 &&
                     response < seen.ahead_rev + late_rev_ - kEarlyResponse_rev;
  const double ratio =
      std::log((1 - kOutliers) * if_hit(response, seen.write) + kOutliers * neither) -
      std::log((1 - kOutliers) * if_miss(response, seen.ahead_rev) +
               (early ? early_share_ : kOutliers) * neither);
  return std::clamp(ratio, -kMostTold, kMostTold);
}

}  // namespace platter::cache_probe

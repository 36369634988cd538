#include "calibrate/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "statistics/distribution.h"

namespace platter::calibrate {
namespace {

constexpr double kSureGain = 2, kSurelyMore = 4;  // standard errors

// Response times in order, each with its stretch.
using Times = std::vector<std::pair<double, std::size_t>>;

Times times_of(const replay::Result& result, Range judge) {
  Times times;
  for (std::size_t i = judge.begin; i < judge.end; ++i)
    times.emplace_back(to_ms(result.requests[i].response_ns), stretch_of(judge, i));
  std::ranges::sort(times);
  return times;
}

// kStretches leaves none out.
std::vector<double> without(const Times& times, std::size_t stretch) {
  std::vector<double> left;
  for (const auto& [time_ms, of] : times)
    if (of != stretch) left.push_back(time_ms);
  return left;
}

// Jackknife: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11.
Gain demerit_gain(const Times& drive, const Times& before, const Times& after) {
  const auto gain = [&](std::size_t left_out) {
    const std::vector<double> truth = without(drive, left_out);
    return statistics::demerit(truth, without(before, left_out)) -
           statistics::demerit(truth, without(after, left_out));
  };
  std::array<double, kStretches> parts{};
  double mean = 0, squares = 0;
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    parts[stretch] = gain(stretch);
    mean += parts[stretch] / kStretches;
  }
  for (const double part : parts) squares += (part - mean) * (part - mean);
  return {gain(kStretches), std::sqrt(squares * (kStretches - 1) / kStretches)};
}

Differences differences_of(const replay::Result& drive, const replay::Result& model, Range judge) {
  Differences sums{};
  std::array<std::size_t, kStretches> counts{};
  for (std::size_t i = judge.begin; i < judge.end; ++i) {
    const std::size_t stretch = stretch_of(judge, i);
    sums[stretch] += std::abs(to_ms(model.requests[i].response_ns - drive.requests[i].response_ns));
    ++counts[stretch];
  }
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch)
    sums[stretch] /= static_cast<double>(std::max<std::size_t>(1, counts[stretch]));
  return sums;
}

}  // namespace

Verdict verdict_of(const replay::Result& drive, const replay::Result& before,
                   const replay::Result& after, Range judge) {
  Verdict verdict;
  verdict.difference = gain_of(differences_of(drive, before, judge),
                               differences_of(drive, after, judge));
  verdict.demerit = demerit_gain(times_of(drive, judge), times_of(before, judge),
                                 times_of(after, judge));
  const auto sure = [](const Gain& gain) { return gain.mean > kSureGain * gain.error; };
  verdict.better = verdict.difference.mean >= 0 && verdict.demerit.mean >= 0 &&
                   (sure(verdict.difference) || sure(verdict.demerit));
  verdict.no_worse = verdict.difference.mean >= 0 &&
                     verdict.demerit.mean >= -kSureGain * verdict.demerit.error;
  return verdict;
}

bool knows_more_positions(const replay::Comparison& before, const replay::Comparison& after,
                          bool drives_time) {
  const replay::ClassMetrics &was = before.classes.front(), &is = after.classes.front();
  const auto share = [&](const replay::ClassMetrics& of) {
    return (drives_time ? of.folded_phase_share : of.folded_phase_share_reanchored).value_or(0);
  };
  const auto variance = [&](const replay::ClassMetrics& of) {
    return share(of) * (1 - share(of)) / static_cast<double>(std::max<std::size_t>(1, of.phase_n));
  };
  return share(is) - share(was) > kSurelyMore * std::sqrt(variance(was) + variance(is));
}

}  // namespace platter::calibrate

#include "estimate/walked_rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "estimate/periods.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

// A count of revolutions is beyond doubt while its uncertainty is below this share of one.
constexpr double kCounted_rev = 0.04;
constexpr double kOneTime_s = 3;  // a spindle's wander, held by its servo, is about as fast
constexpr std::size_t kFewestOfPiece = 8;  // reads of one track, and gaps that tell anything

bool tells_period(const Sample& s) {
  return !s.write && s.blocks == 1 && s.experiment == Experiment::rotation;
}

// From one read of the walk to the next: `turns` periods, less `steps` angles.
struct Gap {
  double ns = 0, steps = 0, turns = 0;
};

struct Pace {
  double period_ns = 0, step_ns = 0, error_ns = 0;  // of the period
};

// What the gaps have in common modulo a period, for the longest period for which they have.
std::optional<Pace> coarse_pace(const std::vector<Gap>& gaps) {
  constexpr double kInPhase = 0.8, kAsGood = 0.93;
  double longest = 0;
  for (const Gap& gap : gaps) longest = std::max(longest, gap.ns);
  const double step = 1.0 / (20 * longest);
  const auto sums = [&](double per_ns) {
    double sine = 0, cosine = 0;
    for (const Gap& gap : gaps) {
      sine += std::sin(2 * std::numbers::pi * gap.ns * per_ns);
      cosine += std::cos(2 * std::numbers::pi * gap.ns * per_ns);
    }
    return std::pair(sine / static_cast<double>(gaps.size()),
                     cosine / static_cast<double>(gaps.size()));
  };
  const auto length = [&](double per_ns) {
    const auto [sine, cosine] = sums(per_ns);
    return std::hypot(sine, cosine);
  };
  double most = 0;
  for (double f = 1 / kLongestPeriod_ns; f <= 1 / kShortestPeriod_ns; f += step)
    most = std::max(most, length(f));
  if (most < kInPhase) return std::nullopt;
  double f = 1 / kLongestPeriod_ns;
  while (length(f) < kAsGood * most) f += step;
  while (length(f + step / 4) > length(f)) f += step / 4;  // to the top
  const auto [sine, cosine] = sums(f);
  double steps = 0;
  for (const Gap& gap : gaps) steps += gap.steps / static_cast<double>(gaps.size());
  return Pace{1 / f, -std::atan2(sine, cosine) / (2 * std::numbers::pi) / f / steps, step / f / f};
}

// The shorter ones, few of about one length: gaps of one number of turns tell no period.
std::vector<Gap> of_many_lengths(std::vector<Gap> gaps) {
  constexpr double kShort = 5, kAlike = 0.2;
  constexpr std::size_t kMost = 4;
  std::ranges::sort(gaps, {}, &Gap::ns);
  const double quarter = gaps[gaps.size() / 4].ns;
  std::vector<Gap> chosen;
  for (const Gap& gap : gaps) {
    if (gap.ns > kShort * quarter) break;
    const bool many = chosen.size() >= kMost &&
                      gap.ns - chosen[chosen.size() - kMost].ns < kAlike * quarter;
    if (!many) chosen.push_back(gap);
  }
  return chosen;
}

double turns_of(const Gap& gap, const Pace& pace) {
  return std::round((gap.ns + pace.step_ns * gap.steps) / pace.period_ns);
}

// Of ever longer gaps, as far as their revolutions can be counted.
Pace sharpened(const std::vector<Gap>& gaps, Pace pace) {
  for (std::size_t used = 0;;) {
    std::vector<double> ns, rows;
    for (const Gap& gap : gaps) {
      const double turns = turns_of(gap, pace);
      if (turns < 1 || turns * pace.error_ns > kCounted_rev * pace.period_ns) continue;
      ns.push_back(gap.ns);
      rows.insert(rows.end(), {turns, -gap.steps});
    }
    if (ns.size() < kFewestOfPiece || ns.size() == used) return pace;
    used = ns.size();
    statistics::Matrix design(ns.size(), 2);
    design.data = rows;
    const auto fit = statistics::huber_regression(design, ns);
    if (!fit) return pace;
    // A few gaps that are all alike tell their scatter badly.
    pace = {fit->coefficients[0], fit->coefficients[1],
            2 * std::sqrt(fit->covariance.at(0, 0)) + 1e-6 * fit->coefficients[0]};
  }
}

// The walk in pieces, one for each track: where the next read and the one behind it lie elsewhere
// than the pace has them, the one before was the track's last. One alone came late.
std::vector<std::vector<std::size_t>> pieces_of(const std::vector<Gap>& gaps, const Pace& pace) {
  std::vector<double> off;
  for (const Gap& gap : gaps)
    off.push_back((gap.ns + pace.step_ns * gap.steps) / pace.period_ns - turns_of(gap, pace));
  const double usual = statistics::median(off);
  constexpr double kSigmas = 8, kLeast_rev = 0.01;
  const double limit = std::max(kLeast_rev, kSigmas * statistics::mad_sigma(off));
  std::vector<std::vector<std::size_t>> pieces{{0}};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const bool sure = gaps[i].turns * pace.error_ns <= kCounted_rev * pace.period_ns;
    const double next = i + 1 < gaps.size() ? off[i + 1] - usual : 0;
    const bool moved = std::abs(off[i] - usual) > limit && std::abs(off[i] - usual + next) > limit;
    if (!sure || moved) pieces.emplace_back();
    pieces.back().push_back(i + 1);
  }
  std::erase_if(pieces, [](const auto& piece) { return piece.size() < kFewestOfPiece; });
  return pieces;
}

// Of the first coefficient, where residuals of about one time have the spindle's wander in common:
// the covariance of clustered observations (Liang and Zeger, Biometrika 73 (1986), 13-22).
double error_with_wander(const statistics::Matrix& design, const std::vector<double>& residuals,
                         const std::vector<double>& time_s, double noise) {
  constexpr double kOutlier = 6;
  statistics::Matrix square(design.columns, design.columns);
  for (std::size_t r = 0; r < design.rows; ++r)
    for (std::size_t a = 0; a < design.columns; ++a)
      for (std::size_t b = 0; b < design.columns; ++b)
        square.at(a, b) += design.at(r, a) * design.at(r, b);
  std::vector<double> wanted(design.columns, 0.0);
  wanted[0] = 1;
  const std::vector<double> pull = statistics::solve_symmetric(square, wanted);
  double variance = 0, together = 0;
  std::optional<double> began_s;
  for (std::size_t r = 0; r < design.rows; ++r) {
    if (!began_s || time_s[r] - *began_s > kOneTime_s) {
      variance += together * together;
      together = 0;
      began_s = time_s[r];
    }
    double weight = 0;
    for (std::size_t a = 0; a < design.columns; ++a) weight += pull[a] * design.at(r, a);
    together += weight * std::clamp(residuals[r], -kOutlier * noise, kOutlier * noise);
  }
  return std::sqrt(variance + together * together);
}

}  // namespace

bool is_walk(const Samples& samples) {
  std::set<std::uint64_t> lbns;
  std::size_t reads = 0;
  for (const Sample& s : samples)
    if (tells_period(s)) {
      lbns.insert(s.lbn);
      ++reads;
    }
  return reads >= kFewestOfPiece && lbns.size() > reads / 2;
}

std::optional<WalkedRotation> walked_rotation(const Samples& walk) {
  Samples reads;
  std::ranges::copy_if(walk, std::back_inserter(reads), tells_period);
  std::ranges::sort(reads, {}, &Sample::completed_ns);
  if (reads.size() <= kFewestOfPiece) return std::nullopt;
  std::uint64_t unit = std::numeric_limits<std::uint64_t>::max();
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    if (reads[i].lbn >= reads[i - 1].lbn) return std::nullopt;
    unit = std::min(unit, reads[i - 1].lbn - reads[i].lbn);
  }
  for (std::size_t i = 1; i < reads.size(); ++i)
    gaps.push_back(
        {static_cast<double>(reads[i].completed_ns - reads[i - 1].completed_ns),
         static_cast<double>(reads[i - 1].lbn - reads[i].lbn) / static_cast<double>(unit)});
  const auto coarse = coarse_pace(of_many_lengths(gaps));
  if (!coarse) return std::nullopt;
  const Pace pace = sharpened(gaps, *coarse);
  for (Gap& gap : gaps) gap.turns = turns_of(gap, pace);

  // Each piece with a beginning of its own; the period and the step are common to all.
  const auto pieces = pieces_of(gaps, pace);
  std::vector<double> steps{0};  // so far, of each read
  for (const Gap& gap : gaps) steps.push_back(steps.back() + gap.steps);
  std::vector<double> rows, times, began_s;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::size_t first = pieces[p].front();
    double turns = 0;
    for (const std::size_t i : pieces[p]) {
      if (i != first) turns += gaps[i - 1].turns;
      times.push_back(static_cast<double>(reads[i].completed_ns - reads[first].completed_ns));
      began_s.push_back(static_cast<double>(reads[i].completed_ns) * 1e-9);
      rows.insert(rows.end(), {turns, steps[first] - steps[i]});
      for (std::size_t other = 0; other < pieces.size(); ++other) rows.push_back(other == p);
    }
  }
  statistics::Matrix design(times.size(), 2 + pieces.size());
  design.data = rows;
  const auto fit = statistics::huber_regression(design, times);
  if (!fit) return std::nullopt;
  const double noise_ns = std::max(statistics::mad_sigma(fit->residuals), 1.0);
  const double error_ns = std::max(std::sqrt(fit->covariance.at(0, 0)),
                                   error_with_wander(design, fit->residuals, began_s, noise_ns));
  // The line takes a part of the wander for the period, most of all in a short time: Chosen, by
  // what it missed by on virtual drives in 5 to 45 s.
  const double too_little = 1.5 + std::pow(4 * kOneTime_s / (began_s.back() - began_s.front()), 2);
  return WalkedRotation{{fit->coefficients[0], too_little * error_ns, times.size()}, noise_ns};
}

}  // namespace platter::estimate

#include "mtbrc/walked_rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "mtbrc/probe.h"
#include "mtbrc/rotation.h"
#include "scsi/physical_blocks.h"
#include "statistics/regression.h"
#include "statistics/robust.h"

namespace platter::mtbrc {
namespace {

// A count of revolutions is beyond doubt while its uncertainty is below this share of one.
constexpr double kCounted_rev = 0.04;
constexpr std::size_t kFewestOfPiece = 8;  // reads of one track, and gaps that tell anything

bool tells_period(const Sample& s) {
  return !s.write && s.blocks == 1 &&
         (s.experiment == Experiment::rotation || s.experiment == Experiment::anchor);
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

double turns_of(const Gap& gap, const Pace& pace) {
  return std::round((gap.ns + pace.step_ns * gap.steps) / pace.period_ns);
}

// Of ever longer gaps, as far as their revolutions can be counted.
Pace sharpened(std::vector<Gap> gaps, Pace pace) {
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

}  // namespace

std::optional<std::uint64_t> FreshWalk::next() {
  while (next_) {
    const std::uint64_t lbn = *next_;
    const LbnRange whole = context_.drive.physical_blocks().covering(lbn, 1);
    next_ = whole.first > 0 ? std::optional(whole.first - 1) : std::nullopt;
    if (!context_.drive.was_read(lbn) && !context_.drive.leaves_out(lbn, 1)) return lbn;
  }
  return std::nullopt;
}

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

std::optional<StraightenedWalk> straightened(const Samples& walk) {
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
  std::vector<double> lengths;
  for (const Gap& gap : gaps) lengths.push_back(gap.ns);
  const double quarter = statistics::quantile_of(lengths, 0.25);
  constexpr double kShort = 5;
  std::vector<Gap> shorter;
  std::ranges::copy_if(gaps, std::back_inserter(shorter),
                       [&](const Gap& gap) { return gap.ns < kShort * quarter; });
  const auto coarse = coarse_pace(shorter);
  if (!coarse) return std::nullopt;
  const Pace pace = sharpened(gaps, *coarse);
  for (Gap& gap : gaps) gap.turns = turns_of(gap, pace);

  const auto pieces = pieces_of(gaps, pace);
  std::size_t rows = 0;
  for (const auto& piece : pieces) rows += piece.size();
  if (rows == 0) return std::nullopt;
  // Each piece with a beginning of its own; the period and the step are common to all.
  statistics::Matrix design(rows, 2 + pieces.size());
  std::vector<double> times;
  double all_turns = 0, all_steps = 0;
  std::vector<double> steps_of(reads.size(), 0);
  for (std::size_t i = 1; i < reads.size(); ++i) steps_of[i] = steps_of[i - 1] + gaps[i - 1].steps;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::size_t first = pieces[p].front();
    double turns = 0;
    for (const std::size_t i : pieces[p]) {
      if (i != first) turns += gaps[i - 1].turns;
      const std::size_t row = times.size();
      times.push_back(static_cast<double>(reads[i].completed_ns - reads[first].completed_ns));
      design.at(row, 0) = turns;
      design.at(row, 1) = -(steps_of[i] - steps_of[first]);
      design.at(row, 2 + p) = 1;
    }
    all_turns += turns;
    all_steps += steps_of[pieces[p].back()] - steps_of[first];
  }
  const auto fit = statistics::huber_regression(design, times);
  if (!fit || all_turns <= 0) return std::nullopt;
  StraightenedWalk result;
  const double step_ns = fit->coefficients[1];
  result.period_error_ns = std::sqrt(fit->covariance.at(1, 1)) * all_steps / all_turns;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (const std::size_t i : pieces[p]) {
      Sample straight = reads[i];
      straight.lbn = reads.front().lbn;
      straight.completed_ns += std::llround(step_ns * (steps_of[i] - steps_of[pieces[p].front()]));
      straight.session = static_cast<std::uint32_t>(p);
      result.samples.push_back(straight);
    }
  return result;
}

}  // namespace platter::mtbrc

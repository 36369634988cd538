#include "layout_by_timing/walk.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::layout_by_timing {
namespace {

struct Step {
  std::uint64_t block = 0;
  double rev = 0;  // less what a track of `around` sectors would turn by: constant on a track
};

// Where neighbours differ by more than readings scatter.
double jump_threshold(const Jitter& jitter) { return std::max(0.012, 6 * jitter.sigma_rev); }

// Readings of one track after another: a reading begins another track if the next ones do not go on
// with this one either; else it was held up, and is left out.
std::vector<std::vector<Step>> by_track(const std::vector<Step>& steps, double threshold) {
  constexpr std::size_t kNear = 5, kAhead = 2;
  std::vector<std::vector<Step>> tracks;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (tracks.empty()) {
      tracks.push_back({steps[i]});
      continue;
    }
    std::vector<double> offs;
    std::vector<Step>& track = tracks.back();
    for (std::size_t back = 0; back < std::min(kNear, track.size()); ++back)
      offs.push_back(statistics::wrap_rev(track[track.size() - 1 - back].rev - track.back().rev));
    const double here = track.back().rev + statistics::median(offs);
    const auto goes_on = [&](std::size_t j) {
      // Of a track of another size than was taken, readings creep away from the earlier ones.
      return j < steps.size() &&
             (std::abs(statistics::wrap_rev(steps[j].rev - here)) < threshold ||
              std::abs(statistics::wrap_rev(steps[j].rev - track.back().rev)) < threshold);
    };
    if (goes_on(i)) {
      track.push_back(steps[i]);
      continue;
    }
    bool held_up = false;
    for (std::size_t j = i + 1; j <= i + kAhead; ++j) held_up = held_up || goes_on(j);
    if (!held_up) tracks.push_back({steps[i]});
  }
  return tracks;
}

// The line through one track's readings, its outliers left out.
Piece fit(std::vector<Step> steps, double around, const Jitter& jitter) {
  Piece piece;
  piece.first = steps.front().block;
  piece.last = steps.back().block;
  const double base = steps[steps.size() / 2].rev;
  double slope = 0, middle = 0, x = 0, xx = 0;
  std::vector<double> offs;
  for (const Step& step : steps) offs.push_back(statistics::wrap_rev(step.rev - base));
  std::vector<bool> in(steps.size(), true);
  std::size_t n = 0;
  for (int pass = 0; pass < 3; ++pass) {
    double y = 0;
    x = 0, n = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (in[i]) x += static_cast<double>(steps[i].block), y += offs[i], ++n;
    if (n == 0) break;
    x /= static_cast<double>(n), y /= static_cast<double>(n);
    double xy = 0;
    xx = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!in[i]) continue;
      const double dx = static_cast<double>(steps[i].block) - x;
      xx += dx * dx, xy += dx * (offs[i] - y);
    }
    slope = xx > 0 && n > 3 ? xy / xx : 0;
    middle = y;
    for (std::size_t i = 0; i < steps.size(); ++i)
      in[i] = std::abs(offs[i] - middle - slope * (static_cast<double>(steps[i].block) - x)) <
              4 * jitter.sigma_rev;
    if (std::ranges::count(in, true) < 4) std::fill(in.begin(), in.end(), true);
  }
  const double per_block = 1 / around + slope;
  piece.readings = n;
  piece.of = x;
  piece.at_rev = statistics::turn_rev(base + middle + x / around);
  piece.around = 1 / per_block;
  piece.around_error = xx > 0 ? jitter.sigma_rev / std::sqrt(xx) * piece.around * piece.around
                              : 1e9;
  return piece;
}

}  // namespace

std::optional<double> Walker::find_around(std::uint64_t near) {
  // Farther and farther on the track, each time far less than a turn beyond what is foreseen.
  for (int attempt = 0; attempt < 12; ++attempt, near += 1009) {
    const auto read = [&](std::uint64_t block) -> std::optional<double> {
      std::vector<double> seen;
      for (int i = 0; i < 3; ++i)
        if (const auto rev = prober_.angle(block)) seen.push_back(*rev);
      if (seen.empty()) return std::nullopt;
      const double first = seen.front();
      for (double& rev : seen) rev = statistics::wrap_rev(rev - first);
      return first + statistics::median(seen);
    };
    const auto zero = read(near);
    if (!zero) continue;
    double per_block = 0.004, unsure = 0.5;
    std::uint64_t reach = 0;
    // Of a track of 100 blocks or more 2 are less than 0.02; where they are more than 0.1, but a
    // single one is not, a track has 11 at least.
    for (std::uint64_t on = 2; on < 20'000; on = on * 3 / 2 + 1) {
      const auto there = read(near + on);
      if (!there) break;
      const double foreseen = reach == 0 ? 0 : per_block * static_cast<double>(on);
      const double off = statistics::wrap_rev(*there - *zero - foreseen);
      if (std::abs(off) >
          (reach == 0 ? 0.1 : std::max(unsure * static_cast<double>(on) * 5, 0.012))) {
        if (reach > 0 || on == 1) break;  // another track
        on = 0;
        continue;
      }
      per_block = (foreseen + off) / static_cast<double>(on);
      unsure = 1.5 * prober_.frame().jitter().sigma_rev / static_cast<double>(on);
      reach = on;
      if (per_block * static_cast<double>(on) > 0.25) break;
    }
    if (reach > 0 && per_block * static_cast<double>(reach) > 0.1 && per_block > 0)
      return 1 / per_block;
  }
  return std::nullopt;
}

void Walker::find_gap(std::uint64_t near, double around) {
  constexpr std::array<double, 9> kGaps_us{100, 140, 190, 240, 300, 380, 500, 700, 1000};
  constexpr int kReads = 24, kMayMiss = 1;
  const double period_us = prober_.frame().period_ns() / 1e3;
  for (const double gap_us : kGaps_us) {
    gap_rev_ = gap_us / period_us;
    const auto step = static_cast<std::uint64_t>(std::max(1.0, std::ceil(gap_rev_ * around)));
    gap_rev_ = static_cast<double>(step) / around;
    int missed = 0, reads = 0;
    for (int i = 0; i < kReads; ++i, near += step) {
      if (!prober_.angle(near)) continue;
      ++reads;
      // The first one comes from anywhere; at the end of a track the next one may come by too soon.
      if (i > 0 && static_cast<double>(prober_.last_took_ns()) > 0.7 * period_us * 1e3) ++missed;
    }
    if (reads > kReads / 2 && missed <= kMayMiss) break;
  }
  gap_rev_ *= 1.2;
}

std::vector<Piece> Walker::walk(std::uint64_t from, double around, double revolutions) {
  const auto gap = static_cast<std::uint64_t>(std::max(1.0, std::ceil(gap_rev_ * around)));
  const auto reads = static_cast<std::size_t>(revolutions * around / static_cast<double>(gap)) + 1;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < reads; ++i) {
    std::uint64_t block = from + i * gap;
    while (!prober_.fresh(block) && block + 1 < from + (i + 1) * gap) ++block;
    if (const auto rev = prober_.angle(block))
      steps.push_back({block, statistics::turn_rev(*rev - static_cast<double>(block) / around)});
  }
  const Jitter& jitter = prober_.frame().jitter();
  std::vector<Piece> pieces;
  for (const std::vector<Step>& track : by_track(steps, jump_threshold(jitter)))
    if (track.size() >= 3) pieces.push_back(fit(track, around, jitter));
  return pieces;
}

bool Walker::begins_with(std::uint64_t block, const Piece& before, const Piece& behind,
                         double around_before, double around_behind) {
  const Jitter& jitter = prober_.frame().jitter();
  const auto left = prober_.angle(block - 1), right = prober_.angle(block);
  return left && right &&
         jitter.evidence(statistics::wrap_rev(*left - before.end_rev(block - 1, around_before))) >
             0 &&
         jitter.evidence(statistics::wrap_rev(*right - behind.end_rev(block, around_behind))) > 0;
}

std::optional<std::uint64_t> Walker::border(const Piece& before, const Piece& behind,
                                            double around_before, double around_behind) {
  const Jitter& jitter = prober_.frame().jitter();
  // Log-odds that a block lies on the second track.
  const auto odds = [&](std::uint64_t block) -> std::optional<double> {
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
      const auto rev = prober_.angle(block);
      if (!rev) return i == 0 ? std::nullopt : std::optional(sum);
      sum += jitter.evidence(statistics::wrap_rev(*rev - behind.end_rev(block, around_behind))) -
             jitter.evidence(statistics::wrap_rev(*rev - before.end_rev(block, around_before)));
      if (std::abs(sum) > 4 || !prober_.may_repeat()) break;
    }
    return sum;
  };
  // One reading that was held up leads astray, so both sides are read again.
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    std::uint64_t on_first = before.last, on_second = behind.first;
    if (on_second <= on_first) return std::nullopt;
    while (on_second - on_first > 1) {
      const std::uint64_t middle = on_first + (on_second - on_first) / 2;
      const auto sum = odds(middle);
      if (!sum) return std::nullopt;
      (*sum > 0 ? on_second : on_first) = middle;
    }
    const auto left = odds(on_first), right = odds(on_second);
    if ((!left || *left < 0) && (!right || *right > 0)) return on_second;
  }
  return std::nullopt;
}

}  // namespace platter::layout_by_timing

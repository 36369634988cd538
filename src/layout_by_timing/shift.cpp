#include "layout_by_timing/shift.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/circular.h"

namespace platter::layout_by_timing {

Run shifted(Run run, std::int64_t blocks) {
  run.first -= static_cast<std::uint64_t>(blocks);
  return run;
}

namespace {

// In front of the first band and behind the last as if those went on.
const Run& with_block(std::span<const Run> bands, std::uint64_t block) {
  const auto behind = bands.first(bands.size() - 1);
  const auto on = std::ranges::find_if(behind, [&](const Run& band) { return block < band.end(); });
  return on == behind.end() ? bands.back() : *on;
}

// Where the next tracks begin.
std::vector<std::uint64_t> borders_of(std::span<const Run> bands) {
  constexpr std::size_t kMost = 4;
  std::vector<std::uint64_t> borders;
  for (const Run& band : bands)
    for (std::uint64_t border = band.first; border < band.end() && borders.size() <= kMost;
         border += band.slots)
      borders.push_back(border);
  borders.erase(borders.begin());  // what is in front of it is not known
  return borders;
}

}  // namespace

// Some sectors more or fewer are as likely by their angle: where tracks begin tells them apart.
std::optional<std::int64_t> ShiftFinder::exactly(std::span<const Run> bands, std::int64_t about,
                                                 std::int64_t more_or_less) {
  constexpr int kMostReadings = 16;
  constexpr double kLead = 4;  // log-odds
  const Jitter& jitter = prober_.frame().jitter();
  const std::vector<std::uint64_t> borders = borders_of(bands);
  const double unsure = 1.5 / bands.front().around();
  std::vector<std::int64_t> possible;
  for (std::int64_t lost = about - more_or_less; lost <= about + more_or_less; ++lost)
    possible.push_back(lost);
  const std::int64_t least = possible.front();
  std::vector<double> odds(possible.size(), 0.0);
  for (int readings = 0; readings < kMostReadings && possible.size() > 1; ++readings) {
    // Behind the border if it is that many at least.
    const std::uint64_t border = borders[std::uniform_int_distribution<std::size_t>(
        0, borders.size() - 1)(prober_.random())];
    const std::int64_t test = possible[possible.size() / 2];
    const std::int64_t block = static_cast<std::int64_t>(border) - test;
    const auto seen = prober_.angle(static_cast<std::uint64_t>(block));
    if (!seen) continue;
    for (std::size_t i = 0; i < odds.size(); ++i) {
      const auto as = static_cast<std::uint64_t>(block + least + static_cast<std::int64_t>(i));
      odds[i] += jitter.evidence(
          statistics::wrap_rev(*seen - with_block(bands, as).end_of_block_rev(as)), unsure);
    }
    const double best = *std::ranges::max_element(odds);
    possible.clear();
    for (std::size_t i = 0; i < odds.size(); ++i)
      if (odds[i] > best - kLead) possible.push_back(least + static_cast<std::int64_t>(i));
  }
  if (possible.size() > 1) return std::nullopt;
  return possible.front();
}

std::optional<std::int64_t> ShiftFinder::find(std::span<const Run> bands, std::int64_t least,
                                              std::int64_t most) {
  constexpr std::int64_t kMostNumbers = 1 << 20;
  constexpr int kMostReadings = 14;
  constexpr double kEnough = 12, kLead = 8;  // log-odds
  if (bands.size() < 2 || most < least || most - least > kMostNumbers) return std::nullopt;
  const auto first = static_cast<std::int64_t>(bands.front().first) -
                     std::min<std::int64_t>(0, least);
  const auto last = static_cast<std::int64_t>(bands.back().end()) - 1 - most;
  if (last <= first) return std::nullopt;
  const Jitter& jitter = prober_.frame().jitter();
  // As far as an angle tells, and less than a track.
  const double around = bands.front().around();
  const auto more_or_less = static_cast<std::int64_t>(
      std::min(std::ceil(6 * jitter.sigma_rev * around) + 1, std::floor(around / 4)));
  std::vector<double> odds(static_cast<std::size_t>(most - least + 1), 0.0);
  for (int readings = 0; readings < kMostReadings; ++readings) {
    const std::int64_t block = std::uniform_int_distribution<std::int64_t>(first,
                                                                           last)(prober_.random());
    const auto seen = prober_.angle(static_cast<std::uint64_t>(block));
    if (!seen) continue;
    auto band = bands.begin();
    for (std::int64_t lost = least; lost <= most; ++lost) {
      const auto as = static_cast<std::uint64_t>(block + lost);
      while (as >= band->end() && band + 1 != bands.end()) ++band;
      odds[static_cast<std::size_t>(lost - least)] +=
          jitter.evidence(statistics::wrap_rev(*seen - band->end_of_block_rev(as)));
    }
    const auto best = std::ranges::max_element(odds);
    if (*best < kEnough) continue;
    const std::int64_t about = least + (best - odds.begin());
    const bool alone = std::ranges::none_of(odds, [&](const double& other) {
      return other > *best - kLead && std::abs(&other - &*best) > more_or_less;
    });
    if (alone) return exactly(bands, about, more_or_less);
  }
  return std::nullopt;
}

}  // namespace platter::layout_by_timing

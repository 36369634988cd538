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

// Some sectors more or fewer are as likely by their angle: borders tell them apart.
std::optional<std::int64_t> ShiftFinder::exactly(std::span<const Run> bands, std::int64_t about,
                                                 std::int64_t more_or_less) {
  for (const Run& band : bands) {
    if (band.tracks < 2) continue;
    const std::int64_t least = about - more_or_less;
    const std::uint32_t late = std::min(band.tracks - 2, 30U);
    const auto found = losses_.lost_before(shifted(band, least), 0, late, 0,
                                           static_cast<std::uint32_t>(2 * more_or_less));
    if (!found) return std::nullopt;
    return least + found->lost;
  }
  return about;
}

std::optional<std::int64_t> ShiftFinder::find(std::span<const Run> bands, std::int64_t least,
                                              std::int64_t most) {
  constexpr std::int64_t kMostNumbers = 1 << 20;
  constexpr int kMostReadings = 14;
  constexpr double kEnough = 12, kLead = 8;  // log-odds
  if (bands.empty() || most < least || most - least > kMostNumbers) return std::nullopt;
  const auto first = static_cast<std::int64_t>(bands.front().first) -
                     std::min<std::int64_t>(0, least);
  const auto last = static_cast<std::int64_t>(bands.back().end()) - 1 - most;
  if (last <= first) return std::nullopt;
  const Jitter& jitter = prober_.frame().jitter();
  const auto more_or_less =
      static_cast<std::int64_t>(std::ceil(6 * jitter.sigma_rev * bands.front().around())) + 1;
  std::vector<double> odds(static_cast<std::size_t>(most - least + 1), 0.0);
  for (int readings = 0; readings < kMostReadings; ++readings) {
    const std::int64_t block = std::uniform_int_distribution<std::int64_t>(first,
                                                                           last)(prober_.random());
    const auto seen = prober_.angle(static_cast<std::uint64_t>(block));
    if (!seen) continue;
    auto band = bands.begin();
    for (std::int64_t lost = least; lost <= most; ++lost) {
      const auto as = static_cast<std::uint64_t>(block + lost);
      while (as >= band->end()) ++band;
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

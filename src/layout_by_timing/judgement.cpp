#include "layout_by_timing/judgement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <span>

#include "statistics/circular.h"
#include "statistics/robust.h"
#include "statistics/share.h"

namespace platter::layout_by_timing {
namespace {

// The middle of the half turn that holds most of them, then the median of those near it: blocks
// that the map has wrong lie anywhere.
double common_rev(const std::vector<double>& offs) {
  constexpr double kNear = 0.02;
  double best = 0;
  std::ptrdiff_t most = -1;
  for (const double about : offs) {
    const auto near = std::ranges::count_if(
        offs, [&](double off) { return std::abs(statistics::wrap_rev(off - about)) < kNear; });
    if (near > most) most = near, best = about;
  }
  std::vector<double> near;
  for (const double off : offs)
    if (std::abs(statistics::wrap_rev(off - best)) < kNear)
      near.push_back(statistics::wrap_rev(off - best));
  return near.empty() ? best : best + statistics::median(near);
}

// Where no block may be read twice nothing holds the frame, and the spindle wanders: of each, the
// median of those read about the same time.
void take_off_drift(std::vector<double>& offs) {
  constexpr std::size_t kHalf = 20;
  if (offs.size() < 2 * kHalf + 1) return;
  std::vector<double> drift;
  for (std::size_t i = 0; i < offs.size(); ++i) {
    const std::size_t from = std::min(i - std::min(i, kHalf), offs.size() - 2 * kHalf - 1);
    drift.push_back(statistics::median(std::span(offs).subspan(from, 2 * kHalf + 1)));
  }
  for (std::size_t i = 0; i < offs.size(); ++i) offs[i] = statistics::wrap_rev(offs[i] - drift[i]);
}

// Of three readings the median; where there are not three, the first.
double middle_of(double first, std::optional<double> second, std::optional<double> third) {
  if (!second || !third) return first;
  std::array<double, 3> all{0, statistics::wrap_rev(*second - first),
                            statistics::wrap_rev(*third - first)};
  std::ranges::sort(all);
  return first + all[1];
}

}  // namespace

std::vector<double> offs_of_random_blocks(Prober& prober, std::uint64_t blocks, std::size_t count,
                                          const std::function<double(std::uint64_t)>& end_rev) {
  constexpr double kFar_rev = 0.005;
  std::uniform_int_distribution<std::uint64_t> any(0, blocks - 1);
  std::vector<std::uint64_t> drawn;
  for (std::size_t i = 0; i < count; ++i) drawn.push_back(any(prober.random()));
  const auto off_of = [&](std::uint64_t block) -> std::optional<double> {
    const auto angle = prober.angle(block);
    if (!angle) return std::nullopt;
    return statistics::wrap_rev(*angle - end_rev(block));
  };
  std::vector<double> offs;
  std::vector<std::uint64_t> read;
  try {
    for (const std::uint64_t block : drawn) {
      auto off = off_of(block);
      if (off && !prober.may_repeat() && block + 2 < blocks)
        off = middle_of(*off, off_of(block + 1), off_of(block + 2));
      if (off) offs.push_back(*off), read.push_back(block);
    }
    if (offs.empty()) return offs;
    const double common = common_rev(offs);
    for (double& off : offs) off = statistics::wrap_rev(off - common);
    if (!prober.may_repeat()) take_off_drift(offs);
    for (std::size_t i = 0; i < offs.size() && prober.may_repeat(); ++i) {
      if (std::abs(offs[i]) < kFar_rev) continue;
      const double again = middle_of(offs[i] + common, off_of(read[i]), off_of(read[i]));
      offs[i] = statistics::wrap_rev(again - common);
    }
  } catch (const OutOfTime&) {
  }
  return offs;
}

std::vector<model::MapShare> shares_of(const std::vector<double>& offs_rev) {
  std::vector<model::MapShare> shares;
  if (offs_rev.empty()) return shares;
  for (const double within : {1.0 / 32, 1.0 / 100, 1.0 / 200}) {
    const auto inside = std::ranges::count_if(offs_rev,
                                              [&](double off) { return std::abs(off) < within; });
    const double share = static_cast<double>(inside) / static_cast<double>(offs_rev.size());
    const auto interval = statistics::share_interval(share, offs_rev.size());
    shares.push_back(
        {within, share, std::min(share, interval.low), std::max(share, interval.high)});
  }
  return shares;
}

}  // namespace platter::layout_by_timing

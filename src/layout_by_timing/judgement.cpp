#include "layout_by_timing/judgement.h"

#include <algorithm>
#include <cmath>
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

// Of readings of one block the median.
double middle_of(std::span<const double> offs) {
  std::vector<double> apart;
  for (const double off : offs) apart.push_back(statistics::wrap_rev(off - offs.front()));
  return offs.front() + statistics::median(apart);
}

// Whether one lies where the latest lie, of which most are right.
bool is_usual(double off, std::span<const double> offs) {
  constexpr std::size_t kFewest = 10, kLatest = 40;
  constexpr double kFar_rev = 0.003;
  if (offs.size() < kFewest) return false;
  const double usual = middle_of(offs.last(std::min(offs.size(), kLatest)));
  return std::abs(statistics::wrap_rev(off - usual)) < kFar_rev;
}

}  // namespace

std::vector<double> offs_of_random_blocks(Prober& prober, std::uint64_t blocks, std::size_t count,
                                          const std::function<double(std::uint64_t)>& end_rev) {
  constexpr std::uint64_t kMore = 8;  // readings of what lies elsewhere than the others
  std::uniform_int_distribution<std::uint64_t> any(0, blocks - 1);
  std::vector<std::uint64_t> drawn;
  for (std::size_t i = 0; i < count; ++i) drawn.push_back(any(prober.random()));
  std::vector<double> offs;
  try {
    for (const std::uint64_t block : drawn) {
      std::vector<double> of_block;
      for (std::uint64_t more = 0; more <= kMore; ++more) {
        const std::uint64_t near = prober.may_repeat() ? block : std::min(block + more, blocks - 1);
        if (const auto angle = prober.angle(near))
          of_block.push_back(statistics::wrap_rev(*angle - end_rev(near)));
        if (of_block.empty() || (more == 0 && is_usual(of_block.front(), offs))) break;
      }
      if (!of_block.empty()) offs.push_back(middle_of(of_block));
    }
  } catch (const OutOfTime&) {
  }
  if (offs.empty()) return offs;
  const double common = common_rev(offs);
  for (double& off : offs) off = statistics::wrap_rev(off - common);
  if (!prober.may_repeat()) take_off_drift(offs);
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

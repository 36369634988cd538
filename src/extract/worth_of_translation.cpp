#include "extract/worth_of_translation.h"

#include <fmt/core.h>

#include <algorithm>

namespace platter::extract {

// The questions, and the angles of each zone, if it goes on as it began. A drive whose bands differ
// one by one has thousands of zones.
void WorthOfTranslation::grown(const layout::Growth& growth, double question_s) {
  constexpr double kAngles_s = 0.8;       // of a zone; measured, on drives of 5400 to 15,000 rpm
  constexpr std::uint64_t kFewest = 300;  // questions, by which something is seen
  constexpr double kClear = 0.03, kHopeless = 10;  // of the other way's time
  furthest_ = std::max(furthest_, growth.blocks);
  zones_ = std::max(zones_, growth.zones);
  if (growth.translations < kFewest) return;
  const double asked_s = static_cast<double>(growth.translations) * question_s;
  const double share = std::max(static_cast<double>(furthest_), 1.0) / blocks_;
  const double expected_s = (asked_s + static_cast<double>(zones_) * kAngles_s) / share;
  if (expected_s <= (asked_s < kClear * other_way_s_ ? kHopeless : 1.0) * other_way_s_) return;
  throw TooDear{
      fmt::format("a map by address translation would take some {:.0f} s, for {} questions mapped "
                  "{:.2g} % of the blocks, in {} zones: it is made by timing",
                  expected_s, growth.translations, 100 * share, zones_)};
}

void WorthOfTranslation::asked(double all_s) const {
  constexpr double kMost = 0.5;  // Chosen: the angles are still to come
  if (all_s <= kMost * other_way_s_) return;
  throw TooDear{fmt::format(
      "address translation was asked for {:.0f} s, and its map still did not hold: it is made by "
      "timing",
      all_s)};
}

}  // namespace platter::extract

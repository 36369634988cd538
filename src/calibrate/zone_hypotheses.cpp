#include "calibrate/zone_hypotheses.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace platter::calibrate {
namespace {

constexpr double kChanceOfZone = -6.9;  // ln(1e-3): a zone keeps step by chance, all tries counted
constexpr double kSurer = 6.9;          // ln(1e3)
constexpr std::size_t kMostSearched = 260;  // accesses that a search looks at
// Coherence from which on no other skew is looked for, and no steps: a regression does the rest.
constexpr double kSkewsRight = 0.85, kStepsRight = 0.99;
constexpr std::uint32_t kLongestRange = 48;  // cylinders, of those that nothing hints at
constexpr std::size_t kFew = 3;              // of those, that are looked at closely

// Skews and steps of the zones that are known, their steps also with the other sign and with the
// first one anywhere.
std::vector<ZoneCorrection> variants_of(const Shared& shared, std::uint32_t longest_range) {
  std::vector<ZoneCorrection> all;
  for (ZoneCorrection c : shared.skews) {
    if (c.range > longest_range) c = level_of(c);
    if (c.range == 0) all.push_back(c);
    for (c.first = 1; c.first <= c.range; ++c.first)
      for (const double sign : {1.0, -1.0}) {
        all.push_back(c);
        all.back().per_range *= sign;
      }
  }
  return all;
}

class Hypotheses {
 public:
  Hypotheses(std::span<const Sample> samples, const Ranges& ranges)
      : samples_(samples), sets_(samples), ranges_(ranges) {}

  Chosen choose(const ZoneCorrection& now, const Shared& shared) {
    Chosen chosen{.correction = now};
    best_ = now;
    const double before = score(now);
    chosen.coherence_before = coherence_ = sets_.coherence(before);
    consider({now, before, 1});
    Found near;
    const std::vector<ZoneCorrection> variants = variants_of(shared, ranges_.longest);
    for (const ZoneCorrection& c : variants)
      if (const double of_it = score(c); of_it > near.score) near = {c, of_it, variants.size()};
    if (near.score > 0) consider(near);
    if (coherence_ < kSkewsRight) {
      const std::vector<Sample> some = thinned(samples_, kMostSearched);
      Found found = search_skews(some);
      found.score = score(found.correction);
      consider(found);
    }
    if (coherence_ < kStepsRight && ranges_.longest >= 2) look_for_steps(shared);
    chosen.beyond_chance = known_;
    if (known_) chosen.correction = best_;
    return chosen;
  }

 private:
  double score(const ZoneCorrection& c) const { return score_of(samples_, sets_, c); }

  void consider(Found found) {
    const bool beyond_chance = sets_.log_chance(found.score, found.tried) < kChanceOfZone;
    climb_skews(samples_, sets_, found);
    if (!beyond_chance) return;
    const double evidence = sets_.evidence(found.score) -
                            std::log(static_cast<double>(found.tried));
    if (known_ && evidence <= evidence_ + kSurer) return;
    best_ = found.correction;
    evidence_ = evidence;
    coherence_ = sets_.coherence(found.score);
    known_ = true;
  }

  // Of ranges that the zone's spares or another zone tell, each; then of all others the best few.
  void look_for_steps(const Shared& shared) {
    const std::vector<Sample> some = thinned(samples_, kMostSearched);
    const ZoneCorrection level = level_of(best_);
    std::set<std::uint32_t> hints = shared.ranges;
    hints.insert(ranges_.hint);
    std::erase_if(hints, [&](std::uint32_t range) { return range < 2 || range > ranges_.longest; });
    const std::uint32_t longest = std::min(kLongestRange, ranges_.longest);
    const auto steps_of = [&](std::uint32_t range, std::size_t of) {
      Found found = search_steps(some, level, range);
      found.tried *= of;
      found.score = score(found.correction);
      return found;
    };
    for (const std::uint32_t range : hints) consider(steps_of(range, hints.size()));
    if (!shared.any_range || coherence_ >= kStepsRight) return;
    std::vector<Found> others;
    for (std::uint32_t range = 2; range <= longest; ++range)
      if (!hints.contains(range)) others.push_back(steps_of(range, longest));
    std::ranges::sort(others, std::greater{}, &Found::score);
    for (std::size_t i = 0; i < std::min(kFew, others.size()); ++i) consider(others[i]);
  }

  std::span<const Sample> samples_;
  Sets sets_;
  Ranges ranges_;
  ZoneCorrection best_{};
  double evidence_ = 0, coherence_ = 0;
  bool known_ = false;
};

}  // namespace

ZoneCorrection level_of(ZoneCorrection c) {
  if (c.range > 0) c.per_cylinder += c.per_range / c.range;
  c.per_range = c.per_range_error = 0;
  c.range = c.first = 0;
  return c;
}

Chosen choose_correction(const ZoneCorrection& now, std::span<const Sample> samples,
                         const Ranges& ranges, const Shared& shared) {
  return Hypotheses(samples, ranges).choose(now, shared);
}

}  // namespace platter::calibrate

#include "layout_by_timing/order_beliefs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

namespace platter::layout_by_timing {
namespace {

constexpr double kHere = 0.5;  // chance that the place in the order is as it was counted

double prior(const BandOrder& order, std::uint64_t first, std::uint64_t counted) {
  const double places = order.places();
  return std::log((first == counted % order.places() ? kHere : 0.0) + (1 - kHere) / places);
}

// One number for what a place tells of another: surface, and radius.
double told_value(const Apart& apart, double tracks_a_band) {
  return (apart.same_surface ? 1 : 0) + std::min(1.0, apart.tracks / tracks_a_band / 4);
}

}  // namespace

double MoveScale::seek_rev(double tracks) const {
  return step_rev + root_rev * (std::sqrt(std::max(1.0, tracks)) - 1);
}

OrderBeliefs::OrderBeliefs(std::uint64_t first_band) {
  for (std::uint32_t heads = 1; heads <= kMostSurfaces; ++heads)
    for (const bool there_and_back : {false, true})
      for (const Turning turning : {Turning::never, Turning::within_round, Turning::over_all}) {
        const BandOrder order{heads, there_and_back, turning};
        if (heads == 1 && (there_and_back || turning != Turning::never)) continue;
        if (turning == Turning::over_all && heads % 2 == 0) continue;  // as within the round
        for (std::uint64_t first = 0; first < order.places(); ++first)
          for (const bool adds : {false, true})
            hypotheses_.push_back({order, first, adds, prior(order, first, first_band), 0, 0});
      }
  weigh();
}

void OrderBeliefs::begin_group(std::uint64_t first_band, const MoveScale& scale) {
  scale_ = scale;
  // What is known of the orders is known of each of their places.
  std::map<std::tuple<std::uint32_t, bool, Turning, bool>, double> of_order;
  for (const Hypothesis& hypothesis : hypotheses_)
    of_order[{hypothesis.order.heads, hypothesis.order.there_and_back, hypothesis.order.turning,
              hypothesis.adds}] += hypothesis.weight;
  for (Hypothesis& hypothesis : hypotheses_) {
    const BandOrder& order = hypothesis.order;
    const double chance =
        of_order[{order.heads, order.there_and_back, order.turning, hypothesis.adds}];
    hypothesis.log_odds = std::log(std::max(chance, 1e-12)) +
                          prior(order, hypothesis.first_band, first_band);
    hypothesis.fit = 0;
  }
  seen_ = 0;
  took_.clear();
  weigh();
}

Apart OrderBeliefs::apart_in(const Hypothesis& hypothesis, const BandEnd& a,
                             const BandEnd& b) const {
  return apart(hypothesis.order, {a.band + hypothesis.first_band, a.last},
               {b.band + hypothesis.first_band, b.last}, scale_.tracks_a_band);
}

double OrderBeliefs::foretold_rev(const Hypothesis& hypothesis, const Apart& apart) const {
  const double seek = apart.tracks < 0.5 ? 0 : scale_.seek_rev(apart.tracks);
  double rev = apart.same_surface ? std::max(seek, scale_.step_rev) : 0;
  if (!apart.same_surface)
    rev = hypothesis.adds ? scale_.switch_rev + std::max(0.0, seek - scale_.step_rev)
                          : std::max(seek, scale_.switch_rev);
  return std::min(rev, MoveTimes::kLongest_rev);
}

// A few in a hundred tell nothing; what is foretold of longer moves is so many percent off, and
// more beyond the band in which seeks were measured.
double OrderBeliefs::log_likelihood(const Hypothesis& hypothesis, const Seen& seen) const {
  constexpr double kWild = 0.04, kOff_rev = 0.004, kOff = 0.04, kBeyond = 0.25, kUntrue = 1e-3,
                   kFar = 0.05, kNearByChance = 0.2;
  const Apart foretold = apart_in(hypothesis, seen.a, seen.b);
  if (seen.told) {
    const double off = std::abs(seen.told->tracks - foretold.tracks);
    const double near = 2 + 0.1 * (scale_.tracks_a_band + foretold.tracks);
    return std::log(2 *
                    (seen.told->same_surface == foretold.same_surface ? 1 - kUntrue : kUntrue)) +
           std::log(off < near ? (1 - kFar) / kNearByChance : kFar);
  }
  const double rev = foretold_rev(hypothesis, foretold);
  const double beyond_rev = foretold.tracks > scale_.tracks_a_band
                                ? kBeyond * (scale_.seek_rev(foretold.tracks) - scale_.step_rev)
                                : 0;
  const double sigma = std::hypot(seen.took->error_rev, kOff_rev,
                                  std::hypot(kOff * rev, beyond_rev));
  const double t = (seen.took->rev - rev) / sigma;
  const double density = std::exp(-0.5 * t * t) / sigma / std::sqrt(2 * std::numbers::pi);
  return std::log((1 - kWild) * density * MoveTimes::kLongest_rev + kWild);
}

void OrderBeliefs::take(const Seen& seen) {
  // Chosen: what is foretold wrongly of one move is so of its like, too, so that they count less.
  constexpr double kIndependent = 0.5;
  ++seen_;
  if (seen.took) took_.push_back(seen.took->rev);
  for (Hypothesis& hypothesis : hypotheses_) {
    const double more = log_likelihood(hypothesis, seen);
    hypothesis.log_odds += kIndependent * more;
    hypothesis.fit += more;
  }
  weigh();
}

void OrderBeliefs::weigh() {
  const double most = std::ranges::max_element(hypotheses_, {}, &Hypothesis::log_odds)->log_odds;
  double all = 0;
  for (Hypothesis& hypothesis : hypotheses_)
    all += hypothesis.weight = std::exp(hypothesis.log_odds - most);
  for (Hypothesis& hypothesis : hypotheses_) hypothesis.weight /= all;
}

std::vector<double> OrderBeliefs::chances_of_heads() const {
  std::vector<double> chances(kMostSurfaces + 1, 0.0);
  for (const Hypothesis& hypothesis : hypotheses_)
    chances[hypothesis.order.heads] += hypothesis.weight;
  return chances;
}

// Mean log-likelihood of the times about their own mean: what any order explains where all moves
// take about as long.
double OrderBeliefs::fit_without_order() const {
  constexpr double kLeast_rev = 0.01;
  if (took_.empty()) return 0;
  const auto count = static_cast<double>(took_.size());
  double mean = 0, square = 0;
  for (const double rev : took_) mean += rev / count;
  for (const double rev : took_) square += (rev - mean) * (rev - mean) / count;
  const double sigma = std::max(kLeast_rev, std::sqrt(square));
  return std::log(MoveTimes::kLongest_rev / sigma / std::sqrt(2 * std::numbers::pi)) -
         0.5 * square / sigma / sigma;
}

// Directions say nothing of surfaces, nor does it without there and back where a round begins.
OrderBeliefs::Best OrderBeliefs::best() const {
  const Hypothesis& best = *std::ranges::max_element(hypotheses_, {}, &Hypothesis::weight);
  Best found{best.order, best.first_band, 0, 0,
             seen_ > 0 ? best.fit / static_cast<double>(seen_) - fit_without_order() : 0};
  for (const Hypothesis& other : hypotheses_) {
    if (other.order.heads != best.order.heads) continue;
    found.heads_chance += other.weight;
    const bool same = other.order.there_and_back == best.order.there_and_back &&
                      (!best.order.there_and_back ||
                       other.first_band % best.order.heads == best.first_band % best.order.heads);
    if (same) found.chance += other.weight;
  }
  return found;
}

double OrderBeliefs::dispute(const BandEnd& a, const BandEnd& b, bool told) const {
  constexpr double kLikely = 1e-5;
  double all = 0, mean = 0, square = 0;
  for (const Hypothesis& hypothesis : hypotheses_) {
    if (hypothesis.weight < kLikely) continue;
    const Apart there = apart_in(hypothesis, a, b);
    const double value = told ? told_value(there, scale_.tracks_a_band)
                              : foretold_rev(hypothesis, there);
    all += hypothesis.weight;
    mean += hypothesis.weight * value;
    square += hypothesis.weight * value * value;
  }
  mean /= all;
  return std::sqrt(std::max(0.0, square / all - mean * mean));
}

}  // namespace platter::layout_by_timing

#include "layout_by_timing/mapper.h"

#include <algorithm>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {

Mapper::Mapper(TimedBlocks& drive, double period_ns, MapperOptions options)
    : map_(drive, period_ns, std::move(options)),
      settler_(map_),
      learner_(map_),
      mender_(map_, settler_, learner_) {}

void Mapper::map() {
  constexpr int kStuck = 40;  // rounds without another block mapped: nothing fits here
  std::uint64_t furthest = 0;
  int stuck = 0;
  unknown_since_ns_ = map_.drive.now_ns();
  try {
    learner_.begin_anew();
    while (!map_.at_end()) {
      stuck = map_.runs.back().end() > furthest ? 0 : stuck + 1;
      if (stuck > kStuck) return;
      furthest = std::max(furthest, map_.runs.back().end());
      if (map_.options.progress)
        map_.options.progress(static_cast<double>(map_.runs.back().first) /
                              static_cast<double>(map_.end()));
      if (map_.pattern && is_to_be_learnt_anew()) {
        forget_pattern();
        if (map_.at_end()) break;
      }
      if (map_.pattern && map_.runs.back().ring_place >= 0)
        sweep();
      else
        learn();
    }
    complete_ = true;
  } catch (const OutOfTime&) {
    guess_the_rest();
  }
}

bool Mapper::is_to_be_learnt_anew() {
  constexpr double kNoPattern = 0.4;  // of the bands were not as predicted: it saves nothing
  return settler_.surprising() > kNoPattern ||
         doubt_.is_due(settler_.surprising(), map_.runs.size(), map_.pattern->period(),
                       map_.drive.now_ns());
}

void Mapper::forget_pattern() {
  map_.pattern.reset();
  unknown_since_ns_ = map_.drive.now_ns();
  if (map_.runs.back().ring_place >= 0) learner_.begin_behind();
}

void Mapper::learn() {
  const bool had_pattern = map_.pattern.has_value();
  learner_.learn();
  if (had_pattern && !map_.pattern) unknown_since_ns_ = map_.drive.now_ns();
  if (!map_.pattern || map_.runs.back().ring_place < 0) return;
  if (had_pattern) {
    // Another place fits as well where the bands are alike, and a leap by whole rounds lands on a
    // band that is.
    unproven_ = map_.pattern->period();
    return;
  }
  doubt_.learnt(map_.runs.size(), map_.drive.now_ns() - unknown_since_ns_);
  gap_ = 4, streak_ = 0;
  settler_.begin();
}

// A leap saves the readings of the bands in between, and costs halving them where it fails: by the
// cost of both, about a quarter of the bands between failures.
std::uint32_t Mapper::bands_to_leap() {
  constexpr double kOfGap = 0.23, kMostLeap = 1 << 14;
  if (unproven_ > 0) {
    --unproven_;
    return 1;
  }
  return static_cast<std::uint32_t>(
      std::clamp(kOfGap * std::max(gap_, static_cast<double>(streak_)), 1.0, kMostLeap));
}

void Mapper::accept(std::span<const Run> bands) {
  for (const Run& band : bands) {
    ++map_.counts.bands_predicted;
    settler_.settle(band, true);
  }
}

// The next bands by the pattern, as many as a leap is worth, the last of which is held against the
// drive.
void Mapper::sweep() {
  std::vector<Run> chain = map_.pattern->ahead(map_.runs.back(), bands_to_leap(), map_.end());
  ++map_.counts.leaps;
  chain.back().standing = Standing::seen;
  const double start = chain.back().start_rev;
  Held held = settler_.held_against(chain.back());
  if (held.holds) {
    // What the pattern's skews are wrong by shows at the far end; it grew on the way.
    const double off = statistics::wrap_rev(chain.back().start_rev - start);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      chain[i].start_rev += off * static_cast<double>(i + 1) / static_cast<double>(chain.size());
    accept(chain);
    streak_ += chain.size();
    return;
  }
  std::size_t right = 0, wrong = chain.size();  // bands that hold; the first that does not
  while (wrong - right > 1) {
    const std::size_t middle = right + (wrong - right) / 2;
    chain[middle - 1].standing = Standing::seen;
    Held there = settler_.held_against(chain[middle - 1]);
    (there.holds ? right : wrong) = middle;
    if (!there.holds) held = std::move(there);
  }
  accept(std::span(chain).first(right));
  gap_ += 0.15 * (static_cast<double>(streak_ + right) - gap_);
  streak_ = 0;
  mender_.explain(map_.expected_behind(map_.runs.back()), held.ends);
}

// By the pattern alone: there is no time left to look.
void Mapper::guess_the_rest() {
  if (map_.runs.empty() || !map_.pattern) return;
  Run& last = map_.runs.back();
  if (last.ring_place < 0)
    last.ring_place = static_cast<std::int32_t>(map_.expected_place() % map_.pattern->period());
  if (!map_.at_end())
    for (Run& run : map_.pattern->ahead(last, map_.end(), map_.end())) {
      if (run.blocks() == 0) return;
      run.standing = Standing::guessed;
      map_.runs.push_back(std::move(run));
    }
  complete_ = true;
}

}  // namespace platter::layout_by_timing

#include "layout_by_timing/learner.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "layout_by_timing/following.h"
#include "model/error.h"

namespace platter::layout_by_timing {

void Learner::learn() {
  constexpr std::size_t kMostTracks = 600, kTracks = 60;
  if (map_.pattern) {
    if (map_.pattern->is_of_tracks())
      learn_tracks();
    else
      learn_one();
    find_place_again();
    return;
  }
  if (alone_from_ == 0 && !never_alone_ && changes_by_track()) {
    alone_from_ = map_.runs.size();
    map_.runs.back().after_gap = true;
  }
  if (alone_from_ > 0) {
    learn_tracks();
    if (map_.runs.size() > alone_from_ + kTracks) look_for_pattern();
    if (map_.pattern || map_.runs.size() > alone_from_ + kMostTracks) {
      never_alone_ = !map_.pattern;
      alone_from_ = 0;
    }
    return;
  }
  learn_one();
  if (map_.runs.size() > 8 && ++learnt_ % 3 == 0) look_for_pattern();
}

// Most tracks differ from the next: runs are what happens to be alike.
bool Learner::changes_by_track() const {
  constexpr std::ptrdiff_t kRuns = 24;
  const auto is_short = [](const Run& run) { return run.tracks <= 2; };
  return map_.runs.size() >= kRuns &&
         2 * std::ranges::count_if(std::span(map_.runs).last(kRuns), is_short) >= kRuns;
}

// The last run is followed to its end, and the next one begun.
void Learner::learn_one() {
  Run run = map_.runs.back();
  map_.runs.pop_back();
  follow(map_, run);
  for (int tries = 0; tries < 12; ++tries) {
    if (run.tracks >= map_.tracks_left(run)) {
      map_.push(run);
      return;
    }
    Run next;
    const Run was = run;
    const Behind behind = look_behind(map_, run, run.tracks - 1, next);
    if (behind == Behind::another_run) {
      map_.push(run);
      map_.push(next);
      return;
    }
    if (behind != Behind::loss && behind != Behind::nothing_new) break;
    if (follow_on(map_, run)) continue;
    run = was;
    break;
  }
  map_.push(run);
  begin_anew();
}

// From the beginning of the last run, track after track, each by its own borders; the last one that
// is pushed has only begun.
void Learner::learn_tracks() {
  constexpr double kTurns = 12.5;
  const Run begun = map_.runs.back();
  map_.runs.pop_back();
  const auto pieces = map_.walker.walk(begun.first, begun.around(), kTurns);
  ++map_.counts.walks;
  std::uint64_t first = begun.first;
  std::size_t index = 0;
  for (; index + 1 < pieces.size(); ++index) {
    const Piece &piece = pieces[index], &behind = pieces[index + 1];
    const auto border = map_.walker.border(piece, behind, piece.around, behind.around);
    if (!border || *border <= first) break;
    auto track = whole_track(map_, piece, first, *border);
    if (!track && index == 0 && *border < first + 2ull * begun.slots) {
      // The run before ends too early: what is left of its track, and this one.
      track = begun;
      track->tracks = 1, track->tail = 0, track->losses.clear();
      track->slots = static_cast<std::uint32_t>(*border - first);
    }
    if (!track) break;
    track->after_gap = index == 0 && begun.after_gap;
    map_.push(*track);
    first = *border;
  }
  if (index == 0) {
    map_.runs.push_back(begun);
    learn_one();
    return;
  }
  map_.push(begun_track(map_, pieces[index], first));
}

void Learner::begin_anew() {
  constexpr int kTries = 40, kNear = 8;
  ++map_.counts.begun_anew;
  lost_ = 0;
  const bool first = map_.runs.empty();
  const std::uint64_t end = first ? 0 : map_.runs.back().end();
  std::uint64_t from = end;
  std::uint64_t step = std::max<std::uint64_t>(200, first ? 0 : map_.runs.back().slots / 2);
  for (int tries = 0; tries < kTries && from < map_.end(); ++tries) {
    if (auto run = begin_at(map_, from)) {
      run->after_gap = first || run->first != end;
      map_.push(*run);
      return;
    }
    if (tries >= kNear) step += step / 4;
    from += step;
  }
  if (map_.runs.empty())
    throw Error(ExitStatus::unsupported, "reads near the drive's beginning show no tracks");
}

void Learner::begin_behind() {
  Run last = map_.runs.back(), next;
  if (last.tracks < map_.tracks_left(last) &&
      look_behind(map_, last, last.tracks - 1, next) == Behind::another_run) {
    map_.runs.back() = last;
    map_.push(next);
    return;
  }
  if (!map_.at_end()) begin_anew();
}

void Learner::lose_place() {
  lost_ = 0;
  begin_behind();
}

// The last run has only begun; the one before has the last place.
void Learner::look_for_pattern() {
  auto found = map_.pattern_of(map_.runs.size() - 1);
  if (!found) return;
  map_.runs.pop_back();
  map_.take_up(std::move(*found));
  map_.note_formats_anew();
}

// The place in the pattern was lost: runs are learnt until they tell it.
void Learner::find_place_again() {
  const auto learnt = std::span(map_.runs).first(map_.runs.size() - 1);
  const std::size_t n = std::min<std::size_t>(learnt.size(), 2 + ++lost_);
  // What followed the gap at once may be part of a band.
  std::size_t whole = 0;
  while (whole < learnt.size() && !learnt[learnt.size() - 1 - whole].after_gap) ++whole;
  std::optional<std::size_t> place;
  if (whole >= 3) place = map_.pattern->find(learnt.last(whole), map_.expected_place());
  if (!place && n > 2) place = map_.pattern->find(learnt.last(n), map_.expected_place());
  if (place) {
    map_.runs.pop_back();  // has only begun
    Run& last = map_.runs.back();
    last.ring_place = static_cast<std::int32_t>(*place);
    map_.pattern->lose_count();
    // What was begun anew at the place is expected there the next time: else it is lost there, too.
    if (!last.after_gap && map_.runs.size() > 1) {
      const Run& before = map_.runs[map_.runs.size() - 2];
      if (before.end() == last.first && before.tracks > 1) map_.pattern->learn(last, before);
    }
  } else if (lost_ >= map_.pattern->period() + 8) {
    map_.pattern.reset();
  }
}

}  // namespace platter::layout_by_timing

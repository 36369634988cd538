#include "layout_by_timing/settler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "layout_by_timing/following.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {

void Settler::begin() {
  calm_pattern_ = map_.pattern;
  calm_ = settled_ = 0;
  surprising_ = 0;
  paced_from_ = {map_.runs.back().end(), map_.drive.now_ns()};
}

Held Settler::held_against(Run& band) {
  constexpr double kGain = 0.5;
  constexpr double kMany = 0.3;      // holes, that make bands end elsewhere
  constexpr std::uint32_t kFew = 8;  // tracks, none of whose ends may come by soon
  const std::uint32_t tracks = std::min(band.tracks, map_.tracks_left(band));
  if (tracks == 0) return {};
  const std::uint32_t late = tracks - std::min(2U, tracks);
  const bool few = tracks < kFew;
  std::optional<Verdict> first, last;
  const auto holds = [&](std::optional<Verdict>& seen, std::uint32_t track) {
    seen = map_.prober.check(band, track);
    return seen->holds;
  };
  if (few && !holds(first, 0)) return {};
  LossFinder::Border end = map_.loss_finder.end_of_late(band, first_of_late(late, tracks / 4),
                                                        late);
  if (!end.holds) return {false, std::move(end.readings)};
  // What is a little off may be by its start or by its skew: both ends tell.
  const bool both = few || std::abs(end.off_rev) > 2 * map_.frame.jitter().sigma_rev ||
                    !map_.pattern || !map_.pattern->foresees_tracks() ||
                    map_.loss_finder.expected_holes(tracks) > kMany;
  const bool by_first = both || (asks_first_ = !asks_first_);
  if (by_first && !first && !holds(first, 0)) return {};
  if (tracks > 1 && (both || !by_first) && !holds(last, tracks - 1)) return {};
  const double first_rev = first ? first->off_rev : end.off_rev;
  if (first && last)
    band.skew_rev =
        statistics::turn_rev(band.skew_rev + kGain * (last->off_rev - first_rev) / (tracks - 1));
  else if (first && end.track > 0)
    band.skew_rev =
        statistics::turn_rev(band.skew_rev + kGain * (end.off_rev - first_rev) / end.track);
  band.start_rev = statistics::turn_rev(band.start_rev + kGain * first_rev);
  return {true, {}};
}

void Settler::settle(Run run, bool as_expected) {
  constexpr std::size_t kCalm = 4;
  constexpr int kUnconfirmed = 8;
  goes_on_ = 0;
  if (run.standing == Standing::seen) mend_early_loss(run);
  surprising_ += ((as_expected ? 0.0 : 1.0) - surprising_) /
                 static_cast<double>(map_.pattern->period() + 10);
  if (run.ring_place >= 0 && !map_.runs.empty()) map_.pattern->learn(run, map_.runs.back());
  ++unconfirmed_;
  const bool confirms = run.standing == Standing::seen &&
                        (!run.losses.empty() || run.tail > 0 || unconfirmed_ >= kUnconfirmed);
  map_.push(std::move(run));
  if (confirms) confirm();
  if (std::has_single_bit(++settled_)) look_for_longer_pattern();
  if (as_expected) {
    if (++calm_ % kCalm == 0) calm_pattern_ = map_.pattern;
    return;
  }
  calm_ = 0;
  find_shifted_place();
}

// What is lost in a run's first tracks may have been lost in the run before, behind the last border
// that was read there: then this run's blocks begin so much earlier.
void Settler::mend_early_loss(Run& run) {
  if (run.losses.empty() || map_.runs.empty() || map_.runs.back().end() != run.first ||
      run.tracks < 3)
    return;
  const Loss first = run.losses.front();
  Run& before = map_.runs.back();
  if (run.place_of(run.first + first.behind).track > 1 || first.sectors >= run.slots ||
      before.tail + first.sectors >= before.slots)
    return;
  Run earlier = run;
  earlier.losses.erase(earlier.losses.begin());
  earlier.first -= first.sectors;
  for (Loss& loss : earlier.losses) loss.behind += first.sectors;
  if (!map_.loss_finder.begins_right(earlier, 1, 1) ||
      !map_.loss_finder.begins_right(earlier, 0, 0))
    return;
  before.tail += first.sectors;
  mend_tail(map_, before);
  run = earlier;
}

bool Settler::begins_right(std::size_t index) {
  const Run& run = map_.runs[index];
  const std::uint32_t last = std::max(1U, std::min(run.tracks, map_.tracks_left(run))) - 1;
  return map_.loss_finder.begins_right(run, first_of_late(last, run.tracks / 4), last);
}

// A band whose tracks all begin some blocks too early passes wherever it is read but at a track's
// first blocks: so those are read now and then. If they lie on the track before, it is looked for
// where that began, and what was taken for lost there is taken back.
void Settler::confirm() {
  constexpr std::uint32_t kMost = 8;
  unconfirmed_ = 0;
  std::size_t wrong = map_.runs.size() - 1;
  if (begins_right(wrong)) {
    confirmed_ = map_.runs.size();
    return;
  }
  std::size_t right = std::min(confirmed_, wrong);  // so many from the beginning are
  while (wrong > right) {
    const std::size_t middle = right + (wrong - right) / 2;
    if (begins_right(middle))
      right = middle + 1;
    else
      wrong = middle;
  }
  for (std::uint32_t sectors = 1; sectors <= kMost; ++sectors)
    for (const std::size_t from : {wrong, wrong - std::min<std::size_t>(wrong, 1)})
      if (take_back(from, wrong, sectors)) {
        ++map_.counts.taken_back;
        confirmed_ = map_.runs.size();
        return;
      }
  confirmed_ = wrong;
}

// So many sectors of what run `from` has lost, if then run `wrong` begins where it should.
bool Settler::take_back(std::size_t from, std::size_t wrong, std::uint32_t sectors) {
  const auto moved = [&](Run run) {
    run.first += sectors;
    run.start_rev = statistics::turn_rev(run.start_rev + static_cast<double>(sectors) /
                                                             static_cast<double>(run.around()));
    return run;
  };
  const Run was = map_.runs[wrong];
  const auto fits = [&](const Run& run) {
    const std::uint32_t last = run.tracks - 1, late = first_of_late(last, run.tracks / 4);
    return map_.loss_finder.begins_right(run, late, last) &&
           map_.loss_finder.none_lost(run, late, std::max(late, last - std::min(1U, last)));
  };
  const auto with = [&](const Run& less) {
    if (!fits(from == wrong ? less : moved(was))) return false;
    map_.runs[from] = less;
    for (std::size_t i = from + 1; i < map_.runs.size(); ++i) map_.runs[i] = moved(map_.runs[i]);
    return true;
  };
  Run less = map_.runs[from];
  if (less.tail >= sectors) {
    less.tail -= sectors;
    if (from != wrong && with(less)) {
      // The pattern has it, too, and with it all bands that were predicted behind this one.
      if (less.ring_place >= 0) map_.place_of(less).tail = less.tail;
      map_.runs.resize(wrong + 1);
      return true;
    }
    less = map_.runs[from];
  }
  for (std::size_t i = less.losses.size(); i-- > 0; less = map_.runs[from]) {
    Loss& loss = less.losses[i];
    if (loss.sectors < sectors) continue;
    loss.sectors -= sectors;
    if (loss.sectors == 0) less.losses.erase(less.losses.begin() + static_cast<std::ptrdiff_t>(i));
    if (with(less)) return true;
  }
  return false;
}

// What comes once in some rounds of the pattern is part of a longer one.
void Settler::look_for_longer_pattern() {
  constexpr double kOften = 0.08, kBetter = 0.5;
  if (surprising_ < kOften || map_.runs.back().ring_place < 0) return;
  auto longer = map_.pattern_of(map_.runs.size());
  if (!longer || longer->period() <= map_.pattern->period() ||
      longer->differing() > kBetter * surprising_)
    return;
  map_.take_up(std::move(*longer));
  calm_pattern_ = map_.pattern;
}

// A band that was taken for two, or two for one, shifts all places behind it: then the last bands
// are what the pattern, as it was before, has at another place.
void Settler::find_shifted_place() {
  constexpr std::size_t kRuns = 5;
  Run& last = map_.runs.back();
  if (!calm_pattern_ || map_.runs.size() < kRuns || last.ring_place < 0) return;
  const auto place = calm_pattern_->find_shifted(std::span(map_.runs).last(kRuns),
                                                 static_cast<std::size_t>(last.ring_place));
  if (!place) return;
  map_.pattern = calm_pattern_;
  map_.pattern->lose_count();
  last.ring_place = static_cast<std::int32_t>(*place);
}

bool Settler::is_short_of_time() const {
  constexpr double kSpare = 0.93;
  const Nanoseconds deadline_ns = map_.options.deadline_ns;
  if (deadline_ns == 0) return false;
  const std::uint64_t mapped = map_.runs.back().end();
  const double done = static_cast<double>(mapped - paced_from_.first);
  const double took = static_cast<double>(map_.drive.now_ns() - paced_from_.second);
  const double left = static_cast<double>(deadline_ns - map_.drive.now_ns());
  if (done <= 0) return false;
  return took / done * static_cast<double>(map_.end() - mapped) > kSpare * left;
}

bool Settler::goes_on_too_often() {
  constexpr int kOften = 3;
  if (++goes_on_ <= kOften) return false;
  goes_on_ = 0;
  return true;
}

}  // namespace platter::layout_by_timing

#include "layout_by_timing/mapper.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {

std::uint32_t Mapper::first_of_late(std::uint32_t last, std::uint32_t most) {
  constexpr std::uint32_t kLateTracks = 30;
  return last - std::min(last, std::min(kLateTracks, most));
}

Mapper::Mapper(TimedBlocks& drive, double period_ns, MapperOptions options)
    : drive_(drive),
      options_(std::move(options)),
      frame_(drive, period_ns, drive.blocks() / 2),
      prober_(drive, frame_, options_.seed),
      walker_(prober_),
      loss_finder_(prober_, options_.tracks_apart),
      shift_finder_(prober_) {
  prober_.set_deadline(options_.deadline_ns);
}

void Mapper::map() {
  constexpr double kNoPattern = 0.4;  // of the bands were not as predicted: it saves nothing
  constexpr int kStuck = 40;          // rounds without another block mapped: nothing fits here
  std::uint64_t furthest = 0;
  int stuck = 0;
  try {
    anew();
    while (!at_end()) {
      stuck = runs_.back().end() > furthest ? 0 : stuck + 1;
      if (stuck > kStuck) return;
      furthest = std::max(furthest, runs_.back().end());
      if (options_.progress)
        options_.progress(static_cast<double>(runs_.back().first) / static_cast<double>(end()));
      if (pattern_ && surprising_ > kNoPattern) {
        pattern_.reset();
        if (runs_.back().ring_place >= 0) begin_behind();
        if (at_end()) break;
      }
      if (pattern_ && runs_.back().ring_place >= 0) {
        sweep();
        continue;
      }
      learn();
    }
    complete_ = true;
  } catch (const OutOfTime&) {
    guess_the_rest();
  }
}

// Runs without a pattern, or without a place in it.
void Mapper::learn() {
  constexpr std::size_t kMostTracks = 600, kTracks = 60;
  if (pattern_) {
    if (pattern_->is_of_tracks())
      learn_tracks();
    else
      learn_one();
    find_place_again();
    return;
  }
  if (alone_from_ == 0 && !never_alone_ && changes_by_track()) {
    alone_from_ = runs_.size();
    runs_.back().after_gap = true;
  }
  if (alone_from_ > 0) {
    learn_tracks();
    if (runs_.size() > alone_from_ + kTracks) look_for_pattern();
    if (pattern_ || runs_.size() > alone_from_ + kMostTracks) {
      never_alone_ = !pattern_;
      alone_from_ = 0;
    }
    return;
  }
  learn_one();
  if (runs_.size() > 8 && ++learnt_ % 3 == 0) look_for_pattern();
}

// By the pattern alone: there is no time left to look.
void Mapper::guess_the_rest() {
  if (runs_.empty() || !pattern_) return;
  if (runs_.back().ring_place < 0)
    runs_.back().ring_place = static_cast<std::int32_t>(expected_place() % pattern_->period());
  if (at_end()) {
    complete_ = true;
    return;
  }
  for (Run& run : pattern_->ahead(runs_.back(), end(), end())) {
    if (run.blocks() == 0) return;
    run.standing = Standing::guessed;
    runs_.push_back(std::move(run));
  }
  complete_ = true;
}

// The readings that hold a predicted band: in its first track (not one of the run before), at a
// late track's end (no sector was lost), in its last track (and not one of the run behind). What
// they say of start and skew is taken over.
Mapper::Failure Mapper::held_against(Run& run) {
  const auto fits = [&](std::uint32_t track, double& off) {
    const Verdict seen = prober_.check(run, track);
    off = seen.off_rev;
    return seen.holds;
  };
  const std::uint32_t tracks = std::min(run.tracks, tracks_left(run));
  if (tracks == 0) return Failure::first_track;
  double first = 0, last = 0;
  if (!fits(0, first)) return Failure::first_track;
  if (tracks == 1) {
    if (!loss_finder_.none_lost(run, 0, 0)) return Failure::inside;
    run.start_rev = statistics::turn_rev(run.start_rev + 0.5 * first);
    return Failure::none;
  }
  const std::uint32_t late = tracks - 2;
  if (!loss_finder_.none_lost(run, first_of_late(late, tracks / 4), late)) return Failure::inside;
  if (!fits(tracks - 1, last)) return Failure::last_track;
  constexpr double kGain = 0.5;
  run.start_rev = statistics::turn_rev(run.start_rev + kGain * first);
  run.skew_rev = statistics::turn_rev(run.skew_rev + kGain * (last - first) / (tracks - 1));
  return Failure::none;
}

// What is lost in a run's first tracks may have been lost in the run before, behind the last border
// that was read there: then this run's blocks begin so much earlier.
void Mapper::mend_early_loss(Run& run) {
  if (run.losses.empty() || runs_.empty() || runs_.back().end() != run.first || run.tracks < 3)
    return;
  const Loss first = run.losses.front();
  Run& before = runs_.back();
  if (run.place_of(run.first + first.behind).track > 1 || first.sectors >= run.slots ||
      before.tail + first.sectors >= before.slots)
    return;
  Run earlier = run;
  earlier.losses.erase(earlier.losses.begin());
  earlier.first -= first.sectors;
  for (Loss& loss : earlier.losses) loss.behind += first.sectors;
  if (!loss_finder_.begins_right(earlier, 1, 1) || !loss_finder_.begins_right(earlier, 0, 0))
    return;
  before.tail += first.sectors;
  mend_tail(before);
  run = earlier;
}

void Mapper::settle(Run run, bool as_expected) {
  constexpr std::size_t kCalm = 4;
  mended_ = 0;
  if (run.standing == Standing::seen) mend_early_loss(run);
  surprising_ += ((as_expected ? 0.0 : 1.0) - surprising_) /
                 static_cast<double>(pattern_->period() + 10);
  if (run.ring_place >= 0 && !runs_.empty()) pattern_->learn(run, runs_.back());
  constexpr int kUnconfirmed = 8;
  ++unconfirmed_;
  const bool confirms = run.standing == Standing::seen &&
                        (!run.losses.empty() || run.tail > 0 || unconfirmed_ >= kUnconfirmed);
  push(std::move(run));
  if (confirms) confirm();
  if (std::has_single_bit(++settled_)) look_for_longer_pattern();
  if (as_expected) {
    if (++calm_ % kCalm == 0) calm_pattern_ = pattern_;
    return;
  }
  calm_ = 0;
  find_shifted_place();
}

bool Mapper::begins_right(std::size_t index) {
  const Run& run = runs_[index];
  const std::uint32_t last = std::max(1U, std::min(run.tracks, tracks_left(run))) - 1;
  return loss_finder_.begins_right(run, first_of_late(last, run.tracks / 4), last);
}

// A band whose tracks all begin some blocks too early passes wherever it is read but at a track's
// first blocks: so those are read now and then. If they lie on the track before, it is looked for
// where that began, and what was taken for lost there is taken back.
void Mapper::confirm() {
  constexpr std::uint32_t kMost = 8;
  unconfirmed_ = 0;
  std::size_t wrong = runs_.size() - 1;
  if (begins_right(wrong)) {
    confirmed_ = runs_.size();
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
        ++counts_.taken_back;
        confirmed_ = runs_.size();
        return;
      }
  confirmed_ = wrong;
}

// So many sectors of what run `from` has lost, if then run `wrong` begins where it should.
bool Mapper::take_back(std::size_t from, std::size_t wrong, std::uint32_t sectors) {
  const auto moved = [&](Run run) {
    run.first += sectors;
    run.start_rev = statistics::turn_rev(run.start_rev + static_cast<double>(sectors) /
                                                             static_cast<double>(run.around()));
    return run;
  };
  const Run was = runs_[wrong];
  const auto fits = [&](const Run& run) {
    const std::uint32_t last = run.tracks - 1, late = first_of_late(last, run.tracks / 4);
    return loss_finder_.begins_right(run, late, last) &&
           loss_finder_.none_lost(run, late, std::max(late, last - std::min(1U, last)));
  };
  const auto with = [&](const Run& less) {
    if (!fits(from == wrong ? less : moved(was))) return false;
    runs_[from] = less;
    for (std::size_t i = from + 1; i < runs_.size(); ++i) runs_[i] = moved(runs_[i]);
    return true;
  };
  Run less = runs_[from];
  if (less.tail >= sectors) {
    less.tail -= sectors;
    if (from != wrong && with(less)) {
      // The pattern has it, too, and with it all bands that were predicted behind this one.
      if (less.ring_place >= 0)
        (*pattern_)[static_cast<std::size_t>(less.ring_place)].tail = less.tail;
      runs_.resize(wrong + 1);
      return true;
    }
    less = runs_[from];
  }
  for (std::size_t i = less.losses.size(); i-- > 0; less = runs_[from]) {
    Loss& loss = less.losses[i];
    if (loss.sectors < sectors) continue;
    loss.sectors -= sectors;
    if (loss.sectors == 0) less.losses.erase(less.losses.begin() + static_cast<std::ptrdiff_t>(i));
    if (with(less)) return true;
  }
  return false;
}

// What comes once in some rounds of the pattern is part of a longer one.
void Mapper::look_for_longer_pattern() {
  constexpr double kOften = 0.08, kBetter = 0.5;
  if (surprising_ < kOften || runs_.back().ring_place < 0) return;
  auto longer = Pattern::of(since_gap(runs_));
  if (!longer || longer->period() <= pattern_->period() ||
      longer->differing() > kBetter * surprising_)
    return;
  ++counts_.patterns;
  pattern_ = std::move(longer);
  runs_.back().ring_place = static_cast<std::int32_t>(pattern_->last_place());
  counted_ = runs_.size() - 1;
  calm_pattern_ = pattern_;
}

// At the pace so far the rest would not be done in time: where exactly sectors are lost has to
// wait.
bool Mapper::short_of_time() {
  if (options_.deadline_ns == 0) return false;
  constexpr double kSpare = 0.93;
  const double done = static_cast<double>(runs_.back().end() - paced_from_.first);
  const double took = static_cast<double>(drive_.now_ns() - paced_from_.second);
  const double left = static_cast<double>(options_.deadline_ns - drive_.now_ns());
  if (done <= 0) return false;
  return took / done * static_cast<double>(end() - runs_.back().end()) > kSpare * left;
}

// A band that was taken for two, or two for one, shifts all places behind it: then the last bands
// are what the pattern, as it was before, has at another place.
void Mapper::find_shifted_place() {
  constexpr std::size_t kRuns = 5;
  if (!calm_pattern_ || runs_.size() < kRuns || runs_.back().ring_place < 0) return;
  const auto place = calm_pattern_->find_shifted(std::span(runs_).last(kRuns),
                                                 static_cast<std::size_t>(runs_.back().ring_place));
  if (!place) return;
  pattern_ = calm_pattern_;
  pattern_->lose_count();
  runs_.back().ring_place = static_cast<std::int32_t>(*place);
}

// The next bands by the pattern, as many as a leap is worth, the last of which is held against the
// drive.
void Mapper::sweep() {
  constexpr double kMostLeap = 1 << 14;
  // A leap saves the readings of the bands in between, and costs halving them where it fails: by
  // the cost of both, about a quarter of the bands between failures.
  constexpr double kOfGap = 0.23;
  const auto leap = static_cast<std::uint32_t>(
      unproven_ > 0
          ? 1
          : std::clamp(kOfGap * std::max(gap_, static_cast<double>(streak_)), 1.0, kMostLeap));
  unproven_ -= std::min<std::size_t>(unproven_, 1);
  std::vector<Run> chain = pattern_->ahead(runs_.back(), leap, end());
  ++counts_.leaps;
  const auto accept = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ++counts_.bands_predicted;
      settle(chain[i], true);
    }
  };
  chain.back().standing = Standing::seen;
  const double start = chain.back().start_rev;
  Failure failure = held_against(chain.back());
  if (failure == Failure::none) {
    // What the pattern's skews are wrong by shows at the far end; it grew on the way.
    const double off = statistics::wrap_rev(chain.back().start_rev - start);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      chain[i].start_rev += off * static_cast<double>(i + 1) / static_cast<double>(chain.size());
    accept(chain.size());
    streak_ += chain.size();
    return;
  }
  std::size_t right = 0, wrong = chain.size();  // bands that hold; the first that does not
  while (wrong - right > 1) {
    const std::size_t middle = right + (wrong - right) / 2;
    chain[middle - 1].standing = Standing::seen;
    const Failure there = held_against(chain[middle - 1]);
    if (there != Failure::none) failure = there;
    (there == Failure::none ? right : wrong) = middle;
  }
  accept(right);
  gap_ += 0.15 * (static_cast<double>(streak_ + right) - gap_);
  streak_ = 0;
  explain(pattern_->next(runs_.back()), failure);
}

// Most tracks differ from the next: runs are what happens to be alike.
bool Mapper::changes_by_track() const {
  constexpr std::size_t kRuns = 24;
  constexpr std::uint32_t kFew = 2;
  if (runs_.size() < kRuns) return false;
  const auto last = std::span(runs_).last(kRuns);
  return 2 * static_cast<std::size_t>(
                 std::ranges::count_if(last, [](const Run& run) { return run.tracks <= kFew; })) >=
         kRuns;
}

// They tell less than the bands behind them.
bool Mapper::has_few_tracks(const Run& run) { return run.tracks < 8; }

// Whatever the tracks' format: the run's first sectors lie where it begins.
bool Mapper::begins_here(const Run& run) {
  double odds = 0;
  for (std::uint32_t slot = 1; slot < 6; ++slot) {
    if (const auto seen = prober_.look_at(run, 0, slot)) odds += seen->evidence;
    if (odds > 3) return true;
    if (odds < -7) return false;
  }
  return odds > 0;
}

// The pattern's next band is not as predicted.
void Mapper::explain(Run run, Failure failure) {
  run.standing = Standing::seen;
  if (failure == Failure::first_track && !begins_here(run)) {
    mend_start();
    return;
  }
  if (tracks_left(run) <= 2) {  // the drive's last blocks
    settle(run, true);
    return;
  }
  if (other_skew(run)) return;
  const std::uint32_t early = std::min<std::uint32_t>(2, run.tracks - 1);
  if (early > 0 && !prober_.check(run, early).holds && other_format(run)) return;
  if (has_few_tracks(run) && mend_by_shift()) return;
  if (mend_inside(run)) return;
  if (!has_few_tracks(run) && run.tracks < 16 && mend_by_shift()) return;
  mend_start_by_walk();  // tracks of a kind that was not met before
}

// The sectors that a band lost, on one of its tracks: the one by which its blocks are where they
// should be.
void Mapper::lose_within(Run& run, std::uint32_t sectors) {
  if (!has_few_tracks(run)) {
    loss_finder_.locate(run, 0, run.tracks - 1, sectors);
    return;
  }
  std::vector<Run> lost_on(run.tracks, run);
  std::vector<double> odds(run.tracks, 0.0);
  for (std::uint32_t track = 0; track < run.tracks; ++track)
    add_loss(lost_on[track], track, sectors, true);
  for (std::uint32_t track = 0; track + 1 < run.tracks; ++track) {
    // A block that is on this track only if none of it is lost.
    const std::uint64_t block = run.first + std::uint64_t{track + 1} * run.slots -
                                std::max(1U, std::min(sectors, run.slots) / 2);
    if (block >= lost_on[track].end()) continue;
    const auto rev = prober_.angle(block);
    if (!rev) continue;
    for (std::uint32_t on = 0; on < run.tracks; ++on)
      odds[on] += frame_.jitter().evidence(
          statistics::wrap_rev(*rev - lost_on[on].end_of_block_rev(block)));
  }
  run = lost_on[static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin())];
}

// The bands behind one that is not understood tell how many blocks it lacks, or has more: it has
// another format, or lost sectors.
bool Mapper::mend_by_shift() {
  constexpr std::size_t kBands = 6, kFewest = 4;
  Run before = runs_.back();
  if (before.ring_place < 0) return false;
  const std::vector<Run> chain = pattern_->ahead(before, kBands, end());
  if (chain.size() < kFewest) return false;
  Run run = chain.front();
  run.standing = Standing::seen;
  const auto blocks = static_cast<std::int64_t>(run.blocks());
  const auto lacks = shift_finder_.find(std::span(chain).subspan(1), -blocks / 4,
                                        blocks + run.slots);
  if (!lacks || *lacks == 0) return false;
  Run next = shifted(chain[1], *lacks);
  next.standing = Standing::seen;
  if (!band_holds(next) || !loss_finder_.begins_right(next, 0, next.tracks - 1)) return false;
  const std::uint32_t last = before.tracks - 1;
  const bool begins = begins_here(run) &&
                      (has_few_tracks(run) || (loss_finder_.begins_right(run, 0, 0) &&
                                               loss_finder_.none_lost(before, last, last)));
  if (!begins) {
    // What is behind the last border that was read in the one before shows only here.
    if (is_other_format(before, *lacks))
      (*pattern_)[static_cast<std::size_t>(before.ring_place)].slots = before.slots;
    else if (*lacks > 0)
      lose_within(before = runs_.back(), static_cast<std::uint32_t>(*lacks));
    else
      return false;
    runs_.back() = before;
    run = shifted(run, *lacks);
    settle(run, true);
  } else if (Run other = run; is_other_format(other, *lacks)) {
    ++counts_.formats;
    settle(other, false);
  } else if (*lacks > 0) {
    lose_within(run, static_cast<std::uint32_t>(*lacks));
    ++counts_.losses;
    settle(run, true);
  } else {
    return false;
  }
  ++counts_.shifted;
  Run again = pattern_->next(runs_.back());  // it may have been given another place
  if (again.first != next.first) return true;
  again.standing = Standing::seen;
  again.start_rev = next.start_rev, again.skew_rev = next.skew_rev;
  settle(again, true);
  return true;
}

// A band of few tracks that lacks some blocks has lost them, unless its format is known, or the
// last band in its place lacked as many.
bool Mapper::is_other_format(Run& run, std::int64_t lacks) {
  RingPlace& place = (*pattern_)[static_cast<std::size_t>(run.ring_place)];
  const bool again = lacks == std::exchange(place.odd_lack, lacks);
  const std::int64_t slots = run.slots - lacks / run.tracks;
  if (lacks % run.tracks != 0 || 2 * slots < run.slots) return false;
  run.slots = static_cast<std::uint32_t>(slots);
  const bool known = std::ranges::count(formats(), run.slots) > 0;
  // Formats are a hundredth of a track apart, or more.
  if (!known && lacks > 0 && lacks / run.tracks * 200 < slots) return false;
  if (has_few_tracks(run) && !known && !again && lacks > 0) return false;
  // In the middle of a track, too, whose sectors are wider than they were, or some are lost.
  double odds = 0;
  for (const std::uint32_t part : {1U, 2U, 3U})
    if (const auto seen = prober_.look_at(run, run.tracks / 2, part * run.slots / 4))
      odds += seen->evidence;
  if (odds < 0 || !prober_.check(run, run.tracks - 1).holds) return false;
  place.odd_slots = run.slots;
  return true;
}

// Sectors lost behind the last border that was read in the band before: all of the next one begins
// so many blocks earlier.
bool Mapper::mend_by_late_loss() {
  constexpr std::uint32_t kFew = 16, kReads = 3;
  Run before = runs_.back();
  if (before.ring_place < 0 || before.tracks < 3) return false;
  const Run expected = pattern_->next(before);
  std::vector<double> offs;
  for (std::uint32_t slot = 2; slot < 2 + kReads; ++slot)
    if (const auto seen = prober_.look_at(expected, 0, slot)) offs.push_back(seen->off_rev);
  if (offs.empty()) return false;
  const auto lost = std::lround(statistics::median(offs) * expected.around());
  if (lost < 1 || lost > kFew) return false;
  const std::uint32_t last = before.tracks - 1, late = first_of_late(last, before.tracks / 4);
  add_loss(before, late + (last - late) / 2, static_cast<std::uint32_t>(lost), false);
  Run next = pattern_->next(before);
  next.standing = Standing::seen;
  if (!begins_here(next)) return false;
  if (!short_of_time()) {
    before = runs_.back();
    loss_finder_.locate(before, late, last, static_cast<std::uint32_t>(lost));
  }
  ++counts_.losses;
  runs_.back() = before;
  const Failure failure = held_against(next);
  if (failure == Failure::none)
    settle(next, true);
  else if (failure == Failure::first_track)
    mend_start_by_walk();
  else
    explain(next, failure);
  return true;
}

// The band before may be longer by some tracks; else what is behind it is walked.
void Mapper::mend_start() {
  constexpr std::uint32_t kLonger = 12;
  if (mend_by_late_loss()) return;
  Run& before = runs_.back();
  if (before.tracks > 1 && before.tail == 0) {
    Run longer = before;
    std::uint32_t more = 0;
    while (more < kLonger && longer.tracks < tracks_left(longer) &&
           prober_.check(before, before.tracks + more).holds)
      longer.tracks = before.tracks + ++more;
    if (more > 0) {
      ++counts_.longer;
      if (more == kLonger) follow(longer);
      before = longer;
      if (before.ring_place >= 0)
        (*pattern_)[static_cast<std::size_t>(before.ring_place)].tracks = before.tracks;
      Run again = pattern_->next(before);
      again.standing = Standing::seen;
      if (band_holds(again))
        settle(again, true);
      else if (begins_here(again))
        explain(again, Failure::first_track);
      else
        mend_start_by_walk();
      return;
    }
  }
  mend_start_by_walk();
}

// What lies behind the last run is walked, and followed where the pattern has nothing of its kind.
void Mapper::mend_start_by_walk() {
  const bool few = has_few_tracks(runs_.back());
  if (few && mend_by_shift()) return;
  ++counts_.walked_on;
  Run last = runs_.back();
  Run next;
  const Behind behind = look_behind(last, last.tracks - 1, next);
  if (behind == Behind::loss || behind == Behind::nothing_new) {
    constexpr int kOften = 3;  // and still it does not end: it is not as taken
    if (++mended_ > kOften) {
      mended_ = 0;
      anew();
      return;
    }
    last.tracks += 2;
    runs_.pop_back();
    follow(last);
    push(last);
    return;
  }
  if (behind == Behind::not_understood || behind == Behind::wrong_there) {
    if (few || !mend_by_shift()) anew();
    return;
  }
  next.standing = Standing::seen;
  const std::size_t place = (static_cast<std::size_t>(last.ring_place) + 1) % pattern_->period();
  const bool had_place = last.ring_place >= 0;
  runs_.back() = last;
  // The place's own number of tracks, if it holds.
  const RingPlace& expected = (*pattern_)[place];
  const std::uint32_t tracks = had_place ? pattern_->next(last).tracks : 0;
  if (had_place && next.tracks > 1 && tracks > 2) {
    Run whole = next;
    whole.tracks = tracks;
    whole.skew_rev = std::abs(statistics::wrap_rev(next.skew_rev - expected.skew_rev)) < 0.006
                         ? expected.skew_rev
                         : next.skew_rev;
    whole.ring_place = static_cast<std::int32_t>(place);
    if (band_holds(whole)) {
      settle(whole, false);
      return;
    }
    const std::uint32_t early = std::min<std::uint32_t>(3, whole.tracks - 1);
    if (prober_.check(whole, early).holds && mend_inside(whole)) return;
  }
  if (pattern_->is_of_tracks())
    next.tracks = 1;
  else
    follow(next);
  next.ring_place = -1;
  if (had_place && alike(next, expected, entry_rev(last, next)))
    next.ring_place = static_cast<std::int32_t>(place);
  settle(next, false);
  if (next.ring_place < 0) {
    lost_ = 0;
    begin_behind();
  }
}

// Not all of what the pattern has of it need be there: a zone may begin.
bool Mapper::alike(const Run& run, const RingPlace& expected, double entry) const {
  constexpr double kSame_rev = 0.01;
  int differing = 0;
  if (std::abs(statistics::wrap_rev(entry - expected.entry_rev)) > kSame_rev) ++differing;
  if (run.tracks > expected.tracks + expected.tracks / 50 + 1 ||
      run.tracks + expected.tracks / 50 + 1 < expected.tracks)
    ++differing;
  if (differing == 0 || (differing == 1 && run.slots == expected.slots)) return true;
  return std::abs(statistics::wrap_rev(entry - expected.entry_rev)) <= kSame_rev &&
         2 * run.tracks >= expected.tracks;
}

// As if each run since the last one with a place had been a band.
std::size_t Mapper::expected_place() const {
  std::size_t since = 0;
  for (std::size_t i = runs_.size() - 1; i-- > 0;) {
    if (runs_[i].ring_place >= 0) return static_cast<std::size_t>(runs_[i].ring_place) + since;
    if (!runs_[i + 1].same_band) ++since;
  }
  return since;
}

// The place in the pattern was lost: runs are learnt until they tell it.
void Mapper::find_place_again() {
  const auto learnt = std::span(runs_).first(runs_.size() - 1);
  const std::size_t n = std::min<std::size_t>(learnt.size(), 2 + ++lost_);
  // What followed the gap at once may be part of a band.
  std::size_t whole = 0;
  while (whole < learnt.size() && !learnt[learnt.size() - 1 - whole].after_gap) ++whole;
  std::optional<std::size_t> place;
  if (whole >= 3) place = pattern_->find_only(learnt.last(std::min<std::size_t>(whole, 5)));
  if (!place && n > 2) place = pattern_->find(learnt.last(n), expected_place());
  if (place) {
    runs_.pop_back();  // has only begun
    runs_.back().ring_place = static_cast<std::int32_t>(*place);
    pattern_->lose_count();
    // Another place fits as well where the bands are alike, and a leap by whole rounds lands on a
    // band that is.
    unproven_ = pattern_->period();
    return;
  }
  if (lost_ < pattern_->period() + 8) return;
  pattern_.reset();
}

// A surface's zone begins with this band: tracks of another of the drive's formats.
bool Mapper::other_format(Run& run) {
  const Jitter& jitter = frame_.jitter();
  std::vector<std::uint32_t> candidates;
  for (const std::uint32_t format : formats())
    if (format != run.slots && format > run.slots * 0.7 && format < run.slots * 1.4)
      candidates.push_back(format);
  if (candidates.empty()) return false;
  std::vector<double> odds(candidates.size(), 0.0);
  const auto with = [&](std::uint32_t slots) {
    Run other = run;
    other.slots = slots;
    return other;
  };
  for (int readings = 0; readings < 6; ++readings) {
    const std::uint64_t block = run.first + run.slots + run.slots / 3 +
                                static_cast<std::uint64_t>(readings) * (run.slots / 2 + 7);
    const auto rev = prober_.angle(block);
    if (!rev) continue;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      odds[i] +=
          jitter.evidence(statistics::wrap_rev(*rev - with(candidates[i]).end_of_block_rev(block)));
    const auto best = std::ranges::max_element(odds);
    if (readings >= 1 && *best < -6) return false;
    if (readings < 2 || *best < 5) continue;
    Run other = with(candidates[static_cast<std::size_t>(best - odds.begin())]);
    if (!band_holds(other)) {
      if (other.tracks > 4 && prober_.check(other, 3).holds) {  // right, but not to its end
        if (mend_inside(other)) return true;
      }
      odds[static_cast<std::size_t>(best - odds.begin())] -= 20;
      continue;
    }
    ++counts_.formats;
    settle(other, false);
    return true;
  }
  return false;
}

// A zone may begin with this band whose tracks have another skew: each begins so much farther on
// than the one before.
bool Mapper::other_skew(Run run) {
  constexpr double kMost_rev = 0.1;
  constexpr std::uint32_t kReads = 3, kFarther = 4;
  const double sigma = frame_.jitter().sigma_rev, was = run.skew_rev;
  const std::uint32_t last = std::min(run.tracks, tracks_left(run)) - 1;
  if (last < kFarther) return false;
  // A reading tells most that are lost sectors: tracks in front of those are where they should be.
  const auto first_look = prober_.look(run, std::min(last, kFarther));
  if (!first_look || std::abs(first_look->off_rev) < 5 * sigma ||
      std::abs(first_look->off_rev) > kMost_rev)
    return false;
  double most = kMost_rev;
  for (std::uint32_t track = std::min(last, kFarther);; track = std::min(last, kFarther * track)) {
    std::vector<double> offs;
    for (std::uint32_t i = 0; i < kReads; ++i)
      if (const auto seen = prober_.look(run, track)) offs.push_back(seen->off_rev);
    if (offs.empty()) return false;
    const double off = statistics::median(offs);
    if (std::abs(off) > most) return false;
    run.skew_rev = statistics::turn_rev(run.skew_rev + off / track);
    if (track == last) break;
    most = std::max(0.005, 5 * kFarther * sigma);
  }
  if (std::abs(statistics::wrap_rev(run.skew_rev - was)) * last < 4 * sigma) return false;
  if (!prober_.check(run, (last + 1) / 2).holds || !band_holds(run)) return false;
  pattern_->change_skew(was, run.skew_rev);
  settle(run, true);
  return true;
}

// A band that begins as predicted, and whose first tracks are right: sectors were lost in it, it
// ends earlier, or goes on with other tracks. Each way says whether the band is settled by it.
class Mapper::BandMender {
 public:
  BandMender(Mapper& mapper, Run& band)
      : mapper_(mapper), band_(band), tracks_(std::min(band.tracks, mapper.tracks_left(band))) {}

  bool mend() {
    if (tracks_ < 3) return false;
    const std::uint32_t late = tracks_ - 2;
    const auto lost = mapper_.loss_finder_.lost_before(band_, first_of_late(late, tracks_ / 8),
                                                       late, 0, band_.slots + band_.slots / 2);
    if (lost && lost->lost > 0 && by_loss(*lost)) return true;
    std::uint32_t right = 0;
    if (lost) right = lost->track;
    // It was the border's reading.
    if (right + 1 < tracks_ && holds_at(band_, tracks_ - 1)) return settled(band_, true);
    if (!(right > 0 && holds_at(band_, right))) right = 0;
    if (lost && lost->lost == 0 && right + 2 < tracks_ && by_track_in_turn()) return true;
    const std::uint32_t wrong = mapper_.first_wrong_track(band_, right, tracks_ - 1);
    return by_earlier_end(wrong) || by_walk(wrong);
  }

 private:
  bool settled(const Run& run, bool as_expected) {
    mapper_.settle(run, as_expected);
    return true;
  }
  bool settled_if_it_holds(Run& run) { return mapper_.band_holds(run) && settled(run, true); }
  bool holds_at(const Run& run, std::uint32_t track) {
    return mapper_.prober_.check(run, track).holds;
  }
  Run cut_to(std::uint32_t tracks) const {
    Run cut = band_;
    cut.tracks = tracks;
    cut.tail = 0;
    return cut;
  }
  RingPlace& place() { return (*mapper_.pattern_)[static_cast<std::size_t>(band_.ring_place)]; }

  bool by_loss(const LossFinder::Found& found) {
    Run with = band_;
    add_loss(with, found.track / 2, found.lost, false);
    if (!holds_at(with, tracks_ - 1) && !holds_at(with, found.track)) return false;
    ++mapper_.counts_.losses;
    if (mapper_.short_of_time() && settled_if_it_holds(with)) return true;
    mapper_.loss_finder_.locate(band_, 0, found.track, found.lost);
    return by_more_losses(found.track);
  }

  // More sectors may be lost behind that track.
  bool by_more_losses(std::uint32_t right) {
    const std::uint32_t last = std::min(band_.tracks, mapper_.tracks_left(band_)) - 1;
    for (int tries = 0; tries < 3; ++tries) {
      if (settled_if_it_holds(band_)) return true;
      if (right + 1 >= last) return false;
      const auto more = mapper_.loss_finder_.lost_before(band_, last - 1, last - 1, 0,
                                                         band_.slots + band_.slots / 2);
      if (!more || more->lost == 0) return false;
      mapper_.loss_finder_.locate(band_, right, last - 1, more->lost);
    }
    return false;
  }

  // Bands of a surface with tracks of its own width are a track shorter or longer in turn.
  bool by_track_in_turn() {
    for (std::uint32_t less = 1; less <= 2; ++less) {
      const Run cut = cut_to(tracks_ - less);
      if (!holds_at(cut, cut.tracks - 1)) continue;
      if (!mapper_.begins_here(mapper_.pattern_->next(cut))) break;
      ++mapper_.counts_.shorter;
      return settled(cut, true);
    }
    return false;
  }

  // Shorter than it was: the next band begins here.
  bool by_earlier_end(std::uint32_t wrong) {
    const Run cut = cut_to(wrong);
    if (wrong + 12 <= tracks_ || !mapper_.begins_here(mapper_.pattern_->next(cut))) return false;
    ++mapper_.counts_.shorter;
    return settled(cut, true);
  }

  bool by_walk(std::uint32_t wrong) {
    ++mapper_.counts_.walked_on;
    Run cut = cut_to(wrong), next;
    switch (mapper_.look_behind(cut, wrong - 1, next)) {
      case Behind::loss:
        return goes_on_behind_loss(cut, wrong);
      case Behind::another_run:
        mapper_.settle(cut, false);
        return next.same_band && band_.tracks > cut.tracks ? goes_on_with(next, cut)
                                                           : next_band_is(next);
      case Behind::nothing_new:
      case Behind::wrong_there:
      case Behind::not_understood:
        break;
    }
    return false;
  }

  bool goes_on_behind_loss(Run& cut, std::uint32_t wrong) {
    cut.tracks = band_.tracks;
    cut.tail = band_.tail;
    if (settled_if_it_holds(cut)) return true;
    cut.tracks = wrong + 1;
    mapper_.follow(cut);
    return settled(cut, false);
  }

  // As many tracks as the band had left, or what is found of them; their number in its place stays
  // that of the whole band.
  bool goes_on_with(Run& next, const Run& cut) {
    Run rest = next;
    rest.tracks = band_.tracks - cut.tracks;
    rest.tail = band_.tail;
    rest.skew_rev = cut.skew_rev;
    rest.ring_place = band_.ring_place;
    if (!mapper_.band_holds(rest)) {
      mapper_.follow(next);
      rest = next;
      rest.ring_place = band_.ring_place;
    }
    rest.same_band = true;
    place().slots = rest.slots;
    mapper_.push(rest);
    place().tracks = band_.tracks;
    return true;
  }

  bool next_band_is(Run& next) {
    mapper_.follow(next);
    next.ring_place = static_cast<std::int32_t>((static_cast<std::size_t>(band_.ring_place) + 1) %
                                                mapper_.pattern_->period());
    return settled(next, false);
  }

  Mapper& mapper_;
  Run& band_;
  const std::uint32_t tracks_;  // of it up to the drive's end, when nothing of it was mended
};

bool Mapper::mend_inside(Run& run) { return BandMender(*this, run).mend(); }

}  // namespace platter::layout_by_timing

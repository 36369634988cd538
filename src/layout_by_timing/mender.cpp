#include "layout_by_timing/mender.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "layout_by_timing/following.h"
#include "layout_by_timing/shift.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::layout_by_timing {
namespace {

// They tell less than the bands behind them.
bool has_few_tracks(const Run& run) { return run.tracks < 8; }

// Not all of what the pattern has of it need be there: a zone may begin.
bool alike(const Run& run, const RingPlace& expected, double entry) {
  constexpr double kSame_rev = 0.01;
  const bool enters_alike = std::abs(statistics::wrap_rev(entry - expected.entry_rev)) <= kSame_rev;
  const std::uint32_t most_apart = expected.tracks / 50 + 1;
  const bool is_as_long = run.tracks <= expected.tracks + most_apart &&
                          run.tracks + most_apart >= expected.tracks;
  if (enters_alike)
    return is_as_long || run.slots == expected.slots || 2 * run.tracks >= expected.tracks;
  return is_as_long && run.slots == expected.slots;
}

// The sectors that a band lost, on one of its tracks: the one by which its blocks are where they
// should be.
void lose_within(MapSoFar& map, Run& run, std::uint32_t sectors) {
  if (!has_few_tracks(run)) {
    map.loss_finder.locate(run, 0, run.tracks - 1, sectors);
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
    const auto rev = map.prober.angle(block);
    if (!rev) continue;
    for (std::uint32_t on = 0; on < run.tracks; ++on)
      odds[on] += map.frame.jitter().evidence(
          statistics::wrap_rev(*rev - lost_on[on].end_of_block_rev(block)));
  }
  run = lost_on[static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin())];
}

// A band of few tracks that lacks some blocks has lost them, unless its format is known, or the
// last band in its place lacked as many.
bool is_other_format(MapSoFar& map, Run& run, std::int64_t lacks) {
  RingPlace& place = map.place_of(run);
  const bool again = lacks == std::exchange(place.odd_lack, lacks);
  const std::int64_t slots = run.slots - lacks / run.tracks;
  if (lacks % run.tracks != 0 || 2 * slots < run.slots) return false;
  run.slots = static_cast<std::uint32_t>(slots);
  const bool known = std::ranges::count(map.formats(), run.slots) > 0;
  // Formats are a hundredth of a track apart, or more.
  if (!known && lacks > 0 && lacks / run.tracks * 200 < slots) return false;
  if (has_few_tracks(run) && !known && !again && lacks > 0) return false;
  // In the middle of a track, too, whose sectors are wider than they were, or some are lost.
  double odds = 0;
  for (const std::uint32_t part : {1U, 2U, 3U})
    if (const auto seen = map.prober.look_at(run, run.tracks / 2, part * run.slots / 4))
      odds += seen->evidence;
  if (odds < 0 || !map.prober.check(run, run.tracks - 1).holds) return false;
  place.odd_slots = run.slots;
  return true;
}

}  // namespace

void Mender::explain(Run band, std::span<const Reading> ends) {
  if (!map_.prober.check(band, 0).holds && !map_.prober.begins_here(band)) {
    mend_start();
    return;
  }
  if (map_.tracks_left(band) <= 2) {  // the drive's last blocks
    settler_.settle(band, true);
    return;
  }
  constexpr std::uint32_t kEarly = 4;
  const bool few = has_few_tracks(band);
  const std::uint32_t last = std::min(band.tracks, map_.tracks_left(band)) - 1;
  const auto early = last > 0 ? map_.prober.look(band, std::min(last, kEarly)) : std::nullopt;
  // Tracks in front of lost sectors are where they should be; of another kind none is.
  const bool is_wrong_early = early && early->evidence < 0;
  const bool settled = (is_wrong_early &&
                        (mend_by_other_format(band, *early) || mend_by_other_skew(band, *early))) ||
                       (few && mend_by_shift()) || mend_inside(band, ends) ||
                       (!few && band.tracks < 16 && mend_by_shift());
  if (!settled) mend_start_by_walk();  // tracks of a kind that was not met before
}

// The band before may be longer by some tracks; else what is behind it is walked.
void Mender::mend_start() {
  constexpr std::uint32_t kLonger = 12;
  if (mend_by_late_loss()) return;
  Run& before = map_.runs.back();
  Run longer = before;
  if (before.tracks > 1 && before.tail == 0)
    while (longer.tracks < before.tracks + kLonger && longer.tracks < map_.tracks_left(longer) &&
           map_.prober.check(before, longer.tracks).holds)
      ++longer.tracks;
  if (longer.tracks == before.tracks) {
    mend_start_by_walk();
    return;
  }
  ++map_.counts.longer;
  if (longer.tracks == before.tracks + kLonger) follow(map_, longer);
  before = longer;
  if (before.ring_place >= 0) map_.place_of(before).tracks = before.tracks;
  Run again = map_.expected_behind(before);
  if (settler_.holds(again))
    settler_.settle(again, true);
  else if (map_.prober.begins_here(again))
    explain(again, {});
  else
    mend_start_by_walk();
}

// Sectors lost behind the last border that was read in the band before: all of the next one begins
// so many blocks earlier.
bool Mender::mend_by_late_loss() {
  constexpr std::uint32_t kFew = 16, kReads = 3;
  Run before = map_.runs.back();
  if (before.ring_place < 0 || before.tracks < 3) return false;
  const Run expected = map_.pattern->next(before);
  std::vector<double> offs;
  for (std::uint32_t slot = 2; slot < 2 + kReads; ++slot)
    if (const auto seen = map_.prober.look_at(expected, 0, slot)) offs.push_back(seen->off_rev);
  if (offs.empty()) return false;
  const auto lost = std::lround(statistics::median(offs) * expected.around());
  if (lost < 1 || lost > kFew) return false;
  const std::uint32_t last = before.tracks - 1, late = first_of_late(last, before.tracks / 4);
  add_loss(before, late + (last - late) / 2, static_cast<std::uint32_t>(lost), false);
  Run next = map_.expected_behind(before);
  if (!map_.prober.begins_here(next)) return false;
  if (!settler_.is_short_of_time()) {
    before = map_.runs.back();
    map_.loss_finder.locate(before, late, last, static_cast<std::uint32_t>(lost));
  }
  ++map_.counts.losses;
  map_.runs.back() = before;
  const Held held = settler_.held_against(next);
  if (held.holds)
    settler_.settle(next, true);
  else if (map_.prober.check(next, 0).holds)
    explain(next, held.ends);
  else
    mend_start_by_walk();
  return true;
}

// What lies behind the last run is walked, and followed where the pattern has nothing of its kind.
void Mender::mend_start_by_walk() {
  const bool few = has_few_tracks(map_.runs.back());
  if (few && mend_by_shift()) return;
  ++map_.counts.walked_on;
  Run last = map_.runs.back(), next;
  switch (look_behind(map_, last, last.tracks - 1, next)) {
    case Behind::loss:
    case Behind::nothing_new:
      follow_last_again(last);
      return;
    case Behind::not_understood:
    case Behind::wrong_there:
      if (few || !mend_by_shift()) learner_.begin_anew();
      return;
    case Behind::another_run:
      map_.runs.back() = last;
      if (!mend_by_rest_of_band(next) && !mend_by_expected_length(next)) go_on_with(next);
  }
}

void Mender::follow_last_again(Run last) {
  if (settler_.goes_on_too_often() || !follow_on(map_, last)) {
    learner_.begin_anew();
    return;
  }
  map_.runs.pop_back();
  map_.push(last);
}

// The place's own number of tracks, if it holds.
bool Mender::mend_by_expected_length(const Run& found) {
  constexpr double kSame_rev = 0.006;
  if (map_.runs.back().ring_place < 0 || found.tracks < 2) return false;
  const Run expected = map_.pattern->next(map_.runs.back());
  if (expected.tracks < 3) return false;
  Run band = found;
  band.tracks = expected.tracks;
  band.ring_place = expected.ring_place;
  if (std::abs(statistics::wrap_rev(found.skew_rev - expected.skew_rev)) < kSame_rev)
    band.skew_rev = expected.skew_rev;
  if (settler_.holds(band)) {
    settler_.settle(band, false);
    return true;
  }
  return map_.prober.check(band, std::min<std::uint32_t>(3, band.tracks - 1)).holds &&
         mend_inside(band);
}

// The band before was left where some of its sectors are lost.
bool Mender::mend_by_rest_of_band(Run found) {
  const Run last = map_.runs.back();
  const std::uint32_t so_far = map_.tracks_of_last_band();
  if (!map_.goes_on_with_band(last, so_far, found)) return false;
  Run rest = found;
  rest.tracks = map_.place_of(last).tracks - so_far;
  rest.skew_rev = map_.place_of(last).skew_rev;
  if (!settler_.holds(rest)) {
    follow(map_, found);
    rest = found;
  }
  rest.ring_place = last.ring_place;
  rest.same_band = true;
  map_.push(rest);
  return true;
}

// As far as it goes, with the place that is expected if it is like that.
void Mender::go_on_with(Run found) {
  const Run& last = map_.runs.back();
  if (map_.pattern->is_of_tracks())
    found.tracks = 1;
  else
    follow(map_, found);
  found.ring_place = -1;
  found.same_band = false;
  if (last.ring_place >= 0) {
    const auto place = (static_cast<std::size_t>(last.ring_place) + 1) % map_.pattern->period();
    if (alike(found, (*map_.pattern)[place], entry_rev(last, found)))
      found.ring_place = static_cast<std::int32_t>(place);
  }
  settler_.settle(found, false);
  if (found.ring_place < 0) learner_.lose_place();
}

// The bands behind one that is not understood tell how many blocks it lacks, or has more: it has
// another format, or lost sectors.
bool Mender::mend_by_shift() {
  constexpr std::size_t kBands = 6, kFewest = 4;
  Run before = map_.runs.back();
  if (before.ring_place < 0) return false;
  const std::vector<Run> chain = map_.pattern->ahead(before, kBands, map_.end());
  if (chain.size() < kFewest) return false;
  Run run = chain.front();
  run.standing = Standing::seen;
  const auto blocks = static_cast<std::int64_t>(run.blocks());
  const auto lacks =
      ShiftFinder(map_.prober).find(std::span(chain).subspan(1), -blocks / 4, blocks + run.slots);
  if (!lacks || *lacks == 0) return false;
  Run next = shifted(chain[1], *lacks);
  next.standing = Standing::seen;
  if (!settler_.holds(next) || !map_.loss_finder.begins_right(next, 0, next.tracks - 1))
    return false;
  const std::uint32_t last = before.tracks - 1;
  const bool begins = map_.prober.begins_here(run) &&
                      (has_few_tracks(run) || (map_.loss_finder.begins_right(run, 0, 0) &&
                                               map_.loss_finder.none_lost(before, last, last)));
  if (!begins) {
    // What is behind the last border that was read in the one before shows only here.
    if (is_other_format(map_, before, *lacks))
      map_.place_of(before).slots = before.slots;
    else if (*lacks > 0)
      lose_within(map_, before = map_.runs.back(), static_cast<std::uint32_t>(*lacks));
    else
      return false;
    map_.runs.back() = before;
    run = shifted(run, *lacks);
    settler_.settle(run, true);
  } else if (Run other = run; is_other_format(map_, other, *lacks)) {
    ++map_.counts.formats;
    settler_.settle(other, false);
  } else if (*lacks > 0) {
    lose_within(map_, run, static_cast<std::uint32_t>(*lacks));
    ++map_.counts.losses;
    settler_.settle(run, true);
  } else {
    return false;
  }
  ++map_.counts.shifted;
  Run again = map_.expected_behind(map_.runs.back());  // it may have been given another place
  if (again.first != next.first) return true;
  again.start_rev = next.start_rev, again.skew_rev = next.skew_rev;
  settler_.settle(again, true);
  return true;
}

// A surface's zone begins with this band: tracks of another of the drive's formats.
bool Mender::mend_by_other_format(const Run& run, const Reading& early) {
  const Jitter& jitter = map_.frame.jitter();
  std::vector<std::uint32_t> candidates;
  for (const std::uint32_t format : map_.formats())
    if (format != run.slots && format > run.slots * 0.7 && format < run.slots * 1.4)
      candidates.push_back(format);
  if (candidates.empty()) return false;
  std::vector<double> odds(candidates.size(), 0.0);
  const auto with = [&](std::uint32_t slots) {
    Run other = run;
    other.slots = slots;
    return other;
  };
  std::optional<Reading> seen = early;
  for (std::uint32_t readings = 0; readings < 6; ++readings) {
    // Of a track on which formats differ by more than readings scatter.
    if (readings > 0)
      seen = map_.prober.look(
          with(candidates[static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin())]),
          std::min(run.tracks - 1, 1 + readings % 3));
    if (!seen) continue;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      odds[i] += jitter.evidence(statistics::wrap_rev(
          seen->angle_rev - with(candidates[i]).end_of_block_rev(seen->block)));
    const auto best = std::ranges::max_element(odds);
    if (readings >= 1 && *best < -6) return false;
    if (readings < 2 || *best < 5) continue;
    Run other = with(candidates[static_cast<std::size_t>(best - odds.begin())]);
    if (!settler_.holds(other)) {
      if (other.tracks > 4 && map_.prober.check(other, 3).holds) {  // right, but not to its end
        if (mend_inside(other)) return true;
      }
      odds[static_cast<std::size_t>(best - odds.begin())] -= 20;
      continue;
    }
    ++map_.counts.formats;
    settler_.settle(other, false);
    return true;
  }
  return false;
}

// A zone may begin with this band whose tracks have another skew: each begins so much farther on
// than the one before.
bool Mender::mend_by_other_skew(Run run, const Reading& early) {
  constexpr double kMost_rev = 0.1;
  constexpr std::uint32_t kReads = 3, kFarther = 4;
  const double sigma = map_.frame.jitter().sigma_rev, was = run.skew_rev;
  const std::uint32_t last = std::min(run.tracks, map_.tracks_left(run)) - 1;
  if (last < kFarther) return false;
  if (std::abs(early.off_rev) > kMost_rev) return false;
  double most = kMost_rev;
  for (std::uint32_t track = std::min(last, kFarther);; track = std::min(last, kFarther * track)) {
    std::vector<double> offs;
    for (std::uint32_t i = 0; i < kReads; ++i)
      if (const auto seen = map_.prober.look(run, track)) offs.push_back(seen->off_rev);
    if (offs.empty()) return false;
    const double off = statistics::median(offs);
    if (std::abs(off) > most) return false;
    run.skew_rev = statistics::turn_rev(run.skew_rev + off / track);
    if (track == last) break;
    most = std::max(0.005, 5 * kFarther * sigma);
  }
  if (std::abs(statistics::wrap_rev(run.skew_rev - was)) * last < 4 * sigma) return false;
  if (!map_.prober.check(run, (last + 1) / 2).holds || !settler_.holds(run)) return false;
  map_.pattern->change_skew(was, run.skew_rev);
  settler_.settle(run, true);
  return true;
}

}  // namespace platter::layout_by_timing

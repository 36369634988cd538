#include "layout/mapper.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "layout/cannot_map.h"
#include "layout/track_fronts.h"
#include "model/interruption.h"

namespace platter::layout {

Mapper::Mapper(Survey& survey, Defects defects, std::function<void(const Growth&)> grown)
    : survey_(survey), defects_(std::move(defects)), grown_(std::move(grown)) {
  map_.blocks = survey.blocks();
}

void Mapper::lengthen(std::size_t zone, std::uint32_t sectors) {
  map_.zones[zone].slots.widen(TrackLengths(sectors), true, 0);
  numbers_.load_slips(map_.zones[zone]);
}

// ---- growing

void Mapper::grow() {
  while (true) {
    try {
      Outcome met = begin();
      while (!met.stops()) {
        met = advance();
        if (met == Outcome::yes) return;
        stop_if_asked();
      }
      begin_again();
    } catch (const OutOfTranslations&) {
      leave_the_rest();
      return;
    }
  }
}

Outcome Mapper::begin() {
  map_.remaps.clear();
  attempts_.begin();
  numbers_.begin(restarts_ == 0);
  return starts_.first_zone();
}

// Numbers were taken wrongly: no zone holds any longer.
void Mapper::begin_again() {
  constexpr int kMostRestarts = 6;
  map_.zones.clear();
  if (++restarts_ > kMostRestarts) refuse_numbers();
}

void Mapper::refuse_numbers() const {
  throw CannotMap(
      ExitStatus::unsupported,
      fmt::format("{} numbers the sectors of its tracks in a way that is not known here; no "
                  "map is given rather than a wrong one",
                  survey_.name()));
}

// Yes once the last block is reached.
Outcome Mapper::advance() {
  if (grown_) {
    const Zone& last = map_.zones.back();
    grown_({last.first_block(last.good), survey_.translations(), map_.zones.size()});
  }
  const Outcome met = map_.zones.back().irregular ? irregular_.walk() : leap();
  if (met.kind != Outcome::Kind::no_rule) return met;
  if (const Outcome entered = irregular_.enter(met.lbn); entered.stops()) return entered;
  return map_.zones.back().first_lbn >= survey_.blocks() ? Outcome::yes : Outcome::no;
}

// Half of the tracks that lie between two exceptions on average; 0 where there are too few to tell.
std::uint64_t Mapper::half_way(const Zone& zone) {
  constexpr std::uint64_t kFewest = 16;  // Chosen: a mean to within a quarter
  const std::uint64_t exceptions = zone.slots.exceptions_met();
  return exceptions < kFewest ? 0 : zone.good / exceptions / 2;
}

// Jumps ahead in doubling steps of tracks; at the first disagreement finds the last track that is
// where it should be, and there the reason. Yes once the last block is reached.
Outcome Mapper::leap() {
  const std::size_t zone = map_.zones.size() - 1;
  const std::uint64_t blocks = survey_.blocks();
  Zone& first = map_.zones[zone];
  const Outcome as_before = agreement_.boundary_agrees(first, first.good, blocks);
  if (as_before.stops()) return as_before;
  if (as_before == Outcome::no) first.good = 0;
  for (std::uint64_t step = 1;; step = std::max(2 * step, half_way(map_.zones[zone]))) {
    Zone& last = map_.zones[zone];
    if (last.good < last.order.tracks_to_walk()) step = 1;
    const std::uint64_t next = last.telling_track(last.good, last.good + step);
    const Outcome there = agreement_.boundary_agrees(last, next, blocks);
    if (there.stops()) return there;
    if (there == Outcome::yes) {
      if (last.first_block(next) >= blocks) return Outcome::yes;
      last.good = next;
      continue;
    }
    const Result<std::uint64_t> good = agreement_.last_agreeing(zone, last.good, next);
    if (good.outcome != Outcome::yes) return good.outcome;
    last.good = good.value;
    if (const Outcome passed = growth_.pass(zone, good.value); passed.stops()) return passed;
    if (map_.zones.size() <= zone) return Outcome::no;
    const bool ended = map_.zones.size() > zone + 1;
    const Outcome settled = repairs_.settle(
        zone,
        ended ? map_.zones[zone + 1].first_lbn : map_.zones[zone].first_block(good.value + 1) + 1);
    return settled.stops() ? settled : Outcome::no;
  }
}

// No more questions may be asked: blocks behind the last that was looked up are where the last zone
// has them, perhaps.
void Mapper::leave_the_rest() {
  if (map_.zones.empty()) throw;
  survey_.stop();
  const Zone& last = map_.zones.back();
  const std::uint64_t first = std::min(last.first_block(last.good), survey_.blocks() - 1);
  not_looked_at_ = std::min(not_looked_at_.value_or(first), first);
}

// ---- looking a block up

bool Mapper::check(std::uint64_t lbn) {
  bool at_once = true;
  while (true) {
    Outcome met = Outcome::no;
    try {
      met = put_right(lbn, at_once);
    } catch (const OutOfTranslations&) {
      leave_the_rest();
      return at_once;
    }
    if (met == Outcome::yes) return at_once;
    at_once = false;
    if (met.kind == Outcome::Kind::no_rule) {
      met = irregular_.enter(met.lbn);
      if (!met.stops()) met = advance_to_end();
    }
    if (met == Outcome::other_numbers) {
      begin_again();
      grow();
    }
  }
}

Outcome Mapper::put_right(std::uint64_t lbn, bool& at_once) {
  while (true) {
    const Outcome there = agreement_.agrees(map_.zones[map_.zone_of(lbn)], lbn);
    if (there != Outcome::no) return there;
    at_once = false;
    if (const Outcome met = repairs_.repair(map_.zone_of(lbn), lbn); met.stops()) return met;
    if (const Outcome met = advance_to_end(); met.stops()) return met;
  }
}

Outcome Mapper::advance_to_end() {
  while (true)
    if (const Outcome met = advance(); met != Outcome::no) return met;
}

void Mapper::find_fronts() {
  if (TrackFronts(all_).find() == Outcome::other_numbers) refuse_numbers();
}

// ---- what is not claimed

void Mapper::do_not_understand(std::uint64_t lbn) {
  Zone& zone = map_.zones[map_.zone_of(lbn)];
  if (zone.not_understood.empty())
    zone.not_understood = fmt::format(
        "block {} and others were found elsewhere than the rules that were found have them", lbn);
}

std::vector<model::NotUnderstood> Mapper::not_understood() const {
  std::vector<model::NotUnderstood> ranges;
  for (std::size_t i = 0; i < map_.zones.size(); ++i) {
    if (map_.zones[i].not_understood.empty()) continue;
    ranges.push_back({map_.zones[i].first_lbn, map_.end_of(i) - 1, map_.zones[i].not_understood});
  }
  if (not_looked_at_) {
    std::erase_if(ranges, [&](const auto& range) { return range.first_lbn >= *not_looked_at_; });
    if (!ranges.empty() && ranges.back().last_lbn >= *not_looked_at_)
      ranges.back().last_lbn = *not_looked_at_ - 1;
    ranges.push_back({*not_looked_at_, survey_.blocks() - 1,
                      fmt::format("the drive's layout was not mapped so far with {} address "
                                  "translations",
                                  survey_.translations())});
  }
  return ranges;
}

}  // namespace platter::layout

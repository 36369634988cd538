#include "layout/slot_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/interruption.h"

namespace platter::layout {

namespace {

// Parts of `a` that are not in `b`; both sorted and disjoint.
std::vector<SlotRange> difference(const std::vector<SlotRange>& a,
                                  const std::vector<SlotRange>& b) {
  std::vector<SlotRange> rest;
  auto other = b.begin();
  for (SlotRange range : a) {
    while (other != b.end() && other->end <= range.first) ++other;
    for (auto cut = other; cut != b.end() && cut->first < range.end; ++cut) {
      if (cut->first > range.first) rest.push_back({range.first, cut->first});
      range.first = std::min(range.end, cut->end);
    }
    if (range.first < range.end) rest.push_back(range);
  }
  return rest;
}

// Sorted, those that overlap or touch as one.
std::vector<SlotRange> joined(std::vector<SlotRange> ranges) {
  std::ranges::sort(ranges, {}, &SlotRange::first);
  std::vector<SlotRange> all;
  for (const SlotRange& range : ranges) {
    if (all.empty() || range.first > all.back().end)
      all.push_back(range);
    else
      all.back().end = std::max(all.back().end, range.end);
  }
  return all;
}

std::vector<SlotRange> ranges_of(const std::set<std::uint64_t>& slots) {
  std::vector<SlotRange> ranges;
  for (const std::uint64_t slot : slots) {
    if (!ranges.empty() && ranges.back().end == slot)
      ++ranges.back().end;
    else
      ranges.push_back({slot, slot + 1});
  }
  return ranges;
}

}  // namespace

SlotMap::Sums SlotMap::sums_of(const SpareSeries& series) const {
  Sums sums;
  std::uint64_t repeats = 1;
  if (series.of_tracks() && !lengths_.alike()) {
    repeats = lengths_.cycle() / std::gcd(lengths_.cycle(), series.stride);
    while (series.first.track + sums.once * series.stride < lengths_.once() + 1) ++sums.once;
  }
  for (std::uint64_t i = 0; i < sums.once + repeats; ++i) {
    const SlotRange spares = range(series, i);
    sums.of_first.push_back(sums.of_first.back() + spares.end - spares.first);
  }
  return sums;
}

std::uint64_t SlotMap::Sums::of(std::uint64_t occurrences) const {
  if (occurrences < of_first.size()) return of_first[occurrences];
  const std::uint64_t cycle = of_first.size() - 1 - once, behind = occurrences - once;
  return of_first[once + behind % cycle] + behind / cycle * (of_first.back() - of_first[once]);
}

std::optional<std::uint64_t> SlotMap::occurrence_from(const SpareSeries& series,
                                                      std::uint64_t slot) const {
  const std::int64_t at = static_cast<std::int64_t>(slot) - series.end.slots;
  const std::uint64_t behind =
      at < 0 ? 0 : lengths_.track_of(static_cast<std::uint64_t>(at)) + 1;  // the end's track
  std::uint64_t occurrence = 0;
  if (behind > series.end.track)
    occurrence = (behind - series.end.track + series.stride - 1) / series.stride;
  return occurrence < series.count ? std::optional(occurrence) : std::nullopt;
}

std::uint64_t SlotMap::series_before(std::uint64_t slot) const {
  stop_if_asked();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const auto next = occurrence_from(series_[i], slot);
    sum += sums_[i].of(next.value_or(series_[i].count));
    if (next) sum += slot - std::min(slot, range(series_[i], *next).first);
  }
  return sum;
}

std::int64_t SlotMap::corrections_before(std::uint64_t slot) const {
  const auto next = std::partition_point(
      corrections_.begin(), corrections_.end(),
      [slot](const Correction& correction) { return correction.range.first < slot; });
  if (next == corrections_.begin()) return 0;
  const Correction& last = *std::prev(next);
  const auto covered = std::min(slot, last.range.end) - last.range.first;
  return last.before + last.sign * static_cast<std::int64_t>(covered);
}

std::uint64_t SlotMap::blocks_before(std::uint64_t slot) const {
  const std::int64_t blocks = static_cast<std::int64_t>(slot) -
                              static_cast<std::int64_t>(series_before(slot)) -
                              corrections_before(slot);
  return blocks > 0 ? static_cast<std::uint64_t>(blocks) : 0;
}

std::uint64_t SlotMap::slot_of(std::uint64_t block) const {
  // As many slots further as are free before: never too far, and mostly near.
  constexpr int kGuesses = 4;
  std::uint64_t low = block;
  for (int i = 0; i < kGuesses; ++i) {
    const std::uint64_t blocks = blocks_before(low);
    if (blocks >= block) break;
    low += block - blocks;
  }
  constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 50;
  std::uint64_t high = low + 1;
  for (std::uint64_t step = 1; blocks_before(high) <= block && high < kMostSlots; step *= 2) {
    low = high;
    high += step;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (blocks_before(middle) <= block ? low : high) = middle;
  }
  return low;
}

bool SlotMap::in_series(std::uint64_t slot) const {
  return std::ranges::any_of(series_, [&](const SpareSeries& series) {
    const auto occurrence = occurrence_from(series, slot);
    return occurrence && range(series, *occurrence).first <= slot;
  });
}

std::optional<SlotRange> SlotMap::next_spares(std::uint64_t slot) const {
  std::optional<SlotRange> next;
  for (const SpareSeries& series : series_) {
    const auto occurrence = occurrence_from(series, slot);
    if (!occurrence) continue;
    const SlotRange spares = range(series, *occurrence);
    if (!next || spares.first < next->first) next = spares;
  }
  return next;
}

std::vector<SlotRange> SlotMap::series_ranges(SlotRange within) const {
  stop_if_asked();
  std::vector<SlotRange> ranges;
  for (const SpareSeries& series : series_) {
    auto occurrence = occurrence_from(series, within.first);
    for (; occurrence && *occurrence < series.count; ++*occurrence) {
      const SlotRange spares = range(series, *occurrence);
      if (spares.first >= within.end) break;
      ranges.push_back({std::max(spares.first, within.first), std::min(spares.end, within.end)});
    }
  }
  std::ranges::sort(ranges, {}, &SlotRange::first);
  return ranges;
}

std::vector<SlotRange> SlotMap::free_ranges(std::uint64_t first, std::uint64_t end) const {
  std::vector<SlotRange> edges = series_ranges({first, end});
  std::vector<SlotRange> free;
  const auto add = [&free](std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    if (!free.empty() && free.back().end == from) {
      free.back().end = to;
    } else {
      free.push_back({from, to});
    }
  };
  auto correction = std::partition_point(
      corrections_.begin(), corrections_.end(),
      [first](const Correction& c) { return c.range.end <= first; });
  // Both lists are sorted; corrections that take away lie within ranges of the series, the others
  // outside of them.
  auto range = edges.begin();
  std::uint64_t at = first;
  while (at < end) {
    stop_if_asked();
    while (correction != corrections_.end() && correction->range.end <= at) ++correction;
    while (range != edges.end() && range->end <= at) ++range;
    const bool corrected = correction != corrections_.end() && correction->range.first <= at;
    const bool spare = range != edges.end() && range->first <= at;
    std::uint64_t until = end;
    if (correction != corrections_.end())
      until = std::min(until, corrected ? correction->range.end : correction->range.first);
    if (range != edges.end()) until = std::min(until, spare ? range->end : range->first);
    if (corrected ? correction->sign > 0 : spare) add(at, until);
    at = until;
  }
  return free;
}

std::vector<SlotRange> SlotMap::exceptions() const {
  std::vector<SlotRange> ranges;
  for (const Override& item : overrides_) ranges.push_back(item.range);
  return ranges;
}

void SlotMap::set_absorb(Absorb absorb) {
  absorb_ = absorb;
  rebuild();
}

void SlotMap::add_series(const SpareSeries& series) {
  if (add_fitting(series)) rebuild();
}

void SlotMap::set_lengths(TrackLengths lengths) {
  lengths_ = std::move(lengths);
  sums_.clear();
  for (const SpareSeries& series : std::exchange(series_, {})) add_fitting(series);
  rebuild();
}

std::uint64_t SlotMap::slips_between(std::uint64_t first, std::uint64_t end) const {
  std::uint64_t slots = 0;
  for (auto slips = std::ranges::partition_point(
           slips_, [first](const SlotRange& range) { return range.end <= first; });
       slips != slips_.end() && slips->first < end; ++slips)
    slots += std::min(slips->end, end) - std::max(slips->first, first);
  return slots;
}

void SlotMap::set_listed_slips(std::vector<SlotRange> slips) {
  listed_ = joined(std::move(slips));
  rebuild();
}

// The spare slots that slips of their unit have used up.
std::set<std::uint64_t> SlotMap::absorbed() const {
  std::set<std::uint64_t> used;
  if (series_.empty() || absorb_ == Absorb::none) return used;
  std::vector<std::uint64_t> slips;
  for (const SlotRange& range : slips_)
    for (std::uint64_t slip = range.first; slip < range.end; ++slip)
      if (!in_series(slip)) slips.push_back(slip);
  for (const std::uint64_t slip : slips) {
    stop_if_asked();
    if (absorb_ == Absorb::next) {
      const auto spares = next_spares(slip);
      if (!spares) continue;
      std::uint64_t slot = spares->first;
      while (slot < spares->end && (used.contains(slot) || is_slip(slot))) ++slot;
      if (slot < spares->end) used.insert(slot);
    } else {
      std::optional<SlotRange> spares;  // the last ones before the slip
      for (const SpareSeries& series : series_) {
        const std::uint64_t next = occurrence_from(series, slip).value_or(series.count);
        if (next == 0) continue;
        const SlotRange last = range(series, next - 1);
        if (!spares || last.first > spares->first) spares = last;
      }
      if (!spares) continue;
      std::uint64_t slot = spares->end;
      while (slot > spares->first && (used.contains(slot - 1) || is_slip(slot - 1))) --slot;
      if (slot > spares->first) used.insert(slot - 1);
    }
  }
  return used;
}

void SlotMap::add_slips_to_corrections() {
  const std::vector<SlotRange> overridden = exceptions();
  std::vector<SlotRange> free;
  for (const SlotRange& slips : slips_) {
    stop_if_asked();
    std::ranges::copy(
        series_.empty() ? std::vector{slips} : difference({slips}, series_ranges(slips)),
        std::back_inserter(free));
  }
  for (const SlotRange& range : difference(free, overridden)) corrections_.push_back({range, 1, 0});
}

void SlotMap::rebuild() {
  std::vector<SlotRange> slips = ranges_of(found_);
  slips.insert(slips.end(), listed_.begin(), listed_.end());
  slips_ = difference(joined(std::move(slips)), ranges_of(refuted_));

  const auto overridden = [this](std::uint64_t slot) {
    const auto next = std::partition_point(
        overrides_.begin(), overrides_.end(),
        [slot](const Override& item) { return item.range.end <= slot; });
    return next != overrides_.end() && next->range.first <= slot;
  };
  corrections_.clear();
  add_slips_to_corrections();
  for (const std::uint64_t slot : absorbed()) {
    if (!overridden(slot)) corrections_.push_back({{slot, slot + 1}, -1, 0});
  }
  for (const Override& item : overrides_) {
    std::uint64_t at = item.range.first;
    for (const SlotRange& spare : series_ranges(item.range)) {
      if (item.free && spare.first > at) corrections_.push_back({{at, spare.first}, 1, 0});
      if (!item.free) corrections_.push_back({spare, -1, 0});
      at = std::max(at, spare.end);
    }
    if (item.free && item.range.end > at) corrections_.push_back({{at, item.range.end}, 1, 0});
  }
  std::ranges::sort(corrections_, {}, [](const Correction& c) { return c.range.first; });
  std::int64_t before = 0;
  for (Correction& correction : corrections_) {
    correction.before = before;
    before += correction.sign *
              static_cast<std::int64_t>(correction.range.end - correction.range.first);
  }
}

void SlotMap::override_range(SlotRange range, bool free) {
  stop_if_asked();
  std::vector<Override> kept;
  for (const Override& item : overrides_) {
    if (item.range.end <= range.first || item.range.first >= range.end) {
      kept.push_back(item);
      continue;
    }
    if (item.range.first < range.first)
      kept.push_back({{item.range.first, range.first}, item.free});
    if (item.range.end > range.end) kept.push_back({{range.end, item.range.end}, item.free});
  }
  kept.push_back({range, free});
  std::ranges::sort(kept, {}, [](const Override& item) { return item.range.first; });
  // Spares that reach over the end of a track were measured in two parts.
  const auto begins_track = [this](std::uint64_t slot) {
    return lengths_.first_slot(lengths_.track_of(slot)) == slot;
  };
  overrides_.clear();
  for (const Override& item : kept) {
    const std::uint64_t joint = item.range.first;
    const bool is_new = joint == range.first || joint == range.end;
    const bool goes_on = is_new && free && item.free && !overrides_.empty() &&
                         overrides_.back().free && overrides_.back().range.end == joint &&
                         begins_track(joint);
    if (goes_on) {
      overrides_.back().range.end = item.range.end;
    } else {
      overrides_.push_back(item);
    }
  }
}

void SlotMap::measured(SlotRange range, const std::vector<SlotRange>& free) {
  // First the slips: they may change what the spares behind them are.
  constexpr std::uint64_t kLongestSlip = 4;  // longer holes are spares or reserved areas
  bool slipped = false;
  for (const SlotRange& hole : difference(free, free_ranges(range.first, range.end))) {
    const std::uint64_t track = lengths_.track_of(hole.first);
    const bool inside_track = hole.first > lengths_.first_slot(track) &&
                              hole.end < lengths_.first_slot(track + 1);
    if (!inside_track || hole.end - hole.first > kLongestSlip) continue;
    for (std::uint64_t slot = hole.first; slot < hole.end; ++slot) {
      found_.insert(slot);
      refuted_.erase(slot);
      slipped = true;
    }
  }
  for (const SlotRange& used : difference(free_ranges(range.first, range.end), free)) {
    for (std::uint64_t slot = used.first; slot < used.end; ++slot) {
      if (!is_slip(slot)) continue;
      refuted_.insert(slot);
      slipped = true;
    }
  }
  if (slipped) rebuild();

  const std::vector<SlotRange> guessed = free_ranges(range.first, range.end);
  for (const SlotRange& hole : free) {
    // A hole that is not fully explained is told as a whole, less the spares that come anyway.
    if (difference({hole}, guessed).empty()) continue;
    for (const SlotRange& rest : difference({hole}, series_ranges(range)))
      override_range(rest, true);
  }
  for (const SlotRange& used : difference(guessed, free)) override_range(used, false);
  rebuild();
  if (free_ranges(range.first, range.end) == free) return;
  // Spares that slips were thought to have used up.
  for (const SlotRange& hole : difference(free, free_ranges(range.first, range.end)))
    override_range(hole, true);
  rebuild();
}

bool SlotMap::learn_series() {
  const bool ended = ended_series();
  const bool found = found_repetition();
  if (ended || found) rebuild();
  return ended || found;
}

namespace {

bool meet(const SlotMap& map, const SpareSeries& one, const SpareSeries& other) {
  constexpr std::uint64_t kLookedAt = 64;
  for (std::uint64_t i = 0; i < std::min(one.count, kLookedAt); ++i) {
    const SlotRange spares = map.range(one, i);
    const auto near = map.occurrence_from(other, spares.first);
    if (near && map.range(other, *near).first < spares.end) return true;
  }
  return false;
}

}  // namespace

// Only one that leaves room for blocks, and takes no slot that other spares have.
bool SlotMap::add_fitting(const SpareSeries& series) {
  constexpr std::uint64_t kLookedAt = 64;
  if (std::ranges::any_of(series_, [&](const SpareSeries& other) {
        return meet(*this, series, other) || meet(*this, other, series);
      }))
    return false;
  Sums sums = sums_of(series);
  const std::uint64_t first = range(series, 0).first, end = range(series, kLookedAt).first;
  const std::uint64_t taken = sums.of(kLookedAt) + series_before(end) - series_before(first);
  if (taken >= end - first) return false;
  series_.push_back(series);
  sums_.push_back(std::move(sums));
  return true;
}

// The series whose first occurrence this is. Spares that leave no block on the tracks where they
// begin and end are spare tracks; others count from the nearer end of their tracks.
SpareSeries SlotMap::from(SlotRange spares) const {
  const std::uint64_t begins = lengths_.track_of(spares.first);
  const std::uint64_t ends = lengths_.track_of(spares.end - 1) + 1;
  const std::uint64_t begin = lengths_.first_slot(begins), end = lengths_.first_slot(ends);
  const auto slots = [](std::uint64_t at, std::uint64_t track) {
    return static_cast<std::int64_t>(at) - static_cast<std::int64_t>(track);
  };
  const Edge first{begins, slots(spares.first, begin)}, last{ends, slots(spares.end, end)};
  const auto all_free = [this](std::uint64_t from, std::uint64_t to) {
    return series_before(to) - series_before(from) == to - from;
  };
  if (all_free(begin, spares.first) && all_free(spares.end, end)) return {first, last};
  if (spares.first - begin < end - spares.end) return {first, {begins, slots(spares.end, begin)}};
  return {{ends, slots(spares.first, end)}, last};
}

const SlotMap::Override* SlotMap::free_until(std::uint64_t end) const {
  const auto item = std::ranges::partition_point(
      overrides_, [end](const Override& other) { return other.range.end < end; });
  return item != overrides_.end() && item->free && item->range.end == end ? &*item : nullptr;
}

// Spares as they were before the slips of their unit used up the first ones.
SlotRange SlotMap::unused(SlotRange left, const Edge& end, std::uint64_t stride) const {
  if (end.track < stride) return left;
  const std::uint64_t unit = slot_at({end.track - stride, end.slots}, 0);
  if (unit >= left.first) return left;  // longer than a unit: nothing in front of it is of the same
  return {left.first - std::min(left.first - unit, slips_between(unit, left.first)), left.end};
}

// Free ranges alike, at the same place of their tracks, are spares if they come at equal distances:
// three of them, or two that divide the zone from its start; more where that was wrong before.
// `used`: alike but for what slips have used up.
std::optional<SpareSeries> SlotMap::repetition(const Free& early, const Free& late,
                                               bool used) const {
  SpareSeries a = early.series, b = late.series;
  if (a.end.slots != b.end.slots || a.end.track >= b.end.track) return std::nullopt;
  const std::uint64_t stride = b.end.track - a.end.track;
  const auto alike = [stride](const SpareSeries& one, const SpareSeries& next) {
    return one.first.slots == next.first.slots && one.end.slots == next.end.slots &&
           one.first.track + stride == next.first.track && one.end.track + stride == next.end.track;
  };
  if (used) {
    a = from(unused(early.range, a.end, stride));
    b = from(unused(late.range, b.end, stride));
  }
  if (!alike(a, b)) return std::nullopt;
  SpareSeries series = a;
  series.stride = stride;
  const bool from_start = early.range.first == 0 || (a.end.slots == 0 && a.end.track == stride);
  if (!from_start || evidence_ > kLeastEvidence) {
    // Single slots that lack a block come at equal distances by chance, too.
    const std::uint64_t wanted = evidence_ + (late.range.end - late.range.first == 1 ? 1 : 0);
    for (std::uint64_t units = 1; units + 2 <= wanted; ++units) {
      if (a.end.track < units * stride) return std::nullopt;
      const Override* item = free_until(slot_at({a.end.track - units * stride, a.end.slots}, 0));
      if (!item) return std::nullopt;
      const SpareSeries left = from(item->range);
      const SpareSeries before = used ? from(unused(item->range, left.end, stride)) : left;
      if (!alike(before, series)) return std::nullopt;
      series = before;
      series.stride = stride;
    }
  }
  const bool blocks_between = blocks_before(late.range.first) > blocks_before(early.range.end);
  if (!blocks_between || range(series, 0).end > range(series, 1).first) return std::nullopt;
  return series;
}

bool SlotMap::found_repetition() {
  constexpr std::size_t kMostSeries = 24;  // what looks like more is no regularity
  if (series_.size() >= kMostSeries) return false;
  // What was learned before was asked before: the last ones tell something new.
  constexpr std::size_t kNewest = 8, kFarthest = 256;
  const std::size_t all = overrides_.size(), first = all - std::min(all, kNewest + kFarthest);
  std::vector<std::optional<Free>> looked_at;
  for (std::size_t i = first; i < all; ++i) {
    const Override& item = overrides_[i];
    looked_at.push_back(item.free ? std::optional(Free{item.range, from(item.range)})
                                  : std::nullopt);
  }
  for (const bool used : {true, false}) {
    if (used && absorb_ != Absorb::next) continue;
    for (std::size_t i = all; i-- > 1 && i + kNewest >= all;) {
      const auto& late = looked_at[i - first];
      for (std::size_t k = i; k-- > 0 && k + kFarthest >= i;) {
        const auto& early = looked_at[k - first];
        if (!late || !early) continue;
        const auto series = repetition(*early, *late, used);
        if (!series || !add_fitting(*series)) continue;
        std::erase_if(overrides_, [&](const Override& item) {
          const auto occurrence = occurrence_from(*series, item.range.end - 1);
          return item.free && occurrence &&
                 range(*series, *occurrence) ==
                     (used ? unused(item.range, from(item.range).end, series->stride) : item.range);
        });
        return true;
      }
    }
  }
  return false;
}

// A series that was missed twice ends there. One that ends soon was none: what of it was true is
// told one by one, and the next ones must show more, so that this ends.
bool SlotMap::ended_series() {
  const auto is_used = [this](const SlotRange& range) {
    const auto item = std::partition_point(
        overrides_.begin(), overrides_.end(),
        [&range](const Override& other) { return other.range.end <= range.first; });
    return item != overrides_.end() && !item->free && item->range.first <= range.first &&
           item->range.end >= range.end;
  };
  const auto ended_at = [&](const SpareSeries& series) -> std::optional<std::uint64_t> {
    if (series.count != SpareSeries::kOpen) return std::nullopt;
    for (const Override& item : overrides_) {
      if (item.free) continue;
      const auto occurrence = occurrence_from(series, item.range.first);
      if (occurrence && is_used(range(series, *occurrence)) &&
          is_used(range(series, *occurrence + 1)))
        return occurrence;
    }
    return std::nullopt;
  };
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const auto end = ended_at(series_[i]);
    if (!end) continue;
    const SpareSeries series = series_[i];
    std::erase_if(overrides_, [&](const Override& item) {
      const auto occurrence = occurrence_from(series, item.range.first);
      return !item.free && *occurrence >= *end &&
             range(series, *occurrence).first == item.range.first;
    });
    constexpr std::uint64_t kMostEvidence = 8;
    if (*end >= kMostEvidence) {
      series_[i].count = *end;
      return true;
    }
    std::vector<SlotRange> left;
    for (std::uint64_t k = 0; k < *end; ++k) {
      const SlotRange spares = range(series, k);
      std::ranges::copy(free_ranges(spares.first, spares.end), std::back_inserter(left));
    }
    series_.erase(series_.begin() + static_cast<std::ptrdiff_t>(i));
    sums_.erase(sums_.begin() + static_cast<std::ptrdiff_t>(i));
    for (const SlotRange& free : left) override_range(free, true);
    evidence_ = std::min(evidence_ + 1, kMostEvidence);
    return true;
  }
  return false;
}

void SlotMap::widen(TrackLengths lengths, bool as_spares, std::uint64_t tracks) {
  const auto moved = [this, &lengths](std::uint64_t slot) {
    const std::uint64_t track = lengths_.track_of(slot);
    return slot - lengths_.first_slot(track) + lengths.first_slot(track);
  };
  const auto moved_range = [&moved](SlotRange range) {
    return SlotRange{moved(range.first), moved(range.end - 1) + 1};
  };
  std::vector<SlotRange> spares;
  for (const SpareSeries& series : series_) spares.push_back(moved_range(range(series, 0)));
  for (Override& item : overrides_) item.range = moved_range(item.range);
  // Over the end of a track a range does not move as one.
  std::vector<SlotRange> listed;
  for (const SlotRange& range : std::exchange(listed_, {}))
    for (std::uint64_t slot = range.first; slot < range.end;) {
      const std::uint64_t end = std::min(range.end,
                                         lengths_.first_slot(lengths_.track_of(slot) + 1));
      listed.push_back(moved_range({slot, end}));
      slot = end;
    }
  listed_ = joined(std::move(listed));
  for (auto* slips : {&found_, &refuted_}) {
    std::set<std::uint64_t> again;
    for (const std::uint64_t slot : *slips) again.insert(moved(slot));
    *slips = std::move(again);
  }
  const TrackLengths before = std::exchange(lengths_, std::move(lengths));
  sums_.clear();
  auto place = spares.begin();
  for (SpareSeries series : std::exchange(series_, {})) {
    const SpareSeries at = from(*place++);
    series.first = at.first;
    series.end = at.end;
    add_fitting(series);
  }
  const std::uint64_t once = lengths_.once(), cycle = lengths_.cycle();
  for (std::uint64_t track = 0; track < (as_spares ? once + cycle : tracks); ++track) {
    const std::int64_t more = std::int64_t{lengths_.of(track)} - before.of(track);
    const Edge end{track + 1, 0};
    if (more > 0 && as_spares)
      add_fitting({{track + 1, -more}, end, cycle, track < once ? 1 : SpareSeries::kOpen});
    if (more > 0 && !as_spares)
      override_range({slot_at(end, 0) - static_cast<std::uint64_t>(more), slot_at(end, 0)}, true);
  }
  rebuild();
}

}  // namespace platter::layout

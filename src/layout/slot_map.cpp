#include "layout/slot_map.h"

#include <algorithm>

namespace platter::layout {

std::uint64_t SpareSeries::slots_before(std::uint64_t slot) const {
  if (slot <= first) return 0;
  const std::uint64_t whole = (slot - first) / stride;
  if (whole >= count) return count * length;
  return whole * length + std::min(length, (slot - first) % stride);
}

std::optional<std::uint64_t> SpareSeries::occurrence_from(std::uint64_t slot) const {
  if (slot < first) return count > 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  std::uint64_t occurrence = (slot - first) / stride;
  if ((slot - first) % stride >= length) ++occurrence;
  return occurrence < count ? std::optional(occurrence) : std::nullopt;
}

std::uint64_t SlotMap::series_before(std::uint64_t slot) const {
  std::uint64_t sum = 0;
  for (const SpareSeries& series : series_) sum += series.slots_before(slot);
  return sum + absent_before(slot);
}

std::uint64_t SlotMap::absent_before(std::uint64_t slot) const {
  if (absent_.empty()) return 0;
  // Of absent_[from, to), each taken once.
  const auto sum_before = [this](std::uint64_t at, std::size_t from, std::size_t to) {
    const auto begin = absent_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = absent_.begin() + static_cast<std::ptrdiff_t>(to);
    const auto next = std::partition_point(
        begin, end, [at](const SpareSeries& series) { return series.first < at; });
    if (next == begin) return std::uint64_t{0};
    const auto last = static_cast<std::size_t>(std::prev(next) - absent_.begin());
    return absent_sums_[last] - absent_sums_[from] +
           std::min(absent_[last].length, at - absent_[last].first);
  };
  std::uint64_t sum = sum_before(slot, 0, absent_once_);
  if (absent_once_ == absent_.size() || slot <= absent_[absent_once_].first) return sum;
  const SpareSeries& first = absent_[absent_once_];
  const std::uint64_t each =
      absent_sums_.back() + absent_.back().length - absent_sums_[absent_once_];
  const std::uint64_t turns = (slot - first.first) / first.stride;
  return sum + turns * each +
         sum_before(slot - turns * first.stride, absent_once_, absent_.size());
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
  std::uint64_t high = block + 1;
  constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 50;
  for (std::uint64_t step = sectors_; blocks_before(high) <= block && high < kMostSlots; step *= 2)
    high += step;
  std::uint64_t low = block;  // blocks_before(low) <= block: there are no more blocks than slots
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (blocks_before(middle) <= block ? low : high) = middle;
  }
  return low;
}

bool SlotMap::in_series(std::uint64_t slot) const {
  return is_absent(slot) || std::ranges::any_of(series_, [slot](const SpareSeries& series) {
    const auto occurrence = series.occurrence_from(slot);
    return occurrence && series.range(*occurrence).first <= slot;
  });
}

std::optional<SlotRange> SlotMap::next_spares(std::uint64_t slot) const {
  std::optional<SlotRange> next;
  for (const SpareSeries& series : series_) {
    const auto occurrence = series.occurrence_from(slot);
    if (!occurrence) continue;
    const SlotRange range = series.range(*occurrence);
    if (!next || range.first < next->first) next = range;
  }
  return next;
}

std::vector<SlotRange> SlotMap::series_ranges(SlotRange within) const {
  std::vector<SlotRange> ranges;
  for (const auto* all : {&series_, &absent_}) {
    for (const SpareSeries& series : *all) {
      auto occurrence = series.occurrence_from(within.first);
      for (; occurrence && *occurrence < series.count; ++*occurrence) {
        const SlotRange range = series.range(*occurrence);
        if (range.first >= within.end) break;
        ranges.push_back({std::max(range.first, within.first), std::min(range.end, within.end)});
      }
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
  auto correction =
      std::partition_point(corrections_.begin(), corrections_.end(),
                           [first](const Correction& c) { return c.range.end <= first; });
  // Both lists are sorted; corrections that take away lie within ranges of the series, the others
  // outside of them.
  auto range = edges.begin();
  std::uint64_t at = first;
  while (at < end) {
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
  if (!fits(series)) return;
  series_.push_back(series);
  rebuild();
}

void SlotMap::set_absent(std::vector<SpareSeries> absent) {
  absent_ = std::move(absent);
  absent_sums_.clear();
  std::uint64_t sum = 0;
  for (const SpareSeries& one : absent_) {
    absent_sums_.push_back(sum);
    sum += one.length;
  }
  const auto open = std::ranges::find(absent_, SpareSeries::kOpen, &SpareSeries::count);
  absent_once_ = static_cast<std::size_t>(open - absent_.begin());
  std::vector<SpareSeries> series;
  std::swap(series, series_);
  for (const SpareSeries& one : series)
    if (fits(one)) series_.push_back(one);
  rebuild();
}

void SlotMap::set_listed_slips(const std::set<std::uint64_t>& slips) {
  listed_ = slips;
  rebuild();
}

// The spare slots that slips of their unit have used up.
std::set<std::uint64_t> SlotMap::absorbed() const {
  std::set<std::uint64_t> used;
  if (series_.empty() || absorb_ == Absorb::none) return used;
  for (const std::uint64_t slip : slips_) {
    if (in_series(slip)) continue;
    if (absorb_ == Absorb::next) {
      const auto spares = next_spares(slip);
      if (!spares) continue;
      std::uint64_t slot = spares->first;
      while (slot < spares->end && (used.contains(slot) || slips_.contains(slot))) ++slot;
      if (slot < spares->end) used.insert(slot);
    } else {
      std::optional<SlotRange> spares;  // the last ones before the slip
      for (const SpareSeries& series : series_) {
        if (slip < series.first || series.count == 0) continue;
        const std::uint64_t occurrence =
            std::min((slip - series.first) / series.stride, series.count - 1);
        const SlotRange range = series.range(occurrence);
        if (!spares || range.first > spares->first) spares = range;
      }
      if (!spares) continue;
      std::uint64_t slot = spares->end;
      while (slot > spares->first && (used.contains(slot - 1) || slips_.contains(slot - 1))) --slot;
      if (slot > spares->first) used.insert(slot - 1);
    }
  }
  return used;
}

void SlotMap::rebuild() {
  slips_.clear();
  std::ranges::set_union(listed_, found_, std::inserter(slips_, slips_.end()));
  for (const std::uint64_t slot : refuted_) slips_.erase(slot);

  const auto overridden = [this](std::uint64_t slot) {
    const auto next =
        std::partition_point(overrides_.begin(), overrides_.end(),
                             [slot](const Override& item) { return item.range.end <= slot; });
    return next != overrides_.end() && next->range.first <= slot;
  };
  corrections_.clear();
  for (const std::uint64_t slot : slips_) {
    if (!in_series(slot) && !overridden(slot)) corrections_.push_back({{slot, slot + 1}, 1, 0});
  }
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
    before +=
        correction.sign * static_cast<std::int64_t>(correction.range.end - correction.range.first);
  }
}

void SlotMap::override_range(SlotRange range, bool free) {
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
  overrides_ = std::move(kept);
}

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

}  // namespace

void SlotMap::measured(SlotRange range, const std::vector<SlotRange>& free) {
  // First the slips: they may change what the spares behind them are.
  constexpr std::uint64_t kLongestSlip = 4;  // longer holes are spares or reserved areas
  bool slipped = false;
  for (const SlotRange& hole : difference(free, free_ranges(range.first, range.end))) {
    const bool inside_track = hole.first % sectors_ != 0 && hole.end % sectors_ != 0 &&
                              hole.first / sectors_ == hole.end / sectors_ &&
                              !is_absent(hole.end);
    if (!inside_track || hole.end - hole.first > kLongestSlip) continue;
    for (std::uint64_t slot = hole.first; slot < hole.end; ++slot) {
      found_.insert(slot);
      refuted_.erase(slot);
      slipped = true;
    }
  }
  for (const SlotRange& used : difference(free_ranges(range.first, range.end), free)) {
    for (auto slip = slips_.lower_bound(used.first); slip != slips_.end() && *slip < used.end;
         ++slip) {
      refuted_.insert(*slip);
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

// Leaves room for blocks, and takes no slot that other spares have.
bool SlotMap::fits(const SpareSeries& series) const {
  constexpr std::uint64_t kLookedAt = 64;
  const std::uint64_t end = series.first + kLookedAt * series.stride;
  std::uint64_t taken = series.length * kLookedAt;
  for (const SlotRange& other : series_ranges({series.first, end})) {
    taken += other.end - other.first;
    const auto occurrence = series.occurrence_from(other.first);
    if (occurrence && series.range(*occurrence).first < other.end) return false;
  }
  return taken < end - series.first;
}

// Free ranges alike (same length, same place in their tracks, whole tracks apart) are spares if
// they come at equal distances: three of them, or two that divide the zone from its start.
bool SlotMap::found_repetition() {
  const auto alike = [this](const Override& early, const Override& late) {
    const std::uint64_t apart = late.range.first - early.range.first;
    return early.free && late.free && apart % sectors_ == 0 &&
           apart >= late.range.end - late.range.first &&
           early.range.end - early.range.first == late.range.end - late.range.first;
  };
  constexpr std::size_t kMostSeries = 48;  // what looks like more is no regularity
  if (series_.size() >= kMostSeries) return false;
  if (found_used_repetition()) return true;
  // What was learned before was asked before: the last ones tell something new.
  constexpr std::size_t kNewest = 8, kFarthest = 256;
  const std::size_t all = overrides_.size();
  for (std::size_t i = all; i-- > 1 && i + kNewest >= all;) {
    for (std::size_t k = i; k-- > 0 && k + kFarthest >= i;) {
      const SlotRange late = overrides_[i].range, early = overrides_[k].range;
      if (!alike(overrides_[k], overrides_[i])) continue;
      const std::uint64_t apart = late.first - early.first;
      const bool from_start = early.end == apart || early.first == 0;
      const auto third = std::ranges::find_if(overrides_, [&](const Override& item) {
        return item.range.first + apart == early.first && alike(item, overrides_[k]);
      });
      if (!from_start && third == overrides_.end()) continue;
      // Single slots that lack a block come at equal distances by chance, too.
      const bool is_single = late.end - late.first == 1;
      const bool has_fourth = std::ranges::any_of(overrides_, [&](const Override& item) {
        return item.range.first + 2 * apart == early.first && alike(item, overrides_[k]);
      });
      if (!from_start && is_single && !has_fourth) continue;
      const SlotRange first = from_start ? early : third->range;
      const SpareSeries series{first.first, first.end - first.first, apart};
      if (blocks_before(late.first) == blocks_before(early.end) || !fits(series)) continue;
      series_.push_back(series);
      std::erase_if(overrides_, [&](const Override& item) {
        return item.free && (item.range == first || item.range == early || item.range == late);
      });
      return true;
    }
  }
  return false;
}

// Spares whose first ones the slips of their units have used up: what is left of them ends at equal
// distances, and with what was used is equally long. From the zone's start, or three in a row.
bool SlotMap::found_used_repetition() {
  if (absorb_ != Absorb::next || overrides_.size() < 2) return false;
  const Override& late = overrides_.back();
  if (!late.free) return false;
  const auto whole = [this](const SlotRange& left, std::uint64_t unit) {
    return left.end - left.first + slips_between(unit, left.first);
  };
  for (std::size_t k = overrides_.size() - 1; k-- > 0;) {
    const Override& early = overrides_[k];
    const std::uint64_t apart = late.range.end - early.range.end;
    if (!early.free || apart % sectors_ != 0 || early.range.end > 2 * apart) continue;
    const std::uint64_t length = whole(late.range, early.range.end);
    // In front of the first may lie a part of a unit only; then the one before that is asked, too.
    const bool from_start = early.range.end == apart;
    const auto before = std::ranges::find_if(overrides_, [&](const Override& item) {
      return item.free && item.range.end + apart == early.range.end;
    });
    if (!from_start && before == overrides_.end()) continue;
    const std::uint64_t unit = early.range.end - apart;
    if (whole(early.range, unit) != length || length == late.range.end - late.range.first) continue;
    const std::uint64_t first_end = from_start ? early.range.end : before->range.end;
    if (first_end < length || length >= apart) continue;
    const SpareSeries series{first_end - length, length, apart};
    if (!fits(series)) continue;
    series_.push_back(series);
    std::erase_if(overrides_, [&](const Override& item) {
      const auto occurrence = series.occurrence_from(item.range.first);
      return item.free && occurrence && series.range(*occurrence).end == item.range.end;
    });
    return true;
  }
  return false;
}

bool SlotMap::ended_series() {
  const auto is_used = [this](const SlotRange& range) {
    const auto item = std::partition_point(
        overrides_.begin(), overrides_.end(),
        [&range](const Override& other) { return other.range.end <= range.first; });
    return item != overrides_.end() && !item->free && item->range.first <= range.first &&
           item->range.end >= range.end;
  };
  bool ended = false;
  for (SpareSeries& series : series_) {
    if (series.count != SpareSeries::kOpen) continue;
    for (const Override& item : overrides_) {
      if (item.free || item.range.first < series.first) continue;
      const auto occurrence = series.occurrence_from(item.range.first);
      if (!occurrence || !is_used(series.range(*occurrence)) ||
          !is_used(series.range(*occurrence + 1)))
        continue;
      series.count = *occurrence;
      ended = true;
      break;
    }
    if (!ended) continue;
    std::erase_if(overrides_, [&series](const Override& item) {
      return !item.free && item.range.first >= series.first + series.count * series.stride &&
             (item.range.first - series.first) % series.stride == 0;
    });
    break;
  }
  return ended;
}

void SlotMap::widen(std::uint32_t sectors, bool as_spares, std::uint64_t tracks) {
  const std::uint32_t before = sectors_;
  const auto moved = [before, sectors](std::uint64_t slot) {
    return slot / before * sectors + slot % before;
  };
  const auto moved_end = [&moved](std::uint64_t end) { return moved(end - 1) + 1; };
  for (SpareSeries& series : series_) {
    const std::uint64_t end = moved_end(series.first + series.length);
    series.first = moved(series.first);
    series.length = end - series.first;
    series.stride = moved(series.stride);
  }
  for (Override& item : overrides_)
    item.range = {moved(item.range.first), moved_end(item.range.end)};
  for (auto* slips : {&listed_, &found_, &refuted_}) {
    std::set<std::uint64_t> again;
    for (const std::uint64_t slot : *slips) again.insert(moved(slot));
    *slips = std::move(again);
  }
  sectors_ = sectors;
  const std::uint64_t length = sectors - before;
  if (as_spares) {
    series_.push_back({before, length, sectors});
  } else {
    for (std::uint64_t track = 0; track < tracks; ++track)
      override_range({track * sectors + before, (track + 1) * sectors}, true);
  }
  rebuild();
}

}  // namespace platter::layout

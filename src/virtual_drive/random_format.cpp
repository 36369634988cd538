#include "virtual_drive/random_format.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace platter::virtual_drive {
namespace {

using Ranges = std::vector<SlotRange>;  // sorted and disjoint, unless said otherwise

void merge(Ranges& ranges) {
  std::ranges::sort(ranges, {}, &SlotRange::first);
  Ranges merged;
  for (const SlotRange& range : ranges) {
    if (range.first == range.end) continue;
    if (!merged.empty() && range.first <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  ranges = std::move(merged);
}

Ranges joined(const Ranges& a, const Ranges& b) {
  Ranges all = a;
  all.insert(all.end(), b.begin(), b.end());
  merge(all);
  return all;
}

// The range that ends behind the slot: it holds the slot, or is the next one.
Ranges::const_iterator at_or_after(const Ranges& ranges, std::uint64_t slot) {
  return std::ranges::upper_bound(ranges, slot, {}, &SlotRange::end);
}

std::uint64_t covered(const Ranges& ranges, const SlotRange& within) {
  std::uint64_t sum = 0;
  for (auto at = at_or_after(ranges, within.first); at != ranges.end() && at->first < within.end;
       ++at)
    sum += std::min(at->end, within.end) - std::max(at->first, within.first);
  return sum;
}

// The outermost `count` slots of a range, at its end or in front, that are in none of `taken`.
void take(const SlotRange& from, std::uint64_t count, bool in_front, const Ranges& taken,
          Ranges& into) {
  if (in_front) {
    auto next = at_or_after(taken, from.first);
    for (std::uint64_t slot = from.first; slot < from.end && count > 0;) {
      const std::uint64_t end = next == taken.end()
                                    ? from.end
                                    : std::min(from.end, std::max(slot, next->first));
      const std::uint64_t length = std::min(count, end - slot);
      if (length > 0) into.push_back({slot, slot + length});
      count -= length;
      if (next == taken.end()) return;
      slot = (next++)->end;
    }
    return;
  }
  auto behind = at_or_after(taken, from.end - 1);  // the last range that reaches into this one,
  if (behind != taken.end() && behind->first < from.end) ++behind;  // or none
  for (std::uint64_t end = from.end; end > from.first && count > 0;) {
    const bool any = behind != taken.begin() && std::prev(behind)->end > from.first;
    const std::uint64_t first = any ? std::min(end, std::prev(behind)->end) : from.first;
    const std::uint64_t length = std::min(count, end - first);
    if (length > 0) into.push_back({end - length, end});
    count -= length;
    if (!any) return;
    end = std::max(from.first, std::min(end, std::prev(behind)->first));
    --behind;
  }
}

class Formatter {
 public:
  Formatter(const Recipe& recipe, const Geometry& geometry, Dice& dice)
      : recipe_(recipe), geometry_(geometry), dice_(dice), tracks_(geometry.tracks) {}

  Formatted run() {
    reserve();
    draw_defects();
    for (auto level = recipe_.spares.rbegin(); level != recipe_.spares.rend(); ++level)
      if (!level->absorbs) set_aside(*level);
    for (const Spares& level : recipe_.spares)
      if (level.absorbs) leave_over(level);
    Formatted formatted;
    formatted.holes = joined(joined(taken_, bad_), spares_);
    std::ranges::sort(listed_);
    listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
    formatted.primary = std::move(listed_);
    formatted.whole_tracks = whole_tracks_.size();
    reassign(formatted);
    return formatted;
  }

 private:
  struct TrackRange {
    std::size_t first = 0, end = 0;
  };

  SlotRange slots_of(const TrackRange& tracks) const {
    return {tracks_[tracks.first].first_slot,
            tracks_[tracks.end - 1].first_slot + tracks_[tracks.end - 1].sectors};
  }
  SlotRange slots_of(std::size_t track) const { return slots_of(TrackRange{track, track + 1}); }

  // Calls visit(tracks) for each unit of a scheme, in order.
  template <typename Visit>
  void for_each_unit(const Spares& scheme, Visit visit) const {
    if (scheme.unit == Unit::disk) return visit(TrackRange{0, tracks_.size()});
    std::size_t width = 1;
    if (scheme.unit == Unit::cylinder) width = geometry_.tracks_of_run;
    if (scheme.unit == Unit::group) width = std::size_t{geometry_.tracks_of_run} * scheme.group;
    for (std::size_t zone = 0; zone + 1 < geometry_.zone_tracks.size(); ++zone) {
      const std::size_t first = geometry_.zone_tracks[zone], end = geometry_.zone_tracks[zone + 1];
      if (scheme.unit == Unit::zone) width = std::max<std::size_t>(1, end - first);
      for (std::size_t at = first; at < end; at += width)
        visit(TrackRange{at, std::min(end, at + width)});
    }
  }

  // What the firmware keeps for itself, and what it never uses.
  void reserve() {
    const std::uint64_t slots = geometry_.slots();
    taken_.push_back({0, std::min(recipe_.reserved, slots / 4)});
    for (std::size_t zone = 0; zone + 1 < geometry_.zone_tracks.size(); ++zone) {
      const TrackRange tracks{geometry_.zone_tracks[zone], geometry_.zone_tracks[zone + 1]};
      if (tracks.first == tracks.end) continue;
      const SlotRange range = slots_of(tracks);
      if (zone % 2 == 1)
        taken_.push_back(
            {range.first, range.first + std::min<std::uint64_t>(recipe_.reserved_in_zones,
                                                                (range.end - range.first) / 4)});
      if (recipe_.short_ends && dice_.chance(0.7))
        taken_.push_back(
            {range.end - dice_.pick(1, tracks_[tracks.end - 1].sectors - 1), range.end});
    }
    for (std::size_t track = recipe_.unused_track_every; recipe_.unused_track_every > 0;
         track += recipe_.unused_track_every) {
      if (track > tracks_.size()) break;
      taken_.push_back(slots_of(track - 1));
    }
    merge(taken_);
  }

  std::size_t track_at(std::uint64_t slot) const {
    return static_cast<std::size_t>(
        std::ranges::upper_bound(tracks_, slot, {}, &PlacedTrack::first_slot) - tracks_.begin() -
        1);
  }

  void add_bad(std::uint64_t first, std::uint64_t end) {
    bad_.push_back({first, end});
    for (std::uint64_t slot = first; slot < end; ++slot) listed_.push_back(slot);
    if (recipe_.slips_tracks) whole_tracks_.insert(track_at(first));
  }

  void draw_defects() {
    const DefectCounts& counts = recipe_.defects;
    const std::uint64_t slots = geometry_.slots();
    const auto any_slot = [&] { return dice_.pick(0, slots - 1); };
    for (std::uint32_t i = 0; i < counts.singles; ++i) {
      const std::uint64_t slot = any_slot();
      add_bad(slot, slot + 1);
    }
    for (std::uint32_t i = 0; i < counts.clusters; ++i) {
      const std::uint64_t slot = any_slot();
      add_bad(slot, std::min(slots_of(track_at(slot)).end, slot + dice_.pick(2, 12)));
    }
    for (std::uint32_t i = 0; i < counts.scratches; ++i) add_scratch(any_slot());
    for (std::uint32_t i = 0; i < counts.whole_tracks; ++i) {
      const std::size_t track = track_at(any_slot());
      whole_tracks_.insert(track);
      for (std::uint64_t sectors = dice_.pick(1, 6); sectors > 0; --sectors)
        listed_.push_back(dice_.pick(slots_of(track).first, slots_of(track).end - 1));
    }
    for (const std::size_t track : whole_tracks_) bad_.push_back(slots_of(track));
    merge(bad_);
    std::erase_if(listed_, [&](std::uint64_t slot) { return covers(taken_, slot); });
  }

  static bool covers(const Ranges& ranges, std::uint64_t slot) {
    const auto at = at_or_after(ranges, slot);
    return at != ranges.end() && at->first <= slot;
  }

  // The same sectors of tracks that lie side by side on one surface.
  void add_scratch(std::uint64_t slot) {
    const std::size_t start = track_at(slot);
    const std::uint64_t sector = slot - tracks_[start].first_slot;
    const std::uint64_t length = dice_.pick(3, 60),
                        width = dice_.chance(0.6) ? 1 : dice_.pick(2, 4);
    std::uint64_t found = 0;
    std::uint32_t cylinder = tracks_[start].cylinder;
    const std::size_t reach = recipe_.order == Order::surface_serpentine
                                  ? 1
                                  : 2 * static_cast<std::size_t>(recipe_.heads);
    for (std::size_t track = start; track < tracks_.size() && found < length;) {
      const PlacedTrack& at = tracks_[track];
      const std::uint64_t first = at.first_slot + sector;
      const std::uint64_t end = std::min<std::uint64_t>(first + width, at.first_slot + at.sectors);
      if (first < end) add_bad(first, end);
      ++found;
      // The next track on this surface is not far away in the sequence.
      std::size_t next = track + 1;
      const std::size_t last = std::min(tracks_.size(), track + reach + 1);
      while (next < last && tracks_[next].head != at.head) ++next;
      if (next >= last || tracks_[next].cylinder == cylinder) return;
      cylinder = tracks_[next].cylinder;
      track = next;
    }
  }

  // Spares of a unit that stay where they are, whatever is slipped.
  void set_aside(const Spares& scheme) {
    Ranges aside;
    for_each_unit(scheme, [&](const TrackRange& unit) {
      const SlotRange range = slots_of(unit);
      const std::uint64_t room = range.end - range.first - covered(taken_, range);
      const std::uint64_t count = sectors_of(scheme, unit, 0);
      if (room >= 2 * count) take(range, count, scheme.in_front, taken_, aside);
    });
    merge(aside);
    spares_ = joined(spares_, aside);
    taken_ = joined(taken_, aside);
  }

  // Spares of a unit of which each slip has used up one.
  void leave_over(const Spares& scheme) {
    const Ranges used = joined(taken_, bad_);
    Ranges left;
    for_each_unit(scheme, [&](const TrackRange& unit) {
      const SlotRange range = slots_of(unit);
      const std::uint64_t taken = covered(taken_, range);
      const std::uint64_t slipped = covered(used, range) - taken;
      const bool tracks = scheme.whole_tracks && recipe_.slips_tracks;
      const std::uint64_t count = sectors_of(scheme, unit, tracks ? slipped_tracks(unit) : 0);
      const std::uint64_t absorbed = tracks ? 0 : slipped;
      if (range.end - range.first - taken < 2 * count || count <= absorbed) return;
      take(range, count - absorbed, scheme.in_front, used, left);
    });
    merge(left);
    spares_ = joined(spares_, left);
  }

  std::size_t slipped_tracks(const TrackRange& unit) const {
    return static_cast<std::size_t>(
        std::distance(whole_tracks_.lower_bound(unit.first), whole_tracks_.lower_bound(unit.end)));
  }

  // Spare sectors of a unit; of whole tracks, those at its end, `fewer` of them.
  std::uint64_t sectors_of(const Spares& scheme, const TrackRange& unit, std::size_t fewer) const {
    if (!scheme.whole_tracks) return scheme.count;
    if (scheme.count <= fewer) return 0;
    const std::size_t count = std::min<std::size_t>(scheme.count - fewer, unit.end - unit.first);
    const SlotRange range = slots_of(scheme.in_front ? TrackRange{unit.first, unit.first + count}
                                                     : TrackRange{unit.end - count, unit.end});
    return range.end - range.first;
  }

  // Blocks whose sectors went bad later go to spares that are left.
  void reassign(Formatted& formatted) {
    Ranges free;
    for (const SlotRange& range : spares_) {  // without the defects among them
      std::uint64_t first = range.first;
      for (auto bad = at_or_after(bad_, first); bad != bad_.end() && bad->first < range.end;
           ++bad) {
        if (bad->first > first) free.push_back({first, bad->first});
        first = std::max(first, bad->end);
      }
      if (first < range.end) free.push_back({first, range.end});
    }
    if (free.empty() || recipe_.remaps == 0) return;
    std::vector<std::uint64_t> before(1, 0);  // holes in front of each
    for (const SlotRange& hole : formatted.holes)
      before.push_back(before.back() + hole.end - hole.first);
    std::set<std::uint64_t> used, places;
    for (std::uint32_t i = 0; i < recipe_.remaps; ++i) {
      const std::uint64_t slot = dice_.pick(0, geometry_.slots() - 1);
      const auto hole = at_or_after(formatted.holes, slot);
      if ((hole != formatted.holes.end() && hole->first <= slot) || places.contains(slot)) continue;
      const auto target = spare_for(slot, free, used);
      if (!target) continue;
      places.insert(slot);
      used.insert(*target);
      formatted.grown.push_back(slot);
      const auto index = static_cast<std::size_t>(hole - formatted.holes.begin());
      formatted.remaps.push_back({slot - before[index], *target});
    }
    std::ranges::sort(formatted.grown);
    std::ranges::sort(formatted.remaps, {}, &model::Remap::lbn);
  }

  std::optional<std::uint64_t> spare_for(std::uint64_t slot, const Ranges& free,
                                         const std::set<std::uint64_t>& used) {
    const bool in_front = !recipe_.spares.empty() && recipe_.spares.front().in_front;
    auto range = at_or_after(free, slot);
    if (in_front && range != free.begin()) --range;
    if (recipe_.remaps_to == RemapsTo::neighbour) {
      if (dice_.chance(0.5) && range != free.begin())
        --range;
      else if (range != free.end())
        ++range;
    }
    if (range == free.end() || recipe_.remaps_to == RemapsTo::last_spares)
      range = std::prev(free.end());
    for (std::uint64_t target = range->first; target < range->end; ++target)
      if (!used.contains(target)) return target;
    return std::nullopt;
  }

  const Recipe& recipe_;
  const Geometry& geometry_;
  Dice& dice_;
  const std::vector<PlacedTrack>& tracks_;
  Ranges taken_;   // set aside before any block was laid
  Ranges bad_;     // slipped
  Ranges spares_;  // may hold remapped blocks
  std::vector<std::uint64_t> listed_;
  std::set<std::size_t> whole_tracks_;
};

}  // namespace

Formatted format(const Recipe& recipe, const Geometry& geometry, Dice& dice) {
  return Formatter(recipe, geometry, dice).run();
}

std::vector<model::Skip> compact(const std::vector<SlotRange>& holes) {
  std::vector<model::Skip> skips;
  for (const SlotRange& hole : holes) {
    const std::uint64_t length = hole.end - hole.first;
    if (!skips.empty() && skips.back().length == length) {
      model::Skip& last = skips.back();
      if (last.count == 1) last.stride = hole.first - last.first_slot;
      if (last.first_slot + last.count * last.stride == hole.first) {
        ++last.count;
        continue;
      }
      if (last.count == 1) last.stride = 0;
    }
    skips.push_back({hole.first, length, 1, 0});
  }
  return skips;
}

}  // namespace platter::virtual_drive

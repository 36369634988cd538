#include "layout/compile.h"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>

#include "layout/taken_places.h"

namespace platter::layout {

namespace {

// A zone with the tracks around it that hold no block.
struct Framed {
  const Zone* zone = nullptr;
  TrackOrder order;
  std::uint64_t before = 0;      // tracks in front of the zone's first
  std::uint64_t tracks = 0;      // all of them
  std::uint64_t used_slots = 0;  // up to behind the last block, counted from the zone's first track
  std::uint64_t first_slot = 0;  // of all, in the layout
  TrackLengths lengths{};        // of all tracks

  std::uint64_t layout_slot(std::uint64_t zone_slot) const {
    const std::uint64_t track = zone->slots.lengths().track_of(zone_slot);
    const std::uint64_t slot = zone_slot - zone->first_slot(track);
    return first_slot + lengths.first_slot(before + track) +
           std::min<std::uint64_t>(slot, lengths.of(before + track));
  }
};

class Compiler {
 public:
  explicit Compiler(Mapper& mapper) : mapper_(mapper), map_(mapper.map()) {}

  model::Layout layout() {
    for (std::size_t i = 0; i < map_.zones.size(); ++i) frame(i);
    for (std::size_t i = 0; i < zones_.size(); ++i) complete_cylinders(i);
    doubt_impossible();
    make_guesses_possible();
    for (const auto& [lbn, place] : map_.remaps) make_room(place);
    lay_out();
    for (const auto& [lbn, place] : map_.remaps) result_.remaps.push_back({lbn, slot_of(place)});
    result_.method = "address translation";
    result_.angle.unit = "rev";
    result_.angle.reason = "address translation knows no angles";
    return std::move(result_);
  }

 private:
  void frame(std::size_t index) {
    Framed framed;
    framed.zone = &map_.zones[index];
    framed.order = framed.zone->order;
    framed.tracks = map_.tracks_of(index);
    framed.used_slots =
        framed.zone->slots.slot_of(map_.end_of(index) - 1 - framed.zone->first_lbn) + 1;
    zones_.push_back(std::move(framed));
  }

  bool is_taken(TrackPlace place) const {
    return std::ranges::any_of(zones_, [&](const Framed& framed) {
      const auto track = framed.order.find(place);
      return track && *track < framed.tracks;
    });
  }

  void complete_cylinders(std::size_t index) {
    Framed& framed = zones_[index];
    const auto is_possible = [this](TrackPlace place) {
      return place.cylinder >= 0 && place.head >= 0 && !is_taken(place);
    };
    const std::uint64_t missing = framed.order.missing_before();
    const TrackOrder longer = framed.order.extended_back(missing);
    bool possible = missing > 0;
    for (std::uint64_t i = 0; i < missing && possible; ++i) possible = is_possible(longer.at(i));
    if (possible) {
      framed.order = longer;
      framed.before = missing;
      framed.tracks += missing;
    }
    const std::uint64_t after = framed.order.missing_after(framed.tracks);
    possible = true;
    for (std::uint64_t i = 0; i < after && possible; ++i)
      possible = is_possible(framed.order.at(framed.tracks + i));
    if (possible) framed.tracks += after;
    framed.lengths = lengths_of(*framed.zone, framed.order);
  }

  // A zone whose tracks no drive has, or another zone has too (the shorter of both), or whose slots
  // do not hold its blocks, is not understood.
  void doubt_impossible() {
    TakenPlaces taken;
    for (std::size_t i = 0; i < zones_.size(); ++i)
      if (!add_places(i, taken)) doubt(i);
    taken.sort();
    taken.each_shared([this](TakenPlaces::Track first, TakenPlaces::Track other) {
      if (!holds_blocks(first.zone, first.track) || !holds_blocks(other.zone, other.track)) return;
      doubt(zones_[other.zone].tracks <= zones_[first.zone].tracks ? other.zone : first.zone);
    });
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      if (blocks_held(i) == blocks_of(i)) continue;
      doubt(i);
      make_plain(i);
    }
  }

  // False: only those in front of one that no drive has.
  bool add_places(std::size_t zone, TakenPlaces& taken) const {
    const Framed& framed = zones_[zone];
    for (std::uint64_t track = 0; track < framed.tracks; ++track) {
      const TrackPlace place = framed.order.at(track);
      if (!is_within_layouts(place)) return false;
      taken.add(place, {static_cast<std::uint32_t>(zone), static_cast<std::uint32_t>(track)});
    }
    return true;
  }

  bool holds_blocks(std::size_t zone, std::uint64_t track) const {
    const Framed& framed = zones_[zone];
    if (track < framed.before || track >= framed.before + map_.tracks_of(zone)) return false;
    const std::uint64_t own = track - framed.before;
    return framed.zone->first_block(own) < framed.zone->first_block(own + 1);
  }

  std::uint64_t blocks_of(std::size_t zone) const {
    return map_.end_of(zone) - map_.zones[zone].first_lbn;
  }

  std::uint64_t blocks_held(std::size_t zone) {
    Framed& framed = zones_[zone];
    std::uint64_t blocks = framed.layout_slot(framed.used_slots) - framed.layout_slot(0);
    for (const SlotRange& range : framed.zone->slots.free_ranges(0, framed.used_slots))
      blocks -= framed.layout_slot(range.end) - framed.layout_slot(range.first);
    return blocks;
  }

  // As many full tracks, alike, as the zone's blocks need.
  void make_plain(std::size_t zone) {
    Framed& framed = zones_[zone];
    const std::uint32_t sectors = framed.zone->slots.sectors();
    Zone& plain = plain_.emplace_back();
    plain.first_lbn = framed.zone->first_lbn;
    plain.slots = SlotMap(TrackLengths(sectors));
    framed.order = framed.zone->order;
    framed.used_slots = blocks_of(zone);
    framed.tracks = (framed.used_slots + sectors - 1) / sectors;
    framed.before = 0;
    plain.not_understood = framed.zone->not_understood;
    framed.zone = &plain;
    framed.lengths = lengths_of(plain, framed.order);
  }

  void doubt(std::size_t zone) { mapper_.do_not_understand(map_.zones[zone].first_lbn); }

  bool is_guessed(const Framed& framed) const {
    const bool is_last = &framed == &zones_.back();
    return !framed.zone->not_understood.empty() || (is_last && mapper_.ended_early());
  }

  void make_guesses_possible() {
    if (std::ranges::none_of(zones_, [this](const Framed& f) { return is_guessed(f); })) return;
    TakenPlaces taken;
    for (std::size_t i = 0; i < zones_.size(); ++i) add_places(i, taken);
    taken.sort();
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      if (!is_guessed(zones_[i])) continue;
      make_possible(i, taken);
      // On other heads tracks may be of other lengths.
      if (blocks_held(i) == blocks_of(i)) continue;
      doubt(i);
      make_plain(i);
      make_possible(i, taken);
    }
  }

  // Tracks that are guessed may be another zone's, or none: those are put behind all cylinders.
  void make_possible(std::size_t zone, TakenPlaces& taken) {
    Framed& framed = zones_[zone];
    const auto number = static_cast<std::uint32_t>(zone);
    std::int64_t cylinders = 0, heads = 1;
    for (const Framed& other : zones_) {
      if (&other == &framed) continue;
      for (const std::uint64_t track : {std::uint64_t{0}, other.tracks - 1}) {
        cylinders = std::max(cylinders, other.order.at(track).cylinder + 1);
      }
      for (std::uint64_t track = 0; track < std::min<std::uint64_t>(other.tracks, 512); ++track)
        heads = std::max(heads, other.order.at(track).head + 1);
    }
    std::unordered_set<std::uint64_t> own;  // so far
    taken.forget(number);
    TrackOrder order;
    std::int64_t put_behind = 0;
    for (std::uint64_t track = 0; track < framed.tracks; ++track)
      cylinders = std::max(cylinders, framed.order.at(track).cylinder + 1);
    for (std::uint64_t track = 0; track < framed.tracks; ++track) {
      TrackPlace place = framed.order.at(track);
      const bool possible = place.cylinder >= 0 && place.head >= 0 &&
                            place.head < kMostLayoutHeads && !taken.is_of_another(place, number) &&
                            own.insert(TakenPlaces::key_of(place)).second;
      if (!possible) {
        place = {cylinders + put_behind / heads, put_behind % heads};
        ++put_behind;
      }
      order.append(place);
      taken.add_anew(place, number);
    }
    framed.order = std::move(order);
    framed.lengths = lengths_of(*framed.zone, framed.order);
  }

  // The track of a spare sector must be in the layout: the zone goes on to it, or it stands alone.
  void make_room(const scsi::PhysicalAddress& place) {
    constexpr std::uint64_t kFarthestCycles = 64;
    const TrackPlace wanted{place.cylinder, place.head};
    if (is_taken(wanted)) return;
    const bool is_lone = std::ranges::find(lone_, wanted) != lone_.end();
    for (Framed& framed : zones_) {
      if (is_lone) break;
      const auto track = framed.order.find(wanted, framed.tracks);
      if (!track || *track - framed.tracks > kFarthestCycles * framed.order.cycle()) continue;
      bool possible = true;
      for (std::uint64_t i = framed.tracks; i <= *track && possible; ++i)
        possible = !is_taken(framed.order.at(i));
      if (!possible) continue;
      framed.tracks = *track + 1;
      return;
    }
    if (!is_lone) lone_.push_back(wanted);
    lone_sectors_ = std::max({lone_sectors_, zones_.back().zone->slots.sectors(),
                              place.sector - mapper_.numbering().base + 1});
  }

  void lay_out() {
    std::vector<SlotRange> free;
    std::uint64_t slot = 0;
    for (Framed& framed : zones_) {
      framed.first_slot = slot;
      result_.zones.push_back(framed.order.node(framed.tracks, [&framed](TrackPlace place) {
        return framed.zone->sectors_on(place.head);
      }));
      std::vector<SlotRange> ranges;
      if (framed.before > 0) ranges.push_back({slot, framed.layout_slot(0)});
      for (const SlotRange& range : framed.zone->slots.free_ranges(0, framed.used_slots))
        ranges.push_back({framed.layout_slot(range.first), framed.layout_slot(range.end)});
      slot += framed.lengths.first_slot(framed.tracks);
      const std::uint64_t used = framed.layout_slot(framed.used_slots);
      if (used < slot) ranges.push_back({used, slot});
      for (const SlotRange& range : ranges) {
        if (range.first >= range.end) continue;  // of slots that its tracks turned out not to have
        const bool goes_on = !free.empty() && free.back().end == range.first &&
                             range.first != framed.first_slot;
        if (goes_on) {
          free.back().end = range.end;
        } else {
          free.push_back(range);
        }
      }
    }
    for (const TrackPlace& place : lone_) {
      model::LayoutNode track;
      track.cylinder = static_cast<std::int32_t>(place.cylinder);
      track.head = static_cast<std::int32_t>(place.head);
      track.sectors = lone_sectors_;
      result_.zones.push_back(track);
      lone_slots_.push_back(slot);
      free.push_back({slot, slot + lone_sectors_});
      slot += lone_sectors_;
    }
    result_.skips = skips_of(free);
  }

  std::uint64_t slot_of(const scsi::PhysicalAddress& place) {
    const TrackPlace wanted{place.cylinder, place.head};
    for (std::size_t i = 0; i < zones_.size(); ++i) {
      Framed& framed = zones_[i];
      const auto track = framed.order.find(wanted);
      if (!track || *track >= framed.tracks) continue;
      const std::uint32_t sectors = framed.lengths.of(*track);
      std::uint64_t slot = place.sector - mapper_.numbering().base;
      if (*track >= framed.before)
        slot = mapper_.slots().slot_of({i, *track - framed.before}, place.sector);
      return framed.first_slot + framed.lengths.first_slot(*track) +
             std::min<std::uint64_t>(slot, sectors - 1);
    }
    const auto lone = std::ranges::find(lone_, wanted) - lone_.begin();
    return lone_slots_[static_cast<std::size_t>(lone)] + place.sector - mapper_.numbering().base;
  }

  Mapper& mapper_;
  const BlockMap& map_;
  std::vector<Framed> zones_;
  std::deque<Zone> plain_;  // in place of zones whose slots do not hold their blocks
  std::vector<TrackPlace> lone_;
  std::vector<std::uint64_t> lone_slots_;
  std::uint32_t lone_sectors_ = 0;
  model::Layout result_;
};

}  // namespace

std::vector<model::Skip> skips_of(const std::vector<SlotRange>& ranges) {
  std::vector<model::Skip> skips;
  const auto length = [&ranges](std::size_t i) { return ranges[i].end - ranges[i].first; };
  const auto stride = [&ranges](std::size_t i) { return ranges[i + 1].first - ranges[i].first; };
  for (std::size_t i = 0; i < ranges.size();) {
    std::size_t end = i + 1;
    // Ranges that touch, at the border of two zones, are no series.
    while (end < ranges.size() && length(end) == length(i) && stride(end - 1) == stride(i) &&
           stride(i) > length(i))
      ++end;
    if (end - i < 3) end = i + 1;
    const std::uint64_t count = end - i;
    skips.push_back({ranges[i].first, length(i), count, count > 1 ? stride(i) : 0});
    i = end;
  }
  return skips;
}

model::Layout compile(Mapper& mapper) { return Compiler(mapper).layout(); }

}  // namespace platter::layout

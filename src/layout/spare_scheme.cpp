#include "layout/spare_scheme.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace platter::layout {
namespace {

// Free slots at one end of a unit, and what lies within it.
struct End {
  std::uint64_t free = 0;
  std::uint64_t slips = 0;    // elsewhere in the unit
  bool whole_tracks = false;  // nothing but those is free
};

// How many spares each unit has, as most of them show it.
struct Rule {
  std::uint64_t count = 0;
  bool absorbs = false;
  double share = 0;  // of the units that show it

  // What is left of an end when these spares are taken away.
  std::uint64_t rest(const End& end) const {
    const std::uint64_t here = absorbs ? count - std::min(count, end.slips) : count;
    return end.free - std::min(end.free, here);
  }
};

// The number that most units have; of two that are about as frequent the smaller one: larger units
// end there, too. `at_least`: the share that it needs.
std::optional<Rule> rule_of(const std::vector<End>& ends, double at_least) {
  if (ends.empty()) return std::nullopt;
  std::optional<Rule> best;
  for (const bool absorbs : {false, true}) {
    std::map<std::uint64_t, std::uint64_t> tally;
    std::uint64_t free = 0;
    for (const End& end : ends) {
      if (end.whole_tracks) continue;
      free += end.free > 0;
      ++tally[end.free + (absorbs ? end.slips : 0)];
    }
    std::uint64_t most = 0;
    for (const auto& [count, units] : tally) most = std::max(most, count > 0 ? units : 0);
    for (const auto& [count, units] : tally) {
      if (count == 0 || units * 4 < most * 3) continue;
      const double share = static_cast<double>(units) / static_cast<double>(ends.size());
      const double with_any = static_cast<double>(free) / static_cast<double>(ends.size());
      if (with_any < at_least || share < at_least / 2) break;
      if (!best || share > best->share) best = Rule{count, absorbs, share};
      break;
    }
  }
  return best;
}

// The tracks that are swept without a change of cylinder, or of head where a surface is swept.
struct Sweep {
  std::uint64_t first = 0, tracks = 0;  // tracks
};

class ZoneEnds {
 public:
  ZoneEnds(const Zone& zone, std::uint64_t tracks) : zone_(zone) {
    constexpr std::uint64_t kMostTracks = 20'000;
    tracks_ = std::min(tracks, kMostTracks);
    complete_ = tracks_ == tracks;
    std::uint64_t heads = 0, cylinders = 0;
    for (std::uint64_t track = 1; track < tracks_; ++track)
      ++(zone.order.at(track).cylinder == zone.order.at(track - 1).cylinder ? heads : cylinders);
    surface_ = cylinders > heads && heads > 0;
    for (std::uint64_t track = 0; track < tracks_; ++track) {
      const bool goes_on = track > 0 &&
                           (surface_ ? zone.order.at(track).head == zone.order.at(track - 1).head
                                     : zone.order.at(track).cylinder ==
                                           zone.order.at(track - 1).cylinder);
      if (goes_on)
        ++sweeps_.back().tracks;
      else
        sweeps_.push_back({track, 1});
    }
  }

  bool sweeps_a_surface() const { return surface_; }
  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  // The zone's last unit may be short, and has the zone's own spares behind it.
  bool is_last(const Sweep& sweep) const {
    return complete_ && sweep.first + sweep.tracks == tracks_;
  }

  End of_track(std::uint64_t track, bool in_front) const { return of({track, 1}, in_front); }

  End of(const Sweep& sweep, bool in_front) const {
    End end;
    end.whole_tracks = true;
    for (std::uint64_t i = 0; i < sweep.tracks; ++i) {
      const std::uint64_t track = in_front ? sweep.first + i : sweep.first + sweep.tracks - 1 - i;
      const std::uint64_t first = zone_.first_slot(track), sectors = zone_.sectors_of(track);
      std::uint64_t free = 0;
      if (zone_.first_block(track) == zone_.first_block(track + 1)) {
        free = sectors;
      } else {
        while (zone_.slots.is_free(in_front ? first + free : first + sectors - 1 - free)) ++free;
        end.whole_tracks = end.free > 0 && free == 0;
      }
      end.free += free;
      if (free == sectors) continue;
      break;
    }
    const std::uint64_t from = zone_.first_slot(sweep.first);
    const std::uint64_t to = zone_.first_slot(sweep.first + sweep.tracks);
    const std::uint64_t all = zone_.slots.slips_between(from, to);
    std::uint64_t at_end = 0;
    if (in_front)
      at_end = zone_.slots.slips_between(from, std::min(to, from + end.free));
    else
      at_end = zone_.slots.slips_between(to - std::min(to - from, end.free), to);
    end.slips = all - std::min(all, at_end);
    return end;
  }

 private:
  const Zone& zone_;
  std::uint64_t tracks_ = 0;
  bool complete_ = false, surface_ = false;
  std::vector<Sweep> sweeps_;
};

// What is free behind the last block of a zone, or in front of its first one.
struct Tail {
  std::uint64_t on_track = 0;          // on the track of the last block
  std::uint64_t tracks = 0, free = 0;  // behind that; in all
  std::uint64_t slips = 0;             // in the zone
  std::uint64_t free_tracks = 0;       // wholly free, further in front
};

class Scheme {
 public:
  Scheme(const Mapper& mapper, Survey& survey)
      : map_(mapper.map()), numbering_(mapper.numbering()), survey_(survey) {
    for (std::size_t i = 0; i < map_.zones.size(); ++i) {
      const Zone& zone = map_.zones[i];
      if (zone.irregular || !zone.not_understood.empty()) continue;
      zones_.push_back(i);
      ends_.emplace_back(zone, map_.tracks_of(i));
    }
  }

  std::string words() {
    if (zones_.empty()) return "none";
    const auto track = rule_of_tracks();
    const auto sweep = rule_of_sweeps(track);
    rule_of_groups(track, sweep);
    rule_of_zones();
    return words_.empty() ? "none" : words_;
  }

 private:
  static constexpr double kMostUnits = 0.6, kHalf = 0.5;

  struct Found {
    Rule rule;
    bool in_front = false;
  };

  void say_of_units(const Found& found, const std::string& unit, bool guess = false) {
    say(found.rule, unit, found.in_front, false, guess);
    spares_in_front_ |= found.in_front;
    if (found.in_front) return;
    for (std::size_t i = of_smaller_units_.size(); i > 0; --i)
      of_smaller_units_.push_back(of_smaller_units_[i - 1] + found.rule.count);
    std::ranges::sort(of_smaller_units_);
  }

  void say(const Rule& rule, const std::string& unit, bool in_front, bool tracks, bool guess) {
    if (!words_.empty()) words_ += " and ";
    words_ += fmt::format("{}{} {} of {}{}{}", guess ? "perhaps " : "", rule.count,
                          tracks ? "tracks" : "sectors", unit, in_front ? " in front" : "",
                          rule.absorbs ? " that absorb slips" : "");
  }

  // The better of the rules at the ends of units and at their beginnings.
  template <typename Ends>
  static std::optional<Found> better(const Ends& ends, double at_least) {
    std::optional<Found> best;
    for (const bool in_front : {false, true}) {
      const auto rule = rule_of(ends(in_front), at_least);
      if (rule && (!best || rule->share > best->rule.share)) best = Found{*rule, in_front};
    }
    return best;
  }

  std::optional<Found> rule_of_tracks() {
    const auto found = better(
        [this](bool in_front) {
          std::vector<End> ends;
          for (const ZoneEnds& zone : ends_)
            for (const Sweep& sweep : zone.sweeps())
              for (std::uint64_t i = 0; i < sweep.tracks; ++i) {
                // Larger units begin and end with those of the sweep.
                const bool at_end = in_front ? i == 0 : i + 1 == sweep.tracks;
                if (sweep.tracks > 1 ? at_end : zone.is_last(sweep)) continue;
                const End end = zone.of_track(sweep.first + i, in_front);
                if (!end.whole_tracks || end.free == 0) ends.push_back(end);
              }
          return ends;
        },
        kMostUnits);
    if (found) say_of_units(*found, "each track");
    return found;
  }

  // Ends of the sweeps of the usual length, without the spares of tracks.
  std::vector<End> ends_of_sweeps(const ZoneEnds& zone, const std::optional<Found>& track,
                                  bool in_front) const {
    std::vector<End> ends;
    for (const Sweep& sweep : zone.sweeps()) {
      if (zone.is_last(sweep)) continue;
      End end = zone.of(sweep, in_front);
      if (track && track->in_front == in_front) {
        const std::uint64_t at = in_front ? sweep.first : sweep.first + sweep.tracks - 1;
        End here = zone.of_track(at, in_front);
        const std::uint64_t own = here.free - std::min(here.free, track->rule.rest(here));
        end.free -= std::min(end.free, own);
      }
      ends.push_back(end);
    }
    return ends;
  }

  std::optional<Found> rule_of_sweeps(const std::optional<Found>& track) {
    const bool single = std::ranges::all_of(ends_, [](const ZoneEnds& zone) {
      return std::ranges::all_of(zone.sweeps(), [](const Sweep& s) { return s.tracks == 1; });
    });
    if (single && track) return std::nullopt;
    const auto found = better(
        [&](bool in_front) {
          std::vector<End> ends;
          for (const ZoneEnds& zone : ends_)
            std::ranges::copy(ends_of_sweeps(zone, track, in_front), std::back_inserter(ends));
          return ends;
        },
        kMostUnits);
    if (found) say_of_units(*found, unit(1));
    return found;
  }

  std::string unit(std::uint64_t sweeps) const {
    const ZoneEnds& zone = ends_.front();
    std::map<std::uint64_t, std::uint64_t> lengths;
    for (const ZoneEnds& each : ends_)
      for (const Sweep& sweep : each.sweeps()) ++lengths[sweep.tracks];
    const auto usual = std::ranges::max_element(lengths, {},
                                                [](const auto& length) { return length.second; });
    if (zone.sweeps_a_surface()) return fmt::format("each {} tracks", sweeps * usual->first);
    if (sweeps == 1) return usual->first == 1 ? "each track" : "each cylinder";
    return fmt::format("each group of {} cylinders", sweeps);
  }

  // Sweeps at whose ends more is free than at others come again at one distance.
  void rule_of_groups(const std::optional<Found>& track, const std::optional<Found>& sweep) {
    for (const bool in_front : {false, true}) {
      std::map<std::uint64_t, std::uint64_t> distances;
      std::uint64_t all = 0;
      std::map<std::uint64_t, std::vector<End>> ends_at;  // by the distance from the one before
      for (const ZoneEnds& zone : ends_) {
        const std::vector<End> ends = ends_of_sweeps(zone, track, in_front);
        // Units are counted from the beginning of the zone.
        std::optional<std::size_t> before;
        bool counts = !in_front;
        for (std::size_t i = 0; i < ends.size(); ++i) {
          End end = ends[i];
          if (end.whole_tracks) continue;
          if (sweep && sweep->in_front == in_front) end.free = sweep->rule.rest(end);
          if (end.free == 0) continue;
          if (counts) {
            const std::size_t from = before ? *before + 1 : 0, distance = i + 1 - from;
            ++distances[distance];
            ++all;
            end.slips = 0;
            for (std::size_t k = from; k <= i; ++k) end.slips += ends[k].slips;
            ends_at[distance].push_back(end);
          }
          counts = true;
          before = i;
        }
      }
      constexpr std::uint64_t kFewest = 2, kEnough = 4;
      const auto usual = std::ranges::max_element(
          distances, {}, [](const auto& distance) { return distance.second; });
      if (usual == distances.end() || usual->second < kFewest || usual->second * 2 < all ||
          usual->first < 2)
        continue;
      if (const auto rule = rule_of(ends_at[usual->first], kHalf)) {
        say_of_units({*rule, in_front}, unit(usual->first), usual->second < kEnough);
        return;
      }
    }
  }

  // Whether the drive has the track, as long as those of the zone; nullopt: it does not say.
  std::optional<bool> is_there(const Zone& zone, TrackPlace place) {
    if (!survey_.answers_back()) return std::nullopt;
    if (place.cylinder < 0 || place.head < 0) return false;
    const auto has = [&](std::uint32_t sector) {
      return survey_
          .back({static_cast<std::uint32_t>(place.cylinder), static_cast<std::uint32_t>(place.head),
                 numbering_.base + sector})
          .has_value();
    };
    constexpr std::uint32_t kMostUnnumbered = 16;
    const std::uint32_t sectors = zone.sectors_on(place.head);
    return has(sectors - 1 - std::min(sectors - 1, numbering_.renumbered ? kMostUnnumbered : 0)) &&
           !has(sectors);
  }

  // Tracks behind the last one with a block that are the zone's: at most up to `most`.
  std::uint64_t tracks_behind(const Zone& zone, std::uint64_t used, std::uint64_t most,
                              bool& sure) {
    const auto there = [&](std::uint64_t more) {
      return is_there(zone, zone.order.at(used + more - 1));
    };
    if (most == 0) return 0;
    const auto first = there(1);
    if (!first) {
      sure = false;
      return most == SpareSeries::kOpen ? 0 : most;
    }
    if (!*first) return 0;
    std::uint64_t good = 1, bad = most == SpareSeries::kOpen ? most : most + 1;
    constexpr std::uint64_t kFarthest = 1U << 14;
    for (std::uint64_t step = 1; bad == SpareSeries::kOpen; step *= 2) {
      if (good + step > kFarthest) return 0;
      (there(good + step).value_or(false) ? good : bad) = good + step;
    }
    while (bad - good > 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (there(middle).value_or(false) ? good : bad) = middle;
    }
    return good;
  }

  bool goes_on(std::size_t index) const {
    if (index + 1 >= map_.zones.size()) return false;
    const Zone &here = map_.zones[index], &next = map_.zones[index + 1];
    return here.slots.sectors() == next.slots.sectors() && here.head_sectors == next.head_sectors;
  }

  Tail tail_of(std::size_t index, bool& sure) {
    const Zone& zone = map_.zones[index];
    const std::uint64_t last = zone.slots.slot_of(map_.end_of(index) - 1 - zone.first_lbn);
    const std::uint64_t track = zone.slots.lengths().track_of(last);
    Tail tail;
    tail.on_track = tail.free = zone.first_slot(track + 1) - last - 1;
    std::uint64_t most = SpareSeries::kOpen;
    if (index + 1 < map_.zones.size()) {
      const auto next = zone.order.find(map_.zones[index + 1].order.at(0), track + 1);
      if (next)
        most = *next - track - 1;
      else if (!survey_.answers_back())
        most = zone.order.missing_after(track + 1);
    }
    const std::uint64_t more = tracks_behind(zone, track + 1, most, sure);
    tail.tracks = more;
    for (std::uint64_t i = 1; i <= more; ++i) tail.free += zone.sectors_of(track + i);
    tail.slips = zone.slots.slips_between(0, last);
    const TrackLengths& lengths = zone.slots.lengths();
    for (const SlotRange& range : zone.slots.free_ranges(0, last)) {
      const std::uint64_t from = lengths.track_of(range.first), to = lengths.track_of(range.end);
      if (range.first == lengths.first_slot(from) && range.end == lengths.first_slot(to))
        tail.free_tracks += to - from;
    }
    return tail;
  }

  struct Count {
    std::uint64_t count = 0;
    double share = 0;  // of the zones
    bool absorbs = false;
  };

  // The number that most zones share; each zone may have several.
  static Count most_shared(const std::vector<std::vector<std::uint64_t>>& of_zones, bool absorbs) {
    std::map<std::uint64_t, std::uint64_t> tally;
    for (const auto& counts : of_zones)
      for (const std::uint64_t count : std::set(counts.begin(), counts.end()))
        if (count > 0) ++tally[count];
    const auto most = std::ranges::max_element(tally, {},
                                               [](const auto& each) { return each.second; });
    if (most == tally.end() || (most->second < 2 && of_zones.size() > 1)) return {};
    return {most->first, static_cast<double>(most->second) / static_cast<double>(of_zones.size()),
            absorbs};
  }

  // Sectors behind the last block of each zone, less what smaller units may have there.
  Count shared_sectors(const std::vector<Tail>& tails, bool absorbs) const {
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Tail& tail : tails) {
      counts.emplace_back();
      if (tail.free <= of_smaller_units_.back()) continue;  // those may be all
      for (const std::uint64_t smaller : of_smaller_units_)
        if (tail.free > smaller)
          counts.back().push_back(tail.free - smaller + (absorbs ? tail.slips : 0));
    }
    return most_shared(counts, absorbs);
  }

  static constexpr std::uint64_t kMostTracks = 64;  // more are another thing than spares

  // `exactly`: nothing else is free there but what smaller units may have; else zones end anywhere.
  Count shared_tracks(const std::vector<Tail>& tails, bool absorbs, bool exactly) const {
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Tail& tail : tails) {
      counts.emplace_back();
      if (tail.free <= of_smaller_units_.back()) continue;  // those may be all
      if (tail.tracks > kMostTracks || (exactly && tail.on_track > of_smaller_units_.back()))
        continue;
      counts.back().push_back(tail.tracks + (absorbs ? tail.free_tracks : 0));
    }
    return most_shared(counts, absorbs);
  }

  void say(const Count& count, const char* unit, bool tracks, bool guess) {
    say(Rule{count.count, count.absorbs, count.share}, unit, false, tracks, guess);
  }

  // In front of the first block of each zone, where nothing smaller has its spares there.
  bool say_fronts() {
    if (spares_in_front_ || ends_.size() < 2) return false;
    std::vector<std::vector<std::uint64_t>> counts;
    for (const ZoneEnds& zone : ends_)
      counts.push_back({zone.of(zone.sweeps().front(), true).free});
    const Count count = most_shared(counts, false);
    if (count.share < kMostUnits) return false;
    say(Rule{count.count, false, count.share}, "each zone", true, false, ends_.size() < 3);
    return true;
  }

  // Behind the last block of zones, and of the disk.
  void rule_of_zones() {
    bool sure = true;
    std::vector<Tail> tails;
    // A zone that goes on as it was behind a slipped track is one of the format's with the next.
    Tail before;
    for (const std::size_t index : zones_) {
      Tail tail = tail_of(index, sure);
      tail.slips += before.slips;
      tail.free_tracks += before.free_tracks;
      before = {};
      if (goes_on(index)) {
        before = tail;
        before.free_tracks += tail.tracks;
      } else {
        tails.push_back(tail);
      }
    }
    if (tails.empty()) return;
    const std::uint64_t smaller = of_smaller_units_.back();
    Count sectors, tracks, whole_tracks;
    for (const bool absorbs : {false, true}) {
      const Count some = shared_sectors(tails, absorbs),
                  whole = shared_tracks(tails, absorbs, true),
                  most = shared_tracks(tails, absorbs, false);
      if (some.share > sectors.share) sectors = some;
      if (whole.share > tracks.share) tracks = whole;
      if (most.share > whole_tracks.share) whole_tracks = most;
    }
    if (tails.size() > 1) {
      if (tracks.share >= kHalf && tracks.share >= sectors.share)
        return say(tracks, "each zone", true, !sure || tracks.share < kMostUnits);
      if (sectors.share >= kHalf)
        return say(sectors, "each zone", false, !sure || sectors.share < kMostUnits);
      if (whole_tracks.share >= kMostUnits) return say(whole_tracks, "each zone", true, true);
    }
    // Zones may end within a track; then so does the last one.
    if (say_fronts()) return;
    const Tail& last = tails.back();
    const auto others = std::ranges::count_if(
        tails, [smaller](const Tail& tail) { return tail.on_track > smaller; });
    const bool all_end_so = static_cast<std::size_t>(others) * 3 > tails.size() && tails.size() > 1;
    if (last.free <= smaller + (all_end_so ? last.on_track : 0)) return;
    if (tails.size() == 1 && last.tracks > 0 && last.tracks <= kMostTracks &&
        last.on_track <= smaller)
      return say(tracks, "each zone", true, true);
    say(Count{last.free - smaller, 0, false}, "the disk", false, true);
  }

  const BlockMap& map_;
  const Numbering& numbering_;
  Survey& survey_;
  std::vector<std::size_t> zones_;
  std::vector<ZoneEnds> ends_;
  // Sectors that may be theirs behind a zone's last block, the most last.
  std::vector<std::uint64_t> of_smaller_units_{0};
  bool spares_in_front_ = false;
  std::string words_;
};

}  // namespace

std::string spare_scheme(const Mapper& mapper, Survey& survey) {
  return Scheme(mapper, survey).words();
}

}  // namespace platter::layout

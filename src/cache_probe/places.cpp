#include "cache_probe/places.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/error.h"
#include "model/interruption.h"

namespace platter::cache_probe {
namespace {

// Chosen: how long a place is looked for, and how much room the tests use at most.
constexpr int kZoneSamples = 64;  // tracks looked at to learn a zone's usual track
constexpr int kTries = 400, kNearTries = 60;
constexpr std::uint32_t kFewestBlocks = 8;    // on a track
constexpr std::uint64_t kMostSteps = 200000;  // tracks
constexpr int kRunsOfTracks = 8, kTracksOfRun = 24;
constexpr double kUsualTrack_rev = 1.3;
constexpr std::uint64_t kTracksEnough = 400;
constexpr std::uint64_t kBlocksEnough = 1 << 19;  // for requests that overflow a large segment
constexpr int kMostTracksOfCylinder = 256;
constexpr std::uint64_t kFewTracks = 8;
constexpr std::uint64_t kFewClean = 24, kLongestWalk = 512;  // tracks
constexpr double kAlikeShare = 0.9;  // of a track's sectors that hold a block
constexpr std::uint64_t kOfLittleRoom = 24;
constexpr double kLeastShare = 0.4;  // shorter tracks are none that data lie on, as a rule

struct Zone {
  std::uint64_t first_slot = 0, end_slot = 0;
  std::uint32_t track_blocks = 0, track_sectors = 0;
  std::uint64_t avoided = 0;  // of kZoneSamples tracks
  std::uint64_t tracks() const {
    const std::uint64_t all = track_sectors ? (end_slot - first_slot) / track_sectors : 0;
    return all - all * avoided / kZoneSamples;
  }
};

std::vector<Zone> zones_of(const engine::LayoutMap& map) {
  std::vector<Zone> zones;
  for (std::uint64_t slot = 0; slot < map.slots();) {
    const std::uint32_t zone = map.track_of_slot(slot).zone;
    std::uint64_t low = slot, high = map.slots();  // low in the zone, high beyond it
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (map.track_of_slot(middle).zone == zone ? low : high) = middle;
    }
    zones.push_back({slot, high, 0, 0});
    slot = high;
  }
  return zones;
}

std::uint32_t blocks_on(const engine::LayoutMap& map, const engine::Track& track) {
  return static_cast<std::uint32_t>(map.lbn_at_or_after_slot(track.first_slot + track.sectors) -
                                    map.lbn_at_or_after_slot(track.first_slot));
}

bool none_elsewhere(const engine::LayoutMap& map, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t lbn = first; lbn <= last; ++lbn)
    if (map.is_remapped(lbn)) return false;
  return true;
}

bool is_clean(const engine::LayoutMap& map, std::uint64_t first, std::uint64_t last) {
  return map.slot_of_lbn(last) - map.slot_of_lbn(first) == last - first &&
         none_elsewhere(map, first, last);
}

// The most frequent track of a zone; one that is not clean where none is.
void learn_usual_track(const engine::LayoutMap& map, std::mt19937_64& random,
                       const Places::Avoided& avoided, Zone& zone) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
  std::uniform_int_distribution<std::uint64_t> slot(zone.first_slot, zone.end_slot - 1);
  for (int i = 0; i < kZoneSamples; ++i) {
    const engine::Track track = map.track_of_slot(slot(random));
    const std::uint64_t first = map.lbn_at_or_after_slot(track.first_slot);
    const std::uint32_t blocks = blocks_on(map, track);
    if (avoided && blocks > 0 && avoided(first, blocks)) {
      ++zone.avoided;
      continue;
    }
    const bool clean = blocks > 0 && is_clean(map, first, first + blocks - 1);
    seen[{blocks, track.sectors}] += clean ? kZoneSamples : 1;
  }
  if (seen.empty()) return;
  const auto usual = std::ranges::max_element(
      seen, {}, [](const auto& entry) { return std::pair(entry.second, entry.first.first); });
  zone.track_blocks = usual->first.first;
  zone.track_sectors = usual->first.second;
}

}  // namespace

Places::Places(const engine::LayoutMap& map, std::mt19937_64& random, Avoided avoided)
    : map_(map), random_(random), avoided_(std::move(avoided)) {
  std::vector<Zone> zones = zones_of(map);
  for (Zone& zone : zones) learn_usual_track(map, random_, avoided_, zone);
  std::erase_if(zones, [](const Zone& zone) { return zone.track_blocks < kFewestBlocks; });
  const auto roomy = [](const Zone& zone) { return zone.tracks() >= kTracksEnough; };
  const bool any_roomy = std::ranges::any_of(zones, roomy);
  const Zone* chosen = nullptr;
  for (const Zone& zone : zones) {
    if (any_roomy && !roomy(zone)) continue;
    const bool better = !chosen || (any_roomy ? zone.track_blocks > chosen->track_blocks
                                              : zone.tracks() > chosen->tracks());
    if (better) chosen = &zone;
  }
  if (!chosen) {
    throw Error(ExitStatus::unsupported,
                "The drive's layout has no zone in which its cache can be tested; check the layout "
                "with platter layout --all-tracks.");
  }
  first_slot_ = chosen->first_slot;
  end_slot_ = chosen->end_slot;
  track_blocks_ = least_track_blocks_ = chosen->track_blocks;
  if (!any_roomy) take_tracks_with_slips();
  learn_track_rev();
  roomy_ = any_roomy && end_slot_ - first_slot_ >= kBlocksEnough;
  origin_slot_ = roomy_ ? first_slot_ : 0;
  last_slot_ = roomy_ ? end_slot_ : map_.slots();
  if (roomy_) return;
  for (const Zone& zone : zones)
    if (zone.track_blocks >= kLeastShare * track_blocks_)
      least_track_blocks_ = std::min(least_track_blocks_, zone.track_blocks);
}

// If too few tracks of the zone are as long as the usual one and clean. A sector that holds no
// block lets the heads wait a little longer; blocks that lie elsewhere would send them there.
void Places::take_tracks_with_slips() {
  std::uint64_t usual = 0, walked = 0;
  std::uint32_t shortest = track_blocks_;
  for (std::uint64_t slot = first_slot_; slot < end_slot_ && walked < kLongestWalk; ++walked) {
    const engine::Track track = map_.track_of_slot(slot);
    slot = track.first_slot + track.sectors;
    const std::uint32_t blocks = blocks_on(map_, track);
    if (blocks < std::max<double>(kFewestBlocks, kAlikeShare * track.sectors)) continue;
    const std::uint64_t first = map_.lbn_at_or_after_slot(track.first_slot);
    if (blocks == track_blocks_ && is_clean(map_, first, first + blocks - 1)) ++usual;
    if (none_elsewhere(map_, first, first + blocks - 1)) shortest = std::min(shortest, blocks);
  }
  with_slips_ = walked < kLongestWalk && usual < kFewClean;
  if (with_slips_ && shortest >= kAlikeShare * track_blocks_)
    track_blocks_ = least_track_blocks_ = shortest;
}

// Of as many tracks in a row as a long read-ahead covers; the worst of several such.
void Places::learn_track_rev() {
  std::uniform_int_distribution<std::uint64_t> slot(first_slot_, end_slot_ - 1);
  track_rev_ = kUsualTrack_rev;
  for (int i = 0; i < kRunsOfTracks; ++i) {
    engine::Track track = map_.track_of_slot(slot(random_));
    double sum_rev = 0;
    int tracks = 0;
    for (; tracks < kTracksOfRun; ++tracks) {
      const std::uint64_t next_slot = track.first_slot + track.sectors;
      if (next_slot >= map_.slots()) break;
      const std::uint64_t next_lbn = map_.lbn_at_or_after_slot(next_slot);
      if (next_lbn >= map_.blocks()) break;
      const engine::Track next = map_.track_of_slot(next_slot);
      const double skew =
          engine::rev_from_angle(map_.angle_of_lbn(next_lbn)) -
          engine::rev_from_angle(map_.angle_of_lbn(map_.lbn_at_or_after_slot(track.first_slot)));
      sum_rev += 1 + skew - std::floor(skew);
      track = next;
    }
    if (tracks > 0) track_rev_ = std::max(track_rev_, sum_rev / tracks);
  }
}

std::optional<Place> Places::place_of_lbn(std::uint64_t lbn) const {
  Place place;
  place.track = map_.track_of_slot(map_.slot_of_lbn(lbn));
  const std::uint64_t end_slot = place.track.first_slot + place.track.sectors;
  place.first = map_.lbn_at_or_after_slot(place.track.first_slot);
  const std::uint64_t end = map_.lbn_at_or_after_slot(end_slot);
  if (end <= place.first) return std::nullopt;
  place.last = end - 1;
  const auto on_cylinder = [&](std::uint64_t slot) {
    return slot < map_.slots() && map_.track_of_slot(slot).cylinder == place.track.cylinder;
  };
  place.starts_cylinder = place.track.first_slot == 0 || !on_cylinder(place.track.first_slot - 1);
  std::uint64_t next = end_slot;
  for (int i = 0; i < kMostTracksOfCylinder && on_cylinder(next); ++i)
    next += map_.track_of_slot(next).sectors;
  place.ends_cylinder = next == end_slot;
  place.cylinder_last = map_.lbn_at_or_after_slot(next) - 1;
  return place;
}

bool Places::clean(const Place& place) const {
  return with_slips_ ? none_elsewhere(map_, place.first, place.last)
                     : is_clean(map_, place.first, place.last);
}

bool Places::used_lately(const LbnRange& range) const {
  return std::ranges::any_of(used_, [&](const LbnRange& other) { return range.meets(other); });
}

void Places::remember(const LbnRange& range) {
  used_.push_back(range);
  // At most a third, so that random places stay easy to find.
  forget(room() / 3);
}

// The oldest, until no more is held.
void Places::forget(std::uint64_t held_at_most) {
  std::uint64_t held = 0;
  for (const LbnRange& other : used_) held += other.last - other.first + 1;
  while (used_.size() > 1 && (held > held_at_most || used_.size() > 512)) {
    held -= used_.front().last - used_.front().first + 1;
    used_.pop_front();
  }
}

bool Places::serves(const Place& place, Kind kind) const {
  if (!clean(place)) return false;
  if (kind == Kind::starts_cylinder && !place.starts_cylinder) return false;
  if (kind == Kind::ends_cylinder && !place.ends_cylinder) return false;
  if (kind == Kind::before_end && place.ends_cylinder) return false;
  // Ends are rare where tracks of one surface follow one another, and of the last head alone, whose
  // tracks may be longer than others.
  const bool rare = kind == Kind::ends_cylinder || kind == Kind::before_end;
  const bool alike = with_slips_ ? place.blocks() >= track_blocks_
                                 : place.blocks() == track_blocks_;
  return rare || kind == Kind::any_track || alike;
}

// The place of this LBN if it serves.
std::optional<Place> Places::take(std::uint64_t lbn, Kind kind, std::uint64_t span) {
  if (lbn >= map_.blocks()) return std::nullopt;
  const std::optional<Place> place = place_of_lbn(lbn);
  if (!place || !serves(*place, kind)) return std::nullopt;
  const LbnRange range{place->first > track_blocks_ ? place->first - track_blocks_ : 0,
                       place->first + track_blocks_ + span};
  if (range.last >= map_.lbn_at_or_after_slot(last_slot_) || used_lately(range))
    return std::nullopt;
  if (avoided_ && avoided_(range.first, static_cast<std::uint32_t>(range.last - range.first + 1)))
    return std::nullopt;
  remember(range);
  return place;
}

std::optional<Place> Places::find(Kind kind, std::uint64_t span) {
  const bool anywhere = kind == Kind::any_track;
  std::uniform_int_distribution<std::uint64_t> slot(anywhere ? origin_slot_ : first_slot_,
                                                    (anywhere ? last_slot_ : end_slot_) - 1);
  for (int i = 0; i < kTries; ++i) {
    stop_if_asked();
    if (const auto place = take(map_.lbn_at_or_after_slot(slot(random_)), kind, span)) return place;
  }
  if (kind == Kind::before_end) return find_from(slot(random_), kind, span);
  return std::nullopt;
}

// The next one in the zone, once around: for kinds that no random place is of.
std::optional<Place> Places::find_from(std::uint64_t slot, Kind kind, std::uint64_t span) {
  const std::uint64_t first = map_.lbn_at_or_after_slot(first_slot_);
  const std::uint64_t end = map_.lbn_at_or_after_slot(end_slot_);
  engine::Track track = map_.track_of_slot(slot);
  for (std::uint64_t passed = 0, steps = 0; passed < end - first && steps < kMostSteps; ++steps) {
    stop_if_asked();
    const std::uint64_t next_slot = track.first_slot + track.sectors;
    const std::uint64_t begin = map_.lbn_at_or_after_slot(track.first_slot);
    const engine::Track next = map_.track_of_slot(next_slot < end_slot_ ? next_slot : first_slot_);
    if (next_slot < end_slot_ && next.cylinder == track.cylinder)
      if (const auto place = take(begin, kind, span)) return place;
    passed += track.sectors;
    track = next;
  }
  return std::nullopt;
}

std::optional<Places::Ends> Places::ends_behind(std::uint64_t lbn, bool of_track) const {
  const auto at = [&](std::uint64_t block) {
    return block < map_.blocks() ? place_of_lbn(block) : std::nullopt;
  };
  const auto here = at(lbn);
  if (!here) return std::nullopt;
  const std::uint64_t end = of_track ? here->last : here->cylinder_last;
  const auto next = at(end + 1);
  const auto after = next ? at(next->last + 1) : std::nullopt;
  if (!after) return std::nullopt;
  return Ends{end, next->last, after->last};
}

std::optional<Place> Places::fresh(Kind kind, std::uint64_t span) {
  used_before_ = false;
  auto place = find(kind, span);
  if (place) return place;
  // Where room is short, or such tracks are rare, what was used longest ago may be used again.
  const std::deque<LbnRange> used = used_;
  const std::uint64_t least = std::min(kFewTracks * track_blocks_, room() / kOfLittleRoom);
  for (std::uint64_t held = room() / 6; held > least; held /= 2) {
    forget(held);
    if ((place = find(kind, span))) {
      used_before_ = true;
      return place;
    }
  }
  used_ = used;
  return std::nullopt;
}

std::optional<Place> Places::fresh_near(std::uint64_t lbn, std::uint64_t span) {
  const std::uint64_t slot = map_.slot_of_lbn(lbn);
  const std::uint32_t cylinder = map_.track_of_slot(slot).cylinder;
  std::uint64_t step = std::uint64_t{track_blocks_} + span;
  for (int i = 0; i < kNearTries; ++i, step += track_blocks_) {
    if (slot + step >= last_slot_) break;
    const std::uint64_t at = map_.lbn_at_or_after_slot(slot + step);
    if (at >= map_.blocks()) break;
    if (map_.track_of_slot(map_.slot_of_lbn(at)).cylinder == cylinder) continue;
    if (const auto place = take(at, Kind::any_track, span)) return place;
  }
  return fresh(Kind::any_track, span);
}

}  // namespace platter::cache_probe

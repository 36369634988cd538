#include "estimate/passing_sectors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "estimate/phase_drift.h"
#include "estimate/rotation.h"
#include "statistics/circular.h"

namespace platter::estimate {
namespace {

// Two reads that followed one another on a track.
struct TrackPair {
  double turn = 0;     // from the one sector to the other by the layout, in parts of the track
  double surplus = 0;  // what the platter turned by beyond that, -0.5 to 0.5 revolutions
  bool same = false;   // of one sector, within a visit: what disturbs the drive, not the map
  std::uint64_t track = 0;
};

// One visit of a track.
struct Visit {
  std::uint32_t zone = 0, sectors = 0;
  std::uint64_t track = 0;           // its first slot
  std::vector<std::uint64_t> slots;  // within the track
  std::vector<double> phases;
};

std::vector<Visit> visits_of(const Samples& samples, const model::Rotation& rotation,
                             const engine::LayoutMap& map) {
  std::vector<Visit> visits;
  std::optional<std::uint64_t> track_slot;
  std::uint32_t session = 0;
  for (const Sample& s : samples) {
    if (s.session != session) track_slot.reset();
    session = s.session;
    if (s.experiment != Experiment::angle || s.lbn >= map.blocks()) {
      track_slot.reset();
      continue;
    }
    const std::uint64_t slot = map.slot_of_lbn(s.lbn);
    const engine::Track track = map.track_of_slot(slot);
    if (track_slot != track.first_slot) {
      visits.push_back({track.zone, track.sectors, track.first_slot, {}, {}});
      track_slot = track.first_slot;
    }
    visits.back().slots.push_back(slot - track.first_slot);
    visits.back().phases.push_back(phase_rev(rotation, s.completed_ns));
  }
  return visits;
}

void add_pairs(const Visit& visit, std::vector<TrackPair>& pairs) {
  const auto pair = [&](std::size_t a, std::size_t b) {
    const double turn =
        (static_cast<double>(visit.slots[b]) - static_cast<double>(visit.slots[a])) / visit.sectors;
    return TrackPair{turn, statistics::wrap_rev(visit.phases[b] - visit.phases[a] - turn),
                     visit.slots[a] == visit.slots[b], visit.track};
  };
  for (std::size_t i = 1; i < visit.slots.size(); ++i)
    if (visit.slots[i] != visit.slots[i - 1]) pairs.push_back(pair(i - 1, i));
  for (std::size_t i = 1; i < visit.slots.size(); ++i) {
    const auto before = std::find(visit.slots.begin(), visit.slots.begin() + i, visit.slots[i]);
    if (before != visit.slots.begin() + i)
      pairs.push_back(pair(static_cast<std::size_t>(before - visit.slots.begin()), i));
  }
}

// By how much less than the layout says the platter turns from sector to sector: the share of a
// track that lies behind its last sector. A median first, for contradictions may be many.
struct Gap {
  double share = 0, error = 1;
  std::size_t pairs = 0;

  double miss_rev(const TrackPair& pair) const {
    return std::abs(statistics::wrap_rev(pair.surplus + share * pair.turn));
  }
};

Gap fit_gap(const std::vector<TrackPair>& pairs, double noise_rev) {
  Gap gap;
  constexpr double kFar = 0.3;
  std::vector<double> slopes;
  for (const TrackPair& pair : pairs) {
    if (pair.same) continue;
    ++gap.pairs;
    if (std::abs(pair.turn) > kFar) slopes.push_back(-pair.surplus / pair.turn);
  }
  if (slopes.empty()) return gap;
  gap.share = statistics::median(slopes);
  const double near_rev = 3 * std::sqrt(2.0) * noise_rev;  // delays of a host have long tails
  double squares = 0, misses = 0;
  std::size_t used = 0;
  for (int round = 0; round < 4; ++round) {
    double products = 0;
    squares = misses = 0;
    used = 0;
    for (const TrackPair& pair : pairs) {
      const double miss = gap.miss_rev(pair);
      if (pair.same || miss > near_rev) continue;
      ++used;
      misses += miss * miss;
      squares += pair.turn * pair.turn;
      products -= pair.turn * pair.surplus;
    }
    if (squares == 0) return gap;
    gap.share = products / squares;
  }
  // Pairs that follow one another share a read, and turn in opposite directions.
  const double scatter_rev = std::max(std::sqrt(2.0) * noise_rev,
                                      std::sqrt(misses / static_cast<double>(used)));
  gap.error = std::sqrt(2.0 / squares) * scatter_rev;
  return gap;
}

// What each track says by itself, whatever its length.
struct Contradictions {
  double pairs = 0, tracks = 0;  // shares of those that are no even sequence of sectors
  double uneven = 0;             // share of the tracks that are even, but of another length
  std::size_t tracks_seen = 0;
};

Contradictions contradictions(const std::vector<TrackPair>& pairs, const Gap& zone,
                              double bound_rev, double noise_rev) {
  constexpr double kOfTrack = 0.2;
  std::map<std::uint64_t, std::vector<TrackPair>> tracks;
  for (const TrackPair& pair : pairs)
    if (!pair.same) tracks[pair.track].push_back(pair);
  Contradictions result;
  result.tracks_seen = tracks.size();
  double all = 0;
  for (const auto& [track, own] : tracks) {
    const Gap gap = fit_gap(own, noise_rev);
    double beyond = 0;
    for (const TrackPair& pair : own)
      if (gap.miss_rev(pair) > bound_rev) beyond += 1;
    const auto size = static_cast<double>(own.size());
    const bool even = beyond <= kOfTrack * size;
    if (!even) result.tracks += 1;
    if (even && std::abs(gap.share - zone.share) > bound_rev) result.uneven += 1;
    result.pairs += beyond;
    all += size;
  }
  if (all == 0) return result;
  result.pairs /= all;
  result.tracks /= static_cast<double>(tracks.size());
  result.uneven /= static_cast<double>(tracks.size());
  return result;
}

double share_disturbed(const std::vector<TrackPair>& pairs, double bound_rev) {
  double same = 0, disturbed = 0;
  for (const TrackPair& pair : pairs) {
    if (!pair.same) continue;
    same += 1;
    if (std::abs(pair.surplus) > bound_rev) disturbed += 1;
  }
  return same > 0 ? disturbed / same : 0;
}

void judge(ZonePassing& zone, const std::vector<TrackPair>& pairs, double noise_rev) {
  constexpr double kSigmas = 6, kFloor_rev = 0.002, kSlips = 2.5;
  constexpr std::size_t kFewestPairs = 12, kFewestTracks = 4;
  constexpr double kContradicting = 0.2, kContradictingTracks = 0.4;
  const double bound_rev = kFloor_rev + kSigmas * std::sqrt(2.0) * noise_rev;
  const double sectors = zone.sectors > 0 ? zone.sectors : 1;
  const Gap gap = fit_gap(pairs, noise_rev);
  zone.pairs = gap.pairs;
  if (gap.pairs < kFewestPairs) return;
  // A slipped defect that the map does not know moves sectors by one: that is no untruth.
  const Contradictions found = contradictions(
      pairs, gap, std::max(bound_rev, zone.sectors > 0 ? kSlips / sectors : 0.0), noise_rev);
  zone.contradicting = found.pairs;
  zone.disturbed = share_disturbed(pairs, bound_rev);
  if (zone.disturbed > kDisturbed) return;  // the drive's doing: nothing can be said of the map
  if (found.tracks_seen < kFewestTracks) return;
  const double passing = sectors / (1 - gap.share);
  const double error = sectors * gap.error / ((1 - gap.share) * (1 - gap.share));
  zone.untrue = found.pairs > kContradicting && found.tracks > kContradictingTracks;
  // More sectors than a revolution has room for, or a third of a track and more of none.
  const bool impossible = gap.share < -0.002 - 5 * gap.error || gap.share > 1.0 / 3;
  zone.uneven = !zone.untrue && (impossible || found.uneven > kContradictingTracks);
  if (zone.sectors > 0 && !zone.untrue && !zone.uneven)
    zone.passing = statistics::Estimate{passing, error, gap.pairs};
  // Sharp enough for the nearest whole number to be better than none.
  constexpr double kSure = 5, kSharp = 0.45;
  const double more = passing - sectors;
  if (zone.passing && error < kSharp && more > kSure * error)
    zone.hidden = static_cast<std::uint32_t>(std::lround(std::max(0.0, more)));
}

}  // namespace

PassingSectors judge_zones(const Samples& samples, const model::Rotation& rotation,
                           const model::Layout& layout, const engine::LayoutMap& map,
                           double noise_rev) {
  PassingSectors result;
  result.noise_rev = noise_rev;
  std::vector<std::vector<TrackPair>> pairs(layout.zones.size());
  std::vector<std::set<std::uint32_t>> sectors(layout.zones.size());
  for (const Visit& visit : visits_of(samples, rotation, map)) {
    add_pairs(visit, pairs[visit.zone]);
    sectors[visit.zone].insert(visit.sectors);
  }
  for (std::size_t i = 0; i < layout.zones.size(); ++i) {
    ZonePassing zone;
    if (sectors[i].size() == 1) zone.sectors = *sectors[i].begin();
    judge(zone, pairs[i], noise_rev);
    result.zones.push_back(zone);
  }
  return result;
}

PassingSectors estimate_passing_sectors(const Samples& samples, const model::Rotation& rotation,
                                        const model::Layout& layout) {
  const PhaseDrift drift(anchors_about_angles(samples), rotation);
  return judge_zones(samples, rotation, layout, engine::LayoutMap(layout),
                     std::max(drift.noise_rev(), 1e-5));
}

}  // namespace platter::estimate

#include "emit/small/plain_zone.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace platter::emit_small {
namespace {

using engine::Track;
using model::LayoutNode;

constexpr std::uint64_t kTracksSeen = 40'000;

class Median {
 public:
  void add(engine::Angle from, engine::Angle to) { turns_.push_back(to - from); }
  double rev() {
    if (turns_.empty()) return 0;
    const auto middle = turns_.begin() + static_cast<std::ptrdiff_t>(turns_.size() / 2);
    std::ranges::nth_element(turns_, middle);
    return engine::rev_from_angle(*middle);
  }

 private:
  std::vector<engine::Angle> turns_{};
};

// What lies between a track and the next.
struct Move {
  std::int64_t cylinders, heads;
};

Move move(const Track& from, const Track& to) {
  return {static_cast<std::int64_t>(to.cylinder) - from.cylinder,
          static_cast<std::int64_t>(to.head) - from.head};
}

std::vector<Track> tracks_in_the_middle(const engine::LayoutMap& map, const Unit& unit) {
  std::vector<Track> tracks;
  const std::uint64_t slots = unit.slots.end - unit.slots.first;
  const Track middle = map.track_of_slot(unit.slots.first + slots / 2);
  const std::uint64_t before = std::min<std::uint64_t>(slots / 2, kTracksSeen / 2 * middle.sectors);
  for (std::uint64_t slot = unit.slots.first + slots / 2 - before;
       slot < unit.slots.end && tracks.size() < kTracksSeen;) {
    tracks.push_back(map.track_of_slot(slot));
    slot = tracks.back().first_slot + tracks.back().sectors;
  }
  return tracks;
}

// The longest run of tracks that stay on their surface, from cylinder to cylinder.
std::uint32_t longest_band(const std::vector<Track>& tracks) {
  std::uint32_t longest = 1, run = 1;
  std::int64_t direction = 0;
  for (std::size_t i = 1; i < tracks.size(); ++i) {
    const Move m = move(tracks[i - 1], tracks[i]);
    const bool goes_on = m.heads == 0 && std::abs(m.cylinders) == 1 &&
                         (run == 1 || m.cylinders == direction);
    direction = m.cylinders;
    run = goes_on ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

std::int32_t sign(std::int64_t number) { return number < 0 ? -1 : 1; }

// Of so many instances, each `turn_rev` behind the one before it.
LayoutNode repeated(std::uint32_t count, double turn_rev) {
  LayoutNode node;
  node.count = count;
  node.angle_step_rev = count > 1 ? turn_rev - std::floor(turn_rev) : 0;
  return node;
}

// What a round of bands over all heads consists of, and by how much it turns to its last track.
struct Round {
  std::vector<LayoutNode> nodes;
  double turn_rev = 0;
};

LayoutNode band_of(const TrackOrder& tracks, std::uint32_t band, std::uint32_t sectors,
                   std::int32_t step) {
  LayoutNode node = repeated(band, tracks.track_skew_rev);
  node.sectors = sectors;
  node.cylinder_step = band > 1 ? step : 0;
  return node;
}

Round round_of_bands(const TrackOrder& tracks, std::uint32_t band, std::uint32_t sectors,
                     std::int32_t step, bool alternate) {
  const double band_turn = (band - 1) * tracks.track_skew_rev + tracks.band_skew_rev;
  Round round;
  round.turn_rev = tracks.heads * band_turn - tracks.band_skew_rev;
  LayoutNode there = band_of(tracks, band, sectors, step);
  const std::uint32_t pairs = alternate ? tracks.heads / 2 : 0;
  if (pairs > 0) {
    LayoutNode back = band_of(tracks, band, sectors, -step);
    back.cylinder = static_cast<std::int32_t>(band - 1) * step;
    back.head = 1;
    back.angle_rev = band_turn - std::floor(band_turn);
    LayoutNode pair = repeated(pairs, 2 * band_turn);
    pair.head_step = pairs > 1 ? 2 : 0;
    pair.children = {there, back};
    round.nodes.push_back(pair);
  }
  if (const std::uint32_t rest = tracks.heads - 2 * pairs; rest > 0) {
    LayoutNode heads = repeated(rest, band_turn);
    heads.head_step = rest > 1 ? 1 : 0;
    heads.head = static_cast<std::int32_t>(2 * pairs);
    heads.angle_rev = 2 * pairs * band_turn - std::floor(2 * pairs * band_turn);
    heads.children = {there};
    if (rest == 1) {  // the band itself
      there.head = heads.head;
      there.angle_rev = heads.angle_rev;
      heads = there;
    }
    round.nodes.push_back(heads);
  }
  return round;
}

Round round_of_cylinders(const TrackOrder& tracks, std::uint32_t sectors) {
  LayoutNode heads = repeated(tracks.heads, tracks.track_skew_rev);
  heads.sectors = sectors;
  heads.head_step = tracks.heads > 1 ? 1 : 0;
  return {{heads}, (tracks.heads - 1) * tracks.track_skew_rev};
}

// What is left over, spread, unless all of it is less than a round.
void spread(std::uint64_t over, std::uint64_t slots, std::uint64_t round,
            std::vector<model::Skip>& skips) {
  if (over == 0) return;
  if (over < round || slots / over < 2) {
    skips.push_back({slots - over, over, 1, 0});
    return;
  }
  const std::uint64_t stride = slots / over;
  skips.push_back({stride - 1, 1, over, stride});
}

}  // namespace

TrackOrder order_of(const engine::LayoutMap& map, const Unit& unit) {
  const std::vector<Track> tracks = tracks_in_the_middle(map, unit);
  TrackOrder order;
  order.band = longest_band(tracks);
  order.sectors = tracks.front().sectors;
  std::uint32_t low = tracks.front().head, high = low;
  Median within, to_band, to_round;
  for (std::size_t i = 1; i < tracks.size(); ++i) {
    low = std::min(low, tracks[i].head);
    high = std::max(high, tracks[i].head);
    if (tracks[i].sectors != order.sectors) order.sectors = 0;
    const Move m = move(tracks[i - 1], tracks[i]);
    const engine::Angle from = tracks[i - 1].angle, to = tracks[i].angle;
    const bool stays = order.band > 2 ? m.heads == 0 && std::abs(m.cylinders) == 1
                                      : m.cylinders == 0;
    // Up to a band back, or not at all, is still the same round.
    const bool same_round = order.band > 2 && m.heads != 0 &&
                            std::abs(m.cylinders) < static_cast<std::int64_t>(order.band);
    if (stays)
      within.add(from, to);
    else if (same_round)
      to_band.add(from, to);
    else
      to_round.add(from, to);
  }
  if (order.band <= 2) order.band = 1;
  order.heads = high - low + 1;
  order.track_skew_rev = within.rev();
  order.band_skew_rev = to_band.rev();
  order.round_skew_rev = to_round.rev();
  if (order.band > 1 && order.heads == 1) order.band = 1;
  return order;
}

PlainZone plain_zone(std::span<const Unit> units, const TrackOrder& tracks, Order order,
                     double angle_rev, std::uint32_t sectors) {
  const std::int64_t from = units.front().first_cylinder, to = units.back().last_cylinder;
  const auto cylinders = static_cast<std::uint32_t>(std::abs(to - from) + 1);
  std::uint64_t blocks = 0;
  for (const Unit& unit : units) blocks += unit.blocks;
  const std::uint32_t wide = order == Order::cylinders ? 1 : std::min(tracks.band, cylinders);
  const std::uint32_t rounds = (cylinders + wide / 2) / wide;
  const std::uint32_t band = cylinders / rounds;  // whole rounds, on no cylinder of others
  const std::uint64_t all = std::uint64_t{rounds} * band * tracks.heads;
  const bool as_few = sectors == 0;
  if (as_few) sectors = static_cast<std::uint32_t>((blocks + all - 1) / all);
  const Round round = order == Order::cylinders
                          ? round_of_cylinders(tracks, sectors)
                          : round_of_bands(tracks, band, sectors, sign(to - from),
                                           order == Order::alternating_bands);
  PlainZone zone;
  zone.node = repeated(rounds, round.turn_rev + tracks.round_skew_rev);
  zone.node.cylinder = static_cast<std::int32_t>(from);
  zone.node.cylinder_step = rounds > 1 ? sign(to - from) * static_cast<std::int32_t>(band) : 0;
  zone.node.angle_rev = angle_rev;
  zone.node.children = round.nodes;
  zone.slots = all * sectors;
  if (as_few)
    spread(zone.slots - blocks, zone.slots, std::uint64_t{band} * tracks.heads * sectors,
           zone.skips);
  return zone;
}

}  // namespace platter::emit_small

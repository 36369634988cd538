#include "estimate/zone_shape.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "estimate/zone_fit.h"
#include "statistics/circular.h"

using namespace platter;
using namespace platter::estimate;

namespace {

double any(std::mt19937_64& random) { return std::uniform_real_distribution<double>(0, 1)(random); }
std::uint32_t between(std::uint32_t low, std::uint32_t high, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::uint32_t>(low, high)(random);
}

// Cylinder by cylinder, serpentines, bands of surface serpentines with a last partial one: with any
// angles.
model::LayoutNode random_zone(std::mt19937_64& random) {
  const std::uint32_t heads = between(2, 5, random);
  const std::uint32_t sectors = between(5, 40, random);
  const auto leaf = [&](std::uint32_t count, std::int32_t cylinder, std::int32_t cylinder_step,
                        std::int32_t head, std::int32_t head_step) {
    model::LayoutNode node;
    node.count = count;
    node.cylinder = cylinder;
    node.cylinder_step = cylinder_step;
    node.head = head;
    node.head_step = head_step;
    node.sectors = sectors;
    node.angle_rev = any(random);
    node.angle_step_rev = any(random);
    return node;
  };
  const auto last_head = static_cast<std::int32_t>(heads - 1);
  model::LayoutNode zone;
  zone.angle_rev = any(random);
  zone.angle_step_rev = any(random);
  switch (between(0, 2, random)) {
    case 0:
      zone.count = between(2, 200, random);
      zone.cylinder_step = 1;
      zone.children = {leaf(heads, 0, 0, 0, 1)};
      break;
    case 1:
      zone.count = between(2, 100, random);
      zone.cylinder_step = 2;
      zone.children = {leaf(heads, 0, 0, 0, 1), leaf(heads, 1, 0, last_head, -1)};
      break;
    default: {
      const std::uint32_t width = between(3, 20, random);
      const auto w = static_cast<std::int32_t>(width);
      model::LayoutNode band;
      band.count = between(2, 8, random);
      band.cylinder_step = w;
      band.angle_rev = any(random);
      band.angle_step_rev = any(random);
      band.children = {leaf(width, 0, 1, 0, 0), leaf(width, w - 1, -1, 1, 0)};
      const std::int32_t beyond = static_cast<std::int32_t>(band.count) * w;
      zone.count = 1;
      zone.children = {band, leaf(width, beyond, 1, 0, 0), leaf(width, beyond + w - 1, -1, 1, 0)};
    }
  }
  zone.children.front().angle_rev = 0;
  return zone;
}

}  // namespace

TEST_CASE("zone shape: angles of tracks tell the angles of any zone, spares at its ends or not") {
  std::mt19937_64 random(31);
  for (int round = 0; round < 200; ++round) {
    model::Layout layout;
    layout.zones = {random_zone(random)};
    const engine::LayoutMap whole(layout);
    // Tracks without LBNs at both ends.
    const std::uint64_t front = round % 3 == 0 ? whole.slots() / 10 : 0;
    const std::uint64_t back = round % 2 == 0 ? whole.slots() / 12 : 0;
    if (front > 0) layout.skips.push_back({0, front, 1, 0});
    if (back > 0) layout.skips.push_back({whole.slots() - back, back, 1, 0});
    const engine::LayoutMap map(layout);
    const ZoneShape shape(layout.zones[0], 0, map);
    REQUIRE(shape.slots() == map.slots());

    std::vector<TrackAngle> observations;
    for (std::uint64_t slot = 0; slot < map.slots();
         slot += shape.sectors_of(shape.path_of_slot(slot))) {
      const TrackPath path = shape.path_of_slot(slot);
      REQUIRE(shape.first_slot_of(path) == slot);
      REQUIRE(shape.first_slot_of(path) == map.track_of_slot(slot).first_slot);
      if (!shape.usable(path)) continue;
      observations.push_back({slot, engine::rev_from_angle(map.track_of_slot(slot).angle), 1e-5});
    }
    const ZoneFit fit = fit_zone(shape, observations);
    model::Layout found = layout;
    found.zones[0] = shape.with_angles(fit.unknowns);
    const engine::LayoutMap again(found);
    const auto introductions = shape.introductions();
    for (std::size_t u = 0; u < introductions.size(); ++u)
      if (introductions[u]) CHECK(fit.introduced[u]);
    for (const TrackAngle& o : observations) {
      const double error = statistics::wrap_rev(
          engine::rev_from_angle(again.track_of_slot(o.track_slot).angle) - o.angle_rev);
      CHECK(std::abs(error) < 1e-6);
    }
  }
}

TEST_CASE("zone shape: unknowns are brought in by tracks that can be read") {
  model::LayoutNode track, zone;
  track.count = 13;
  track.head_step = 1;
  track.sectors = 20;
  zone.count = 200;
  zone.cylinder_step = 1;
  zone.children = {track};
  model::Layout layout;
  layout.zones = {zone};
  const engine::LayoutMap map(layout);
  // The first tracks can be read; the cylinders behind cannot.
  const std::vector<LbnRange> left_out{{300, 3000}, {20'000, 20'100}};
  const ZoneShape shape(layout.zones[0], 0, map, left_out);
  const auto introductions = shape.introductions();
  REQUIRE(introductions.size() == 3);
  for (const auto& path : introductions) {
    REQUIRE(path);
    const std::uint64_t first = shape.first_slot_of(*path);  // an LBN's slot is its number here
    for (const LbnRange& hole : left_out) CHECK((first > hole.last || first + 19 < hole.first));
  }
  CHECK_FALSE(shape.usable(shape.path_of_slot(3010)));  // a part of it
  CHECK(shape.usable(shape.path_of_slot(270)));
  CHECK_FALSE(shape.usable(shape.path_of_slot(1000)));
  CHECK(shape.usable(shape.path_of_slot(3020)));
}

TEST_CASE(
    "zone shape: what holds no block has no unknown, be it where a zone begins or all of it") {
  constexpr std::uint32_t kSectors = 20, kUnused = 3;
  model::LayoutNode part;
  part.sectors = kSectors;
  part.head_step = 1;
  model::Layout layout;
  layout.zones.resize(2);
  layout.zones[0].children = {part, part, part};
  for (std::uint32_t i = 0; i < 3; ++i) {
    model::LayoutNode& child = layout.zones[0].children[i];
    child.count = kUnused + i;
    child.cylinder = static_cast<std::int32_t>(i);
    child.angle_rev = 0.21 * i;
    child.angle_step_rev = 0.3 + 0.1 * i;
  }
  layout.zones[1] = part;
  layout.zones[1].cylinder = 3;
  layout.skips = {{0, kUnused * kSectors, 1, 0}, {12 * kSectors, kSectors, 1, 0}};
  const engine::LayoutMap map(layout);
  const ZoneShape shape(layout.zones[0], 0, map);
  CHECK(shape.holds_blocks());
  CHECK(!ZoneShape(layout.zones[1], 12 * kSectors, map).holds_blocks());
  CHECK(shape.unknowns() == 4);
  std::vector<TrackAngle> seen;
  for (std::uint64_t track = kUnused; track < 12; ++track)
    seen.push_back({track * kSectors,
                    engine::rev_from_angle(map.track_of_slot(track * kSectors).angle), 1e-4});
  const ZoneFit fit = fit_zone(shape, seen, true);
  CHECK(std::ranges::all_of(fit.introduced, [](bool known) { return known; }));
  model::Layout found = layout;
  found.zones[0] = shape.with_angles(fit.unknowns, fit.covariance);
  const engine::LayoutMap map_found(found);
  for (const TrackAngle& one : seen)
    CHECK(std::abs(statistics::wrap_rev(
              engine::rev_from_angle(map_found.track_of_slot(one.track_slot).angle) -
              one.angle_rev)) < 1e-4);
}

TEST_CASE("zone shape: a zone cut in two is the same zone") {
  std::mt19937_64 random(32);
  for (int round = 0; round < 100; ++round) {
    model::Layout layout;
    layout.zones = {random_zone(random)};
    const engine::LayoutMap map(layout);
    const ZoneShape shape(layout.zones[0], 0, map);
    const std::uint32_t node = between(0, static_cast<std::uint32_t>(shape.nodes() - 1), random);
    if (shape.count(node) < 2) continue;
    const std::uint32_t at = between(1, shape.count(node) - 1, random);
    model::Layout cut = layout;
    cut.zones = split_zone(layout.zones[0], node, at);
    const engine::LayoutMap parts(cut);
    REQUIRE(parts.slots() == map.slots());
    for (std::uint64_t slot = 0; slot < map.slots(); ++slot) {
      const engine::Track a = map.track_of_slot(slot), b = parts.track_of_slot(slot);
      REQUIRE(a.cylinder == b.cylinder);
      REQUIRE(a.head == b.head);
      REQUIRE(a.first_slot == b.first_slot);
    }
  }
}

TEST_CASE("zone fit: an observation that is off does not bend the others") {
  std::mt19937_64 random(33);
  for (int round = 0; round < 50; ++round) {
    model::Layout layout;
    layout.zones = {random_zone(random)};
    const engine::LayoutMap map(layout);
    const ZoneShape shape(layout.zones[0], 0, map);
    std::normal_distribution<double> noise(0, 0.0005);
    std::vector<TrackAngle> observations;
    for (std::uint64_t slot = 0; slot < map.slots();
         slot += shape.sectors_of(shape.path_of_slot(slot)))
      observations.push_back(
          {slot,
           statistics::turn_rev(engine::rev_from_angle(map.track_of_slot(slot).angle) +
                                noise(random)),
           0.0005});
    const std::size_t off = observations.size() - 1;
    observations[off].angle_rev = statistics::turn_rev(observations[off].angle_rev + 0.2);
    const ZoneFit fit = fit_zone(shape, observations);
    CHECK(fit.odd[off]);
    CHECK(std::abs(fit.residuals_rev[off]) == Approx(0.2).margin(0.01));
    for (std::size_t i = 0; i < off; ++i) CHECK(std::abs(fit.residuals_rev[i]) < 0.004);
  }
}

TEST_CASE("zone fit: with all read, what is only nearly sure is used, the surest first") {
  model::LayoutNode zone;
  zone.count = 1000;
  zone.cylinder_step = 1;
  zone.sectors = 10;
  model::Layout layout;
  layout.zones = {zone};
  const engine::LayoutMap map(layout);
  const ZoneShape shape(zone, 0, map);
  const double step = 0.0123;
  std::vector<TrackAngle> read;
  // After the first two, a track at 90 is predicted within 0.036 revolutions, one at 900 is not.
  for (const int track : {900, 0, 1, 90, 500})
    read.push_back(
        {static_cast<std::uint64_t>(10 * track), statistics::turn_rev(step * track), 0.0004});
  CHECK(fit_zone(shape, read).used == 2);
  const ZoneFit fit = fit_zone(shape, read, true);
  CHECK(fit.used == read.size());
  CHECK(statistics::wrap_rev(fit.predict_rev(shape.row(shape.path_of_slot(9990))) - 999 * step) ==
        Approx(0).margin(1e-6));
}

namespace {

// A zone of an Atlas 10K, read where and as exactly as in two runs of which it came out wrong.
struct Serpentine {
  const model::Layout layout = one_zone();
  const engine::LayoutMap map{layout};
  const ZoneShape shape{layout.zones.front(), 0, map};

  static model::Layout one_zone() {
    model::LayoutNode down, up, zone;
    down.count = up.count = 6;
    down.head_step = 1;
    up.head = 5;
    up.head_step = -1;
    up.cylinder = 1;
    down.sectors = up.sectors = 306;
    down.angle_step_rev = 0.18958;
    up.angle_rev = 0.26825;
    up.angle_step_rev = 0.18950;
    zone.count = 212;
    zone.cylinder_step = 2;
    zone.angle_rev = 0.40384;
    zone.angle_step_rev = 0.53595;
    zone.children = {down, up};
    model::Layout layout;
    layout.zones = {zone};
    return layout;
  }
  struct Read {
    std::uint32_t cylinder, side, head;
  };
  std::vector<TrackAngle> read(const std::vector<Read>& reads, double sigma,
                               std::mt19937_64& random) const {
    std::normal_distribution<double> noise(0, sigma);
    std::vector<TrackAngle> result;
    for (const Read& r : reads) {
      const std::uint64_t slot = ((std::uint64_t{r.cylinder} * 2 + r.side) * 6 + r.head) * 306;
      result.push_back({slot,
                        statistics::turn_rev(engine::rev_from_angle(map.track_of_slot(slot).angle) +
                                             noise(random)),
                        sigma});
    }
    return result;
  }
  // Largest miss over all tracks.
  double worst_rev(const ZoneFit& fit) const {
    double worst = 0;
    for (std::uint64_t slot = 0; slot < map.slots(); slot += 306)
      worst = std::max(
          worst,
          std::abs(statistics::wrap_rev(engine::rev_from_angle(map.track_of_slot(slot).angle) -
                                        fit.predict_rev(shape.row(shape.path_of_slot(slot))))));
    return worst;
  }
};

}  // namespace

TEST_CASE("zone fit: an unknown is brought in beside others that are not sure yet") {
  const Serpentine zone;
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    // No track of the first cylinder tells the head skews alone; the nearest does 76 pairs further
    // in.
    const auto seen = zone.read({{137, 1, 0},
                                 {76, 0, 1},
                                 {0, 0, 0},
                                 {1, 0, 0},
                                 {0, 1, 1},
                                 {88, 0, 1},
                                 {159, 1, 5},
                                 {131, 0, 2},
                                 {0, 0, 5},
                                 {0, 0, 4},
                                 {162, 0, 1},
                                 {175, 0, 0},
                                 {28, 1, 3},
                                 {121, 0, 4},
                                 {127, 1, 0},
                                 {157, 1, 4},
                                 {112, 0, 3},
                                 {15, 0, 3}},
                                0.00035, random);
    const ZoneFit fit = fit_zone(zone.shape, seen, true);
    CHECK(std::ranges::all_of(fit.introduced, [](bool known) { return known; }));
    CHECK(fit.used == seen.size());
    CHECK(zone.worst_rev(fit) < 0.003);
  }
}

TEST_CASE("zone fit: a first observation that is off does not make all others look odd") {
  const Serpentine zone;
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    auto seen = zone.read(
        {{0, 0, 0},   {1, 0, 0},   {0, 0, 1},  {0, 1, 1},   {141, 1, 0}, {108, 0, 3},
         {5, 0, 2},   {189, 0, 1}, {21, 1, 0}, {72, 0, 5},  {2, 0, 2},   {56, 0, 0},
         {167, 0, 3}, {107, 1, 5}, {80, 1, 0}, {0, 1, 5},   {91, 0, 5},  {29, 0, 1},
         {8, 0, 0},   {142, 1, 2}, {44, 0, 0}, {182, 0, 0}, {36, 0, 5},  {206, 0, 1}},
        0.00022, random);
    seen[0].angle_rev += 0.0028;
    const ZoneFit fit = fit_zone(zone.shape, seen, true);
    CHECK(fit.used + 2 >= seen.size());
    CHECK(zone.worst_rev(fit) < 0.002);
  }
}

// The last one is needed to bring in the second side's step, by which five others then look odd:
// too many for a rule.
TEST_CASE("zone fit: whichever observation is off, others that hang on it do not look odd") {
  const Serpentine zone;
  std::mt19937_64 random(6);
  for (int round = 0; round < 20; ++round) {
    auto seen = zone.read(
        {{189, 0, 4}, {81, 0, 5},  {117, 0, 3}, {46, 0, 1}, {98, 1, 1},  {61, 0, 1}, {146, 1, 4},
         {99, 0, 0},  {97, 1, 4},  {45, 0, 0},  {24, 1, 3}, {172, 1, 4}, {0, 0, 0},  {1, 0, 0},
         {0, 1, 0},   {114, 0, 3}, {0, 0, 2},   {3, 0, 0},  {5, 0, 1},   {30, 0, 0}, {181, 1, 1}},
        0.00022, random);
    seen.back().angle_rev += 0.004;
    const ZoneFit fit = fit_zone(zone.shape, seen, true);
    CHECK(fit.used + 1 >= seen.size());
    CHECK(zone.worst_rev(fit) < 0.002);
  }
}

TEST_CASE(
    "zone fit: an unknown is brought in by the nearest track, for the rule may break behind it") {
  const Serpentine zone;
  std::mt19937_64 random(7);
  auto seen = zone.read({{0, 0, 0}, {1, 0, 0}, {56, 0, 1}, {0, 0, 1}, {0, 0, 2}}, 0.00022, random);
  seen[2].angle_rev += 0.26;
  const ZoneFit fit = fit_zone(zone.shape, seen);
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(fit.odd[i] == (i == 2));
}

TEST_CASE("zone fit: what is only just too unsure does not keep an unknown out for ever") {
  // The second side begins where 81 steps may just be trusted; its step stands beside that, and is
  // read at once, again and again if need be.
  const Serpentine zone;
  std::mt19937_64 random(5);
  const auto seen = zone.read({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {81, 1, 0}, {0, 1, 1}}, 0.000263,
                              random);
  const ZoneFit fit = fit_zone(zone.shape, seen);
  CHECK(std::ranges::all_of(fit.introduced, [](bool known) { return known; }));
}

TEST_CASE("zone fit: what all angles err by alike is no error of theirs against each other") {
  model::Layout layout;
  model::LayoutNode track;
  track.count = 100;
  track.cylinder_step = 1;
  track.angle_step_rev = 0.1;
  track.sectors = 10;
  layout.zones = {track};
  const engine::LayoutMap map(layout);
  const ZoneShape shape(layout.zones[0], 0, map);
  constexpr double kOwn_rev = 0.0005, kCommon_rev = 0.002;
  std::vector<TrackAngle> read;
  for (std::uint64_t slot = 0; slot < map.slots(); slot += 100)
    read.push_back({slot, engine::rev_from_angle(map.track_of_slot(slot).angle), kOwn_rev});
  const auto error_rev = [&](const std::vector<double>& err_alike_rev) {
    return *shape.with_angles({0, 0.1}, fit_zone(shape, read, true, err_alike_rev).covariance)
                .angle_error_rev;
  };
  const double own_rev = error_rev({});
  for (TrackAngle& angle : read) angle.common = {3, {kCommon_rev}};
  CHECK(error_rev({}) == Approx(std::hypot(own_rev, kCommon_rev)));
  CHECK(error_rev(mean_common_error(read)) == Approx(own_rev));
  // As many others err by something else: half of the mean is each.
  std::vector<TrackAngle> others = read;
  for (TrackAngle& angle : others) angle.common = {5, {kCommon_rev}};
  others.insert(others.end(), read.begin(), read.end());
  CHECK(error_rev(mean_common_error(others)) ==
        Approx(std::hypot(own_rev, std::sqrt(0.5) * kCommon_rev)));
}

namespace {

// One cylinder after another, each of which turns by an angle of its own: as many unknowns as
// tracks.
model::LayoutNode without_a_rule(std::size_t tracks) {
  model::LayoutNode zone;
  for (std::size_t i = 0; i < tracks; ++i) {
    model::LayoutNode track;
    track.cylinder = static_cast<std::int32_t>(i);
    track.sectors = 10;
    track.angle_rev = static_cast<double>(i * i % 97) / 97;
    zone.children.push_back(track);
  }
  zone.children.front().angle_rev = 0;
  return zone;
}

ZoneFit fit_of_all_tracks(const ZoneShape& shape, const engine::LayoutMap& map) {
  std::vector<TrackAngle> read;
  for (std::uint64_t slot = 0; slot < map.slots(); slot += 10)
    read.push_back({slot, engine::rev_from_angle(map.track_of_slot(slot).angle), 0.0005});
  return fit_zone(shape, read, true);
}

}  // namespace

TEST_CASE("zone fit: a zone of too many unknowns costs no memory and has no angles") {
  for (const std::size_t tracks : {kMostUnknowns, kMostUnknowns + 1, std::size_t{60'000}}) {
    model::Layout layout;
    layout.zones = {without_a_rule(tracks)};
    const engine::LayoutMap map(layout);
    const ZoneShape shape(layout.zones[0], 0, map);
    REQUIRE(shape.unknowns() == tracks);
    const ZoneFit fit = fit_of_all_tracks(shape, map);
    const bool solved = tracks <= kMostUnknowns;
    CHECK(shape.solvable() == solved);
    CHECK(fit.introduced == std::vector<bool>(tracks, solved));
    CHECK(fit.covariance.data.size() == (solved ? tracks * tracks : 0));
    CHECK(fit.used == (solved ? tracks : 0));
    CHECK(std::isinf(fit.error_rev(shape.row(shape.path_of_slot(0)))) != solved);
    CHECK_NOTHROW(shape.with_angles(fit.unknowns, fit.covariance));
  }
}

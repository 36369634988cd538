#include "calibrate/coherence.h"

#include <random>

#include "calibrate/blind_spindle.h"
#include "calibrate/zone_angles.h"
#include "catch.h"
#include "statistics/circular.h"

using namespace platter;
using namespace platter::calibrate;

namespace {

constexpr double kPeriod_ns = 8'333'333;

// A zone of 200 cylinders with 5 heads, whose accesses complete where a true layout has them, seen
// by a model whose head and cylinder skews are off.
struct World {
  double per_head = 0, per_cylinder = 0, angle = 0, noise_rev = 0.005;
  double period_ns = kPeriod_ns;
  bool locked = true;  // otherwise completions are anywhere

  std::vector<Access> accesses(std::size_t count, unsigned seed, double near = 0.5) const {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> unit;
    std::normal_distribution<double> noise(0, noise_rev);
    std::vector<Access> list;
    double now_ns = 0;
    Access access;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || unit(generator) > near) {
        access.cylinder = static_cast<std::uint32_t>(200 * unit(generator));
        access.head = static_cast<std::uint32_t>(5 * unit(generator));
      }
      const double turn = unit(generator);  // of the model's platter
      const double off = angle + per_head * access.head + per_cylinder * access.cylinder;
      now_ns += 20e6 + 40e6 * unit(generator);
      double turns = std::floor(now_ns / period_ns) + turn + off + noise(generator);
      if (!locked) turns += unit(generator);
      access.request = i;
      access.turn = turn;
      access.completion_ns = turns * period_ns;
      now_ns = access.completion_ns;
      list.push_back(access);
    }
    return list;
  }
};

}  // namespace

TEST_CASE("a period that is off by 0.4 % is found within its error") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    World world;
    world.period_ns = kPeriod_ns * 1.004;
    const auto found = find_spindle(world.accesses(600, seed), kPeriod_ns);
    REQUIRE(found);
    CAPTURE(seed, found->error_ns);
    CHECK(std::abs(found->period_ns - world.period_ns) < 5 * found->error_ns);
    CHECK(found->error_ns < 50e-6 * kPeriod_ns);
    CHECK(found->coherence.share > 0.99);
  }
}

TEST_CASE("with skews that are wrong, neighbours still tell the period") {
  World world;
  world.per_head = 0.23;
  world.per_cylinder = 0.31;
  world.period_ns = kPeriod_ns * 0.99;
  const auto found = find_spindle(world.accesses(600, 1), kPeriod_ns);
  REQUIRE(found);
  CHECK(found->trust == Trust::neighbours);
  CHECK(std::abs(found->period_ns / world.period_ns - 1) < 20e-6);
}

TEST_CASE("completions anywhere keep step at no period") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    World world;
    world.locked = false;
    CHECK_FALSE(find_spindle(world.accesses(600, seed), kPeriod_ns));
  }
}

TEST_CASE("a host that issues at even intervals is no spindle: shuffled angles keep step as well") {
  World world;
  std::vector<Access> accesses = world.accesses(600, 1);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].completion_ns = 3 * kPeriod_ns * static_cast<double>(i);
    accesses[i].turn = 0.001 * static_cast<double>(i % 7);
  }
  const auto found = find_spindle(accesses, kPeriod_ns);
  REQUIRE(found);
  CHECK(shuffled_share(accesses, *found) > 0.9);
  const auto real = find_spindle(world.accesses(600, 1), kPeriod_ns);
  REQUIRE(real);
  CHECK(shuffled_share(world.accesses(600, 1), *real) < 0.2);
}

namespace {

model::Layout one_zone(std::uint32_t range = 0) {
  model::LayoutNode cylinder;
  cylinder.count = 5;
  cylinder.head_step = 1;
  cylinder.angle_step_rev = 0.2;
  cylinder.sectors = 100;
  model::LayoutNode zone;
  zone.count = 200;
  zone.cylinder_step = 1;
  zone.angle_step_rev = 0.1;
  zone.children = {cylinder};
  model::Layout layout;
  layout.zones = {zone};
  if (range > 0)
    layout.skips = {{.first_slot = range * 500 - 20,
                     .length = 20,
                     .count = 200 / range,
                     .stride = range * 500}};
  return layout;
}

}  // namespace

TEST_CASE("skews of a zone are found, and put into its layout") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    World world;
    world.per_head = -0.25;
    world.per_cylinder = 0.37;
    const std::vector<Access> accesses = world.accesses(400, seed);
    const auto spindle = find_spindle(accesses, kPeriod_ns);
    REQUIRE(spindle);
    const AngleFit fit = fit_zone_angles(one_zone(), accesses, *spindle);
    const ZoneAngles& zone = fit.zones.at(0);
    REQUIRE(zone.identified);
    CHECK(zone.changed);
    CHECK(statistics::wrap_rev(zone.correction.per_head + 0.25) ==
          Approx(0).margin(5 * zone.correction.per_head_error));
    CHECK(statistics::wrap_rev(zone.correction.per_cylinder - 0.37) ==
          Approx(0).margin(5 * zone.correction.per_cylinder_error));
    CHECK(zone.correction.per_cylinder_error < 1e-4);
    CHECK(fit.spread_rev == Approx(0.005).epsilon(0.2));
    const model::Layout right = corrected(one_zone(), fit);
    CHECK(right.zones[0].angle_step_rev == Approx(0.47).margin(1e-4));
    CHECK(right.zones[0].children[0].angle_step_rev == Approx(0.95).margin(1e-2));
  }
}

TEST_CASE("skews are found where a zone's tracks run from the last head to the first") {
  World world;
  world.per_head = -0.25;
  world.per_cylinder = 0.37;
  model::Layout layout = one_zone();
  model::LayoutNode& cylinder = layout.zones[0].children[0];
  cylinder.head = 4;
  cylinder.head_step = -1;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<Access> accesses = world.accesses(400, seed);
    const auto spindle = find_spindle(accesses, kPeriod_ns);
    REQUIRE(spindle);
    const AngleFit fit = fit_zone_angles(layout, accesses, *spindle);
    REQUIRE(fit.zones.at(0).identified);
    CHECK(statistics::wrap_rev(fit.zones[0].correction.per_head + 0.25) ==
          Approx(0).margin(5 * fit.zones[0].correction.per_head_error));
  }
}

TEST_CASE("a period that pairs have a little wrong is put right by how the phase drifts") {
  World world;
  const std::vector<Access> accesses = world.accesses(1000, 1);
  auto spindle = find_spindle(accesses, kPeriod_ns);
  REQUIRE(spindle);
  for (const double off : {-5e-6, 5e-6}) {
    CAPTURE(off);
    spindle->period_ns = kPeriod_ns * (1 + off);
    const AngleFit fit = fit_zone_angles(one_zone(), accesses, *spindle);
    CHECK(std::abs(spindle->period_ns * (1 + fit.drift) / kPeriod_ns - 1) < 1e-6);
  }
}

TEST_CASE("without neighbours and with wrong skews the spindle is found with the zone's skews") {
  World world;
  world.per_head = 0.23;
  world.per_cylinder = 0.31;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const std::vector<Access> accesses = world.accesses(300, seed, 0);
    CHECK_FALSE(find_spindle(accesses, kPeriod_ns));
    const auto found = find_spindle_blind(one_zone(), accesses, kPeriod_ns);
    REQUIRE(found);
    CHECK(std::abs(found->spindle.period_ns / kPeriod_ns - 1) < 20e-6);
    CHECK(statistics::wrap_rev(found->skews.per_head - 0.23) == Approx(0).margin(0.01));
    CHECK(statistics::wrap_rev(found->skews.per_cylinder - 0.31) == Approx(0).margin(1e-3));
  }
}

TEST_CASE("a spindle 0.1 % off is found with the skews of several zones, none of which would do") {
  // Four zones of 200 cylinders; each access in one of them.
  model::Layout layout;
  for (int zone = 0; zone < 4; ++zone) {
    layout.zones.push_back(one_zone().zones[0]);
    layout.zones.back().cylinder = 200 * zone;
  }
  World world;
  world.period_ns = kPeriod_ns * 1.001;
  world.per_head = 0.23;
  world.per_cylinder = 0.31;
  std::vector<Access> accesses = world.accesses(400, 3, 0);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].zone = i % 4;
    accesses[i].cylinder += 200 * static_cast<std::uint32_t>(i % 4);
  }
  const auto found = find_spindle_blind(layout, accesses, kPeriod_ns);
  REQUIRE(found);
  CHECK(std::abs(found->spindle.period_ns / world.period_ns - 1) < 20e-6);
}

TEST_CASE("completions anywhere keep step with no skews") {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    World world;
    world.locked = false;
    CHECK_FALSE(find_spindle_blind(one_zone(), world.accesses(100, seed, 0), kPeriod_ns));
  }
}

TEST_CASE("a layout that is right stays as it is") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<Access> accesses = World{}.accesses(400, seed);
    const auto spindle = find_spindle(accesses, kPeriod_ns);
    REQUIRE(spindle);
    CHECK_FALSE(fit_zone_angles(one_zone(), accesses, *spindle).zones.at(0).changed);
  }
}

TEST_CASE(
    "spare sectors that come again every 8 cylinders: the skew behind them is one of its own") {
  CHECK(spare_range_cylinders(one_zone(8), 0) == 8);
  CHECK(spare_range_cylinders(one_zone(), 0) == 0);
  World world;
  std::vector<Access> accesses = world.accesses(500, 1);
  for (Access& access : accesses)
    access.completion_ns += 0.13 * std::floor(access.cylinder / 8.0) * kPeriod_ns;
  const auto spindle = find_spindle(accesses, kPeriod_ns);
  REQUIRE(spindle);
  const AngleFit fit = fit_zone_angles(one_zone(8), accesses, *spindle);
  REQUIRE(fit.zones.at(0).identified);
  CHECK(fit.zones.at(0).correction.range == 8);
  CHECK(fit.zones.at(0).coherence_after > 0.99);
  const model::Layout right = corrected(one_zone(8), fit);
  REQUIRE(right.zones.size() == 1);
  CHECK(right.zones[0].count == 25);
  CHECK(right.zones[0].cylinder_step == 8);
  CHECK(statistics::wrap_rev(right.zones[0].angle_step_rev - (0.8 + 0.13)) ==
        Approx(0).margin(2e-3));
}

// Zones of a drive that do what the model's layout lacks: steps of the angle that some of them
// hide, heads that lie elsewhere, commands that complete elsewhere.
#include "calibrate/zone_angles.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "calibrate/phase.h"
#include "catch.h"
#include "statistics/circular.h"

using namespace platter;
using namespace platter::calibrate;

namespace {

constexpr double kRevolution_ns = 8'333'333;
constexpr std::uint32_t kHeads = 5, kCylinders = 200, kSectors = 100;
const Spindle kSpindle{.period_ns = kRevolution_ns, .steady_ns = 1e12};

// Zones side by side; those with a range have spares at the ends of its whole ones.
model::Layout layout_of(const std::vector<std::uint32_t>& ranges) {
  model::Layout layout;
  std::uint64_t slot = 0;
  for (const std::uint32_t range : ranges) {
    model::LayoutNode cylinder;
    cylinder.count = kHeads;
    cylinder.head_step = 1;
    cylinder.angle_step_rev = 0.2;
    cylinder.sectors = kSectors;
    model::LayoutNode zone;
    zone.count = kCylinders;
    zone.cylinder = static_cast<std::int32_t>(layout.zones.size() * kCylinders);
    zone.cylinder_step = 1;
    zone.angle_step_rev = 0.1;
    zone.children = {cylinder};
    layout.zones.push_back(zone);
    const std::uint64_t stride = std::uint64_t{range} * kHeads * kSectors;
    if (range > 0)
      layout.skips.push_back({.first_slot = slot + stride - 20,
                              .length = 20,
                              .count = kCylinders / range,
                              .stride = stride});
    slot += std::uint64_t{kCylinders} * kHeads * kSectors;
  }
  return layout;
}

struct Drive {
  std::vector<ZoneCorrection> zones{};
  std::vector<double> heads = std::vector<double>(kHeads);
  std::array<double, kCommands> commands{};
  std::vector<double> elsewhere = {};  // share of a zone's accesses that are anywhere
  double writes = 0;                   // share

  double angle(std::size_t zone, std::uint32_t cylinder, std::uint32_t head) const {
    const Sample at{.head = static_cast<double>(head), .cylinder = static_cast<double>(cylinder)};
    return zones[zone].angle + correction_at(zones[zone], at) + heads[head];
  }

  std::vector<Access> accesses(std::size_t count, unsigned seed) const {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> any;
    std::normal_distribution<double> noise(0, 0.005);
    std::vector<Access> list;
    double now_ns = 0;
    bool before = false;
    for (std::size_t i = 0; i < count; ++i) {
      Access access;
      access.zone = generator() % zones.size();
      const auto cylinder = static_cast<std::uint32_t>(generator() % kCylinders);
      access.cylinder = static_cast<std::uint32_t>(access.zone) * kCylinders + cylinder;
      access.head = static_cast<std::uint32_t>(generator() % kHeads);
      access.write = any(generator) < writes;
      access.after_write = std::exchange(before, access.write);
      access.request = i;
      access.turn = any(generator);
      now_ns += 10e6 + 20e6 * any(generator);
      double turns = std::floor(now_ns / kRevolution_ns) + access.turn + noise(generator) +
                     angle(access.zone, cylinder, access.head) +
                     commands[command_of(access.write, access.after_write)];
      if (!elsewhere.empty() && any(generator) < elsewhere[access.zone]) turns += any(generator);
      access.completion_ns = turns * kRevolution_ns;
      now_ns = std::max(now_ns, access.completion_ns);
      list.push_back(access);
    }
    return list;
  }
};

using Tracks = std::map<std::pair<std::int64_t, std::int64_t>, double>;  // cylinder, head

void add_tracks(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head,
                double angle, Tracks& tracks) {
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const std::int64_t at = cylinder + node.cylinder + std::int64_t{i} * node.cylinder_step,
                       on = head + node.head + std::int64_t{i} * node.head_step;
    const double turned = angle + node.angle_rev + i * node.angle_step_rev;
    if (node.children.empty()) tracks[{at, on}] = turned;
    for (const model::LayoutNode& child : node.children) add_tracks(child, at, on, turned, tracks);
  }
}

Tracks tracks_of(const model::Layout& layout) {
  Tracks tracks;
  for (const model::LayoutNode& zone : layout.zones) add_tracks(zone, 0, 0, 0, tracks);
  return tracks;
}

// Of all tracks, the share that the corrected layout has where the drive has them, but for one
// constant.
double right_share(const model::Layout& before, const model::Layout& after, const Drive& drive) {
  const Tracks was = tracks_of(before), is = tracks_of(after);
  REQUIRE(was.size() == is.size());
  std::vector<double> off;
  for (const auto& [place, angle] : is) {
    const auto zone = static_cast<std::size_t>(place.first) / kCylinders;
    const auto cylinder = static_cast<std::uint32_t>(place.first) % kCylinders;
    off.push_back(statistics::wrap_rev(
        angle - was.at(place) -
        drive.angle(zone, cylinder, static_cast<std::uint32_t>(place.second))));
  }
  std::size_t most = 0;
  for (const double constant : {off[0], off[off.size() / 3], off[off.size() / 2]})
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(off, [&](double one) {
                      return std::abs(statistics::wrap_rev(one - constant)) < 0.02;
                    })));
  return static_cast<double>(most) / static_cast<double>(off.size());
}

// Six zones with a step behind every 12 cylinders, which half of them tell by their spares.
Drive stepped(unsigned seed) {
  std::mt19937_64 generator(seed);
  Drive drive;
  for (int zone = 0; zone < 6; ++zone)
    drive.zones.push_back({.angle = static_cast<double>(generator() % 100) / 100,
                           .per_head = 0.03,
                           .per_cylinder = 0.017,
                           .per_range = zone == 5 ? -0.41 : 0.41,
                           .range = 12,
                           .first = 12});
  return drive;
}

}  // namespace

TEST_CASE("steps behind every 12 cylinders are found where a zone hides them, with their signs") {
  const model::Layout layout = layout_of({12, 0, 12, 0, 0, 12});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const Drive drive = stepped(seed);
    const AngleFit fit = fit_zone_angles(layout, drive.accesses(600, seed), kSpindle);
    for (const ZoneAngles& zone : fit.zones) {
      CAPTURE(zone.zone, zone.coherence_after);
      CHECK(zone.identified);
      CHECK_FALSE(zone.lags);
      CHECK(zone.coherence_after > 0.98);
      CHECK(zone.correction.range == 12);
    }
    CHECK(fit.heads.empty());
    CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
  }
}

TEST_CASE("steps that no zone tells by its spares, and that begin with the drive, are found") {
  const model::Layout layout = layout_of({0, 0, 0, 0, 0, 0});
  Drive drive = stepped(4);
  for (std::size_t zone = 0; zone < drive.zones.size(); ++zone)
    drive.zones[zone].first = static_cast<std::uint32_t>(12 - (zone * kCylinders) % 12);
  const AngleFit fit = fit_zone_angles(layout, drive.accesses(900, 4), kSpindle);
  CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
}

TEST_CASE("where the first step is, a zone tells alone") {
  const model::Layout layout = layout_of({0});
  Drive drive;
  drive.zones.push_back(
      {.per_head = 0.03, .per_cylinder = 0.017, .per_range = 0.41, .range = 12, .first = 5});
  const AngleFit fit = fit_zone_angles(layout, drive.accesses(300, 6), kSpindle);
  CHECK(fit.zones[0].correction.range == 12);
  CHECK(fit.zones[0].correction.first == 5);
  CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
}

TEST_CASE("a zone with few accesses has what its neighbours have") {
  const model::Layout layout = layout_of({12, 12, 12, 12, 12, 0});
  const Drive drive = stepped(5);
  std::vector<Access> accesses = drive.accesses(900, 5);
  std::size_t of_last = 0;
  std::erase_if(accesses, [&](const Access& access) { return access.zone == 5 && ++of_last > 14; });
  const AngleFit fit = fit_zone_angles(layout, accesses, kSpindle);
  CHECK(fit.zones[5].identified);
  CHECK(fit.zones[5].correction.range == 12);
  CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
}

TEST_CASE("heads that lie elsewhere have an offset each, which all zones share") {
  const model::Layout layout = layout_of({0, 0, 0, 0});
  Drive drive;
  for (int zone = 0; zone < 4; ++zone)
    drive.zones.push_back({.angle = 0.21 * zone, .per_head = 0.05, .per_cylinder = 0.11});
  drive.heads = {0.06, -0.05, 0.02, 0.08, -0.09};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const AngleFit fit = fit_zone_angles(layout, drive.accesses(500, seed), kSpindle);
    REQUIRE(fit.heads.size() == kHeads);
    CHECK(fit.coherence > 0.99);
    CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
  }
}

TEST_CASE("commands that complete elsewhere behind one of the other kind leave the angles right") {
  const model::Layout layout = layout_of({0, 0, 0, 0});
  Drive drive;
  for (int zone = 0; zone < 4; ++zone)
    drive.zones.push_back({.angle = 0.21 * zone, .per_head = 0.05, .per_cylinder = 0.11});
  drive.writes = 0.4;
  drive.commands = {0, -0.07, 0.2, 0.13};  // all behind writes 0.07 earlier
  const AngleFit fit = fit_zone_angles(layout, drive.accesses(800, 1), kSpindle);
  CHECK(fit.after_other[false] == Approx(-0.07).margin(0.003));
  CHECK(fit.after_other[true] == Approx(0.07).margin(0.003));
  CHECK(fit.spread_rev == Approx(0.005).margin(0.002));
  CHECK(fit.heads.empty());
  CHECK(right_share(layout, corrected(layout, fit), drive) > 0.99);
  drive.commands = {0, 0, 0.2, 0.2};
  const AngleFit plain = fit_zone_angles(layout, drive.accesses(800, 2), kSpindle);
  CHECK(plain.after_other[false] == 0);
  CHECK(plain.after_other[true] == 0);
}

TEST_CASE("a zone that keeps step far less well than the others is not found") {
  const model::Layout layout = layout_of({0, 0, 0, 0, 0});
  Drive drive;
  for (int zone = 0; zone < 5; ++zone)
    drive.zones.push_back({.angle = 0.21 * zone, .per_head = 0.05, .per_cylinder = 0.11});
  drive.elsewhere = {0.03, 0.03, 0.4, 0.03, 0.03};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const AngleFit fit = fit_zone_angles(layout, drive.accesses(700, seed), kSpindle);
    for (const ZoneAngles& zone : fit.zones) CHECK(zone.lags == (zone.zone == 2));
  }
}

TEST_CASE("right skews are no steps, and equal heads have no offsets") {
  const model::Layout layout = layout_of({12, 0, 12, 0});
  Drive drive;
  for (int zone = 0; zone < 4; ++zone) drive.zones.push_back({.angle = 0.21 * zone});
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const AngleFit fit = fit_zone_angles(layout, drive.accesses(400, seed), kSpindle);
    CHECK(fit.heads.empty());
    for (const ZoneAngles& zone : fit.zones) {
      CHECK(zone.correction.range == 0);
      CHECK_FALSE(zone.lags);
    }
  }
}

#include "mtbrc/angle.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "catch.h"
#include "mtbrc/access.h"
#include "mtbrc/rotation.h"
#include "plain_disk.h"
#include "scsi/drive.h"
#include "statistics/circular.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;
using statistics::wrap_rev;

namespace {

// Errors of the angles of tracks all over the layout, the first LBN's track being the origin.
std::vector<double> angle_errors(const model::Layout& found, const model::Layout& truth) {
  const engine::LayoutMap a(found), b(truth);
  const double origin = engine::rev_from_angle(b.track_of_slot(0).angle);
  std::vector<double> errors;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t slot = (a.slots() - 1) / 499 * i;
    errors.push_back(wrap_rev(engine::rev_from_angle(a.track_of_slot(slot).angle) -
                              engine::rev_from_angle(b.track_of_slot(slot).angle) + origin));
  }
  return errors;
}

double root_mean_square(const std::vector<double>& errors) {
  double squares = 0;
  for (double e : errors) squares += e * e;
  return std::sqrt(squares / static_cast<double>(errors.size()));
}

// By sectors that no angle rests on.
bool tells_odd_tracks(const LayoutAngles& found) {
  return std::ranges::any_of(found.notes, [](const model::Noted& note) {
    return note.kind() == &model::kind_of(model::Code::angles_odd) &&
           note.text().find("read to check them") != std::string::npos;
  });
}

struct Bench {
  explicit Bench(const plain::Shape& shape, std::uint64_t seed)
      : disk(shape, seed), drive(disk, "plain disk"), context(drive, seed) {
    drive.identify();
    measure_rotation(context, 0);
  }
  plain::Disk disk;
  scsi::Drive drive;
  Context context;
};

}  // namespace

TEST_CASE("angles: every track of a noisy disk within microseconds") {
  constexpr std::uint64_t kSeeds = 20;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const plain::Shape shape = plain::small_shape();
    Bench bench(shape, seed);
    const Nanoseconds start = bench.drive.now_ns();
    const auto found = measure_layout_angles(bench.context, bench.disk.layout(false));
    const auto errors = angle_errors(found.layout, bench.disk.layout(true));
    const double rms_us = root_mean_square(errors) * shape.period_ns * 1e-3;
    INFO("rms " << rms_us << " us, claimed " << *found.layout.angle.error * shape.period_ns * 1e-3
                << " us, " << to_ms(bench.drive.now_ns() - start) << " ms of drive time");
    CHECK(found.complete);
    CHECK(found.layout.zones.size() == 2);
    CHECK(rms_us < 25);
    CHECK(rms_us < 4 * *found.layout.angle.error * shape.period_ns * 1e-3);
    CHECK(to_ms(bench.drive.now_ns() - start) < 6000);
    squares += rms_us * rms_us / kSeeds;
  }
  CHECK(std::sqrt(squares) < 8);
}

TEST_CASE("angles: a skew that changes inside a zone is found and the zone cut there") {
  plain::Shape shape = plain::small_shape();
  shape.zones = {{0, 433, 300, 0.0, 0.19, 0.31},
                 {433, 267, 300, 0.8, 0.21, 0.31},
                 {700, 800, 240, 0.37, 0.17, 0.29}};
  Bench bench(shape, 7);
  model::Layout blind = bench.disk.layout(false);
  blind.zones[0].count = 700;
  blind.zones.erase(blind.zones.begin() + 1);
  const auto found = measure_layout_angles(bench.context, blind);
  REQUIRE(found.layout.zones.size() == 3);
  CHECK(found.layout.zones[0].count == 433);
  CHECK(found.layout.zones[1].count == 267);
  CHECK(root_mean_square(angle_errors(found.layout, bench.disk.layout(true))) * shape.period_ns <
        25e3);
}

// The head skew is known by two of these alone, and wrongly.
TEST_CASE("angles: what was read beyond a break before does not move where it is found") {
  constexpr std::uint32_t kBreak = 21, kSectors = 300;
  plain::Shape shape = plain::small_shape();
  shape.zones = {{0, kBreak, kSectors, 0.0, 0.19, 0.31},
                 {kBreak, 679, kSectors, std::fmod(kBreak * 0.31 + 0.27, 1), 0.19, 0.31},
                 {700, 800, 240, 0.37, 0.17, 0.29}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Bench bench(shape, seed);
    Accesses accesses(bench.context);
    for (const auto& [cylinder, head] : {std::pair{152U, 3U}, {56U, 1U}, {155U, 3U}, {266U, 0U}})
      for (std::uint32_t sector = 0; sector < 4; ++sector)
        accesses.probe(Experiment::angle, (cylinder * shape.heads + head) * kSectors + 71 * sector);
    model::Layout blind = bench.disk.layout(false);
    blind.zones[0].count = 700;
    blind.zones.erase(blind.zones.begin() + 1);
    const auto found = measure_layout_angles(bench.context, blind);
    INFO("seed " << seed);
    CHECK(found.complete);
    REQUIRE(found.layout.zones.size() == 3);
    CHECK(found.layout.zones[0].count == kBreak);
  }
}

// Neither the cylinder nor the head alone shows it: the first head's tracks follow one rule all
// over.
TEST_CASE("angles: a head skew that changes inside a part of a zone is found") {
  plain::Shape shape = plain::small_shape();
  constexpr std::uint32_t kBefore = 433, kBehind = 267;
  constexpr double kCylinderSkew = 0.31;
  shape.zones = {
      {0, kBefore, 300, 0.0, 0.19, kCylinderSkew},
      {kBefore, kBehind, 300, std::fmod(kBefore * kCylinderSkew, 1), 0.21, kCylinderSkew}};
  Bench bench(shape, 7);
  model::Layout blind = bench.disk.layout(false);
  model::LayoutNode part = blind.zones.front();
  part.count = kBefore + kBehind;
  blind.zones = {model::LayoutNode{}};
  blind.zones.front().children = {part};
  const auto found = measure_layout_angles(bench.context, blind);
  REQUIRE(found.layout.zones.size() == 1);
  REQUIRE(found.layout.zones.front().children.size() == 2);
  CHECK(found.layout.zones.front().children.front().count == kBefore);
  CHECK(root_mean_square(angle_errors(found.layout, bench.disk.layout(true))) * shape.period_ns <
        25e3);
}

// Its reads then scatter more than the reference reads promised, and no number of them makes the
// next track sure.
// The last track of each chain has a sector in front of its first block that no map tells of: a
// line through both ends alone is turned by it.
TEST_CASE("angles: a track in the middle of each chain shows that its end is another's",
          "[.long]") {
  constexpr std::uint32_t kChains = 24, kLong = 12, kSectors = 36;
  constexpr double kSkew = 0.26;
  plain::Shape shape = plain::small_shape();
  shape.heads = 1;
  shape.zones.clear();
  for (std::uint32_t chain = 0; chain < kChains; ++chain) {
    const std::uint32_t first = chain * (kLong + 1);
    const double angle = std::fmod(0.37 * chain, 1);
    const double last = std::fmod(angle + kLong * kSkew + 1.0 / kSectors, 1);
    shape.zones.push_back({first, kLong, kSectors, angle, 0, kSkew});
    shape.zones.push_back({first + kLong, 1, kSectors, last, 0, kSkew});
  }
  Bench bench(shape, 5);
  model::Layout blind = bench.disk.layout(false);
  model::LayoutNode zone;
  for (std::uint32_t chain = 0; chain < kChains; ++chain) {
    zone.children.push_back(blind.zones[2 * chain]);
    zone.children.back().count = kLong + 1;
  }
  blind.zones = {zone};
  const auto found = measure_layout_angles(bench.context, blind);
  for (const double error_rev : angle_errors(found.layout, bench.disk.layout(true)))
    CHECK(std::abs(error_rev) < 0.006);
}

// In the second half of each group all tracks but the first lie a sector elsewhere; the groups are
// a hundredth of their zone.
TEST_CASE("angles: a track within each repetition shows that it is not like the others") {
  constexpr std::uint32_t kMost = 10'000, kGroups = 4, kLong = 12, kSectors = 36;
  constexpr double kSkew = 0.26, kGroupSkew = 0.41, kOff = 1.0 / kSectors;
  plain::Shape shape = plain::small_shape();
  shape.heads = 1;
  shape.zones = {{0, kMost, kSectors, 0, 0, kSkew}};
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    const std::uint32_t first = kMost + group * 2 * kLong;
    const double angle = std::fmod(0.37 * group, 1), second = std::fmod(angle + kGroupSkew, 1);
    shape.zones.push_back({first, kLong, kSectors, angle, 0, kSkew});
    shape.zones.push_back({first + kLong, 1, kSectors, second, 0, kSkew});
    shape.zones.push_back(
        {first + kLong + 1, kLong - 1, kSectors, std::fmod(second + kSkew + kOff, 1), 0, kSkew});
  }
  Bench bench(shape, 5);
  model::Layout blind = bench.disk.layout(false);
  model::LayoutNode zone;
  zone.children = {blind.zones.front()};
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    model::LayoutNode half = blind.zones[1 + 3 * group], both;
    both.cylinder = std::exchange(half.cylinder, 0);
    both.count = 2;
    both.cylinder_step = kLong;
    both.children = {half};
    zone.children.push_back(both);
  }
  blind.zones = {zone};
  const auto found = measure_layout_angles(bench.context, blind);
  const engine::LayoutMap ours(found.layout), truth(bench.disk.layout(true));
  for (std::uint64_t track = kMost; track < kMost + 2ull * kGroups * kLong; ++track) {
    const std::uint64_t slot = track * kSectors;
    CHECK(std::abs(wrap_rev(engine::rev_from_angle(ours.track_of_slot(slot).angle) -
                            engine::rev_from_angle(truth.track_of_slot(slot).angle))) < 0.006);
  }
}

TEST_CASE("angles: where tracks lie elsewhere than the rule has them, its errors say so") {
  plain::Shape shape = plain::small_shape();
  shape.heads = 1;
  shape.zones.clear();
  constexpr std::uint32_t kLong = 400, kEach = 20;
  for (std::uint32_t first = 0; first < kLong; first += kEach) {
    shape.zones.push_back({first, kEach - 1, 200, std::fmod(0.31 * first, 1), 0, 0.31});
    shape.zones.push_back(
        {first + kEach - 1, 1, 200, std::fmod(0.31 * (first + kEach - 1) + 0.02, 1), 0, 0.31});
  }
  const model::Layout truth = plain::Disk(shape, 1).layout(false);
  model::Layout blind = truth;
  blind.zones = {truth.zones.front()};
  blind.zones.front().count = kLong;
  AngleOptions options;
  options.most_splits = 0;
  options.random_tracks = 80;
  Bench bench(shape, 5);
  const auto odd = measure_layout_angles(bench.context, blind, options);
  for (plain::Zone& zone : shape.zones)
    if (zone.cylinders == 1) zone.angle = std::fmod(zone.angle + 0.98, 1);
  Bench regular(shape, 5);
  const auto all_alike = measure_layout_angles(regular.context, blind, options);
  REQUIRE(odd.layout.zones.front().angle_step_error_rev);
  REQUIRE(all_alike.layout.zones.front().angle_step_error_rev);
  CHECK(*odd.layout.zones.front().angle_step_error_rev >
        3 * *all_alike.layout.zones.front().angle_step_error_rev);
}

TEST_CASE("angles: a few tracks that lie elsewhere are told, though none of them was surveyed") {
  constexpr std::uint32_t kLong = 2000, kEach = 40;
  for (const double off : {0.05, 0.0}) {
    plain::Shape shape = plain::small_shape();
    shape.heads = 1;
    shape.zones.clear();
    for (std::uint32_t first = 0; first < kLong; first += kEach) {
      const std::uint32_t odd = first + kEach / 2;
      shape.zones.push_back({first, odd - first, 200, std::fmod(0.31 * first, 1), 0, 0.31});
      shape.zones.push_back({odd, 1, 200, std::fmod(0.31 * odd + off, 1), 0, 0.31});
      shape.zones.push_back({odd + 1, kEach / 2 - 1, 200, std::fmod(0.31 * (odd + 1), 1), 0, 0.31});
    }
    Bench bench(shape, 5);
    model::Layout blind = bench.disk.layout(false);
    blind.zones = {blind.zones.front()};
    blind.zones.front().count = kLong;
    const auto found = measure_layout_angles(bench.context, blind);
    CHECK(found.complete);
    CHECK(tells_odd_tracks(found) == (off > 0));
  }
}

TEST_CASE("angles: a host that becomes noisy on the way does not hold them up") {
  for (const std::uint64_t change : {660U, 680U, 820U}) {
    plain::Shape shape = plain::small_shape();
    shape.host_changes_at = change;
    shape.host_later_us = 60;
    Bench bench(shape, 5);
    measure_layout_angles(bench.context, bench.disk.layout(false));
    INFO("from command " << change);
    CHECK(bench.disk.commands() < 20'000);
  }
}

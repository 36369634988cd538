#include "model/surfaces.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catch.h"
#include "model/error.h"
#include "model/validate.h"
#include "random_model.h"

namespace platter::model {
namespace {

// One track after the other, as the definition of the layout says; nothing of the code under test.
struct PlainTrack {
  std::int64_t cylinder = 0, head = 0;
  double angle = 0;
  std::uint32_t sectors = 0;
};

void play(const LayoutNode& node, PlainTrack at, std::vector<PlainTrack>& tracks) {
  at.cylinder += node.cylinder;
  at.head += node.head;
  at.angle += node.angle_rev;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    at.sectors = node.sectors;
    if (node.sectors > 0) tracks.push_back(at);
    for (const LayoutNode& child : node.children) play(child, at, tracks);
    at.cylinder += node.cylinder_step;
    at.head += node.head_step;
    at.angle += node.angle_step_rev;
  }
}

std::vector<PlainTrack> tracks_of(const Layout& layout) {
  std::vector<PlainTrack> tracks;
  for (const LayoutNode& zone : layout.zones) play(zone, {}, tracks);
  return tracks;
}

std::vector<bool> skipped(const Layout& layout) {
  std::vector<bool> slots(count_slots(layout));
  for (const Skip& skip : layout.skips)
    for (std::uint64_t i = 0; i < skip.count; ++i)
      for (std::uint64_t j = 0; j < skip.length; ++j)
        slots.at(skip.first_slot + i * skip.stride + j) = true;
  return slots;
}

// How many LBNs every track holds.
std::vector<std::uint32_t> blocks_of_tracks(const Layout& layout) {
  const std::vector<bool> skips = skipped(layout);
  std::vector<std::uint32_t> blocks;
  std::size_t slot = 0;
  for (const PlainTrack& track : tracks_of(layout)) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < track.sectors; ++i) count += !skips[slot++];
    blocks.push_back(count);
  }
  return blocks;
}

double skew(const PlainTrack& from, const PlainTrack& to) {
  const double turns = to.angle - from.angle;
  return turns - std::floor(turns);
}

bool same_angle(double a, double b) { return std::fabs(std::remainder(a - b, 1)) < 1e-9; }

DriveModel drive(std::vector<LayoutNode> zones, std::vector<Skip> skips = {}) {
  DriveModel model;
  model.layout.zones = std::move(zones);
  model.layout.skips = std::move(skips);
  model.identity.blocks = count_blocks(model.layout);
  return model;
}

LayoutNode run(std::uint32_t heads, std::uint32_t sectors) {
  return {
      .count = heads, .head_step = 1, .angle_step_rev = 0.15, .sectors = sectors, .children = {}};
}

LayoutNode cylinders(std::uint32_t count, LayoutNode inner) {
  return {
      .count = count, .cylinder_step = 1, .angle_step_rev = 0.55, .children = {std::move(inner)}};
}

std::string refusal(DriveModel model, std::uint32_t heads) {
  try {
    set_heads(model, heads);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return error.what();
  }
  return "";
}

TEST_CASE("more heads: every cylinder has all of them, and every skew is one that was there") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO(seed);
    DriveModel model = RandomModel(seed).make();
    model.arms.reset();
    if (model.identity.heads < 2) continue;
    const std::uint32_t heads = model.identity.heads;
    const std::uint32_t wanted = heads + 1 + static_cast<std::uint32_t>(seed % 7);
    const auto before = tracks_of(model.layout);
    set_heads(model, wanted);
    validate(model, "derived");
    const auto after = tracks_of(model.layout);
    REQUIRE(after.size() == before.size() / heads * wanted);
    CHECK(model.identity.heads == wanted);
    for (std::size_t i = 0; i < after.size(); i += wanted) {
      const std::size_t old = i / wanted * heads;
      std::set<std::int64_t> seen;
      for (std::size_t j = 0; j < wanted; ++j) {
        seen.insert(after[i + j].head);
        REQUIRE(after[i + j].cylinder == before[old].cylinder);
        REQUIRE(after[i + j].sectors == before[old].sectors);
        if (j > 0)
          REQUIRE(
              same_angle(skew(after[i + j - 1], after[i + j]), skew(before[old], before[old + 1])));
      }
      REQUIRE((seen.size() == wanted && *seen.begin() == 0 && *seen.rbegin() == wanted - 1));
      if (i > 0)
        REQUIRE(same_angle(skew(after[i - 1], after[i]), skew(before[old - 1], before[old])));
    }
  }
}

TEST_CASE("back to the heads that it had is the drive that it was") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO(seed);
    DriveModel model = RandomModel(seed).make();
    model.arms.reset();
    if (model.identity.heads < 2) continue;
    DriveModel there = model;
    set_heads(there, 2 * model.identity.heads + 1);
    set_heads(there, model.identity.heads);
    const auto before = tracks_of(model.layout), after = tracks_of(there.layout);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      REQUIRE(after[i].cylinder == before[i].cylinder);
      REQUIRE(after[i].head == before[i].head);
      REQUIRE(same_angle(after[i].angle, before[i].angle));
    }
    if (skipped(there.layout) == skipped(model.layout)) {  // no skip was typical or at a cylinder's
                                                           // end
      CHECK(there.identity.blocks == model.identity.blocks);
      REQUIRE(there.layout.remaps.size() == model.layout.remaps.size());
      for (std::size_t i = 0; i < model.layout.remaps.size(); ++i) {
        CHECK(there.layout.remaps[i].lbn == model.layout.remaps[i].lbn);
        CHECK(there.layout.remaps[i].slot == model.layout.remaps[i].slot);
      }
      if (model.imperfections)
        CHECK(there.imperfections->medium_errors == model.imperfections->medium_errors);
    }
  }
}

TEST_CASE("serpentines through the cylinders turn at the new heads") {
  LayoutNode up = run(4, 20), down = run(4, 20);
  down.cylinder = 1;
  down.head = 3;
  down.head_step = -1;
  LayoutNode zone{.count = 5, .cylinder_step = 2, .children = {up, down}};
  DriveModel model = drive({zone});
  set_heads(model, 6);
  const auto tracks = tracks_of(model.layout);
  REQUIRE(tracks.size() == 60);
  for (std::int64_t i = 0; i < 12; ++i)
    CHECK(tracks[static_cast<std::size_t>(i)].head == (i < 6 ? i : 11 - i));
}

TEST_CASE("bands of a surface serpentine take heads two at a time") {
  LayoutNode in{.count = 7, .cylinder_step = 1, .sectors = 20, .children = {}};
  LayoutNode out{
      .count = 7, .cylinder = 6, .cylinder_step = -1, .head = 1, .sectors = 20, .children = {}};
  LayoutNode band{.count = 2, .head_step = 2, .angle_step_rev = 0.3, .children = {in, out}};
  LayoutNode zone{.count = 3, .cylinder_step = 7, .children = {band}};
  DriveModel model = drive({zone}, {{7 * 20 * 4 - 5, 5, 3, 7 * 20 * 4}});  // spares at a band's end
  set_heads(model, 8);
  CHECK(count_slots(model.layout) == 3 * 8 * 7 * 20);
  CHECK(model.identity.blocks == 3 * (8 * 7 * 20 - 5));
  REQUIRE(model.layout.skips.size() == 1);
  CHECK(model.layout.skips[0].first_slot == 7 * 20 * 8 - 5);
  CHECK(model.layout.skips[0].stride == 7 * 20 * 8);
  CHECK(refusal(drive({zone}), 5).find("multiple") != std::string::npos);
  DriveModel of_two_arms = drive({zone});
  of_two_arms.arms.emplace();
  CHECK(refusal(of_two_arms, 5).find("arms") != std::string::npos);
}

TEST_CASE("spares of every track: new tracks have them too") {
  DriveModel model = drive({cylinders(10, run(4, 30))}, {{28, 2, 40, 30}});
  set_heads(model, 7);
  REQUIRE(model.layout.skips.size() == 1);
  CHECK(model.layout.skips[0].count == 70);
  CHECK(model.layout.skips[0].stride == 30);
  for (const std::uint32_t blocks : blocks_of_tracks(model.layout)) CHECK(blocks == 28);
}

TEST_CASE(
    "spares of every track, one of which slipped for a defect: new tracks have the usual ones") {
  DriveModel model = drive({cylinders(2, run(4, 30))},
                           {{28, 2, 1, 0}, {35, 1, 1, 0}, {59, 1, 1, 0}, {88, 2, 6, 30}});
  set_heads(model, 6);
  CHECK(count_blocks(model.layout) == 12 * 28);
  const std::vector<bool> slots = skipped(model.layout);
  CHECK(slots[35]);  // the defect is on the track where it was, and nowhere else
  CHECK(!slots[65]);
}

TEST_CASE("spares of every cylinder stay one to a cylinder, at its end") {
  DriveModel model = drive({cylinders(10, run(4, 30))}, {{115, 5, 10, 120}});
  set_heads(model, 6);
  REQUIRE(model.layout.skips.size() == 1);
  CHECK(model.layout.skips[0].first_slot == 175);
  CHECK(model.layout.skips[0].stride == 180);
  CHECK(model.layout.skips[0].count == 10);
  CHECK(model.identity.blocks == 10 * 175);
}

TEST_CASE("a spare track and a half at each cylinder's end") {
  DriveModel model = drive({cylinders(10, run(4, 30))}, {{75, 45, 10, 120}});
  set_heads(model, 5);
  for (std::size_t i = 0; i < 50; ++i)
    CHECK(blocks_of_tracks(model.layout)[i] == (i % 5 < 3 ? 30 : i % 5 == 3 ? 15 : 0));
}

TEST_CASE("whole cylinders that hold nothing stay whole; a defect stays in its place") {
  DriveModel model = drive({cylinders(10, run(4, 30))},
                           {{0, 120, 1, 0}, {127, 1, 1, 0}, {600, 240, 1, 0}});
  set_heads(model, 8);
  REQUIRE(model.layout.skips.size() == 3);
  CHECK(model.layout.skips[0].length == 240);
  CHECK(model.layout.skips[1].first_slot == 247);
  CHECK(model.layout.skips[1].length == 1);
  CHECK(model.layout.skips[2].first_slot == 1200);
  CHECK(model.layout.skips[2].length == 480);
}

TEST_CASE("remapped blocks and medium errors keep their places on the disk") {
  DriveModel model = drive({cylinders(10, run(4, 30))}, {{115, 5, 10, 120}});
  model.layout.remaps = {{7, 115}, {115 + 60, 236}};  // cylinder 0, and cylinder 1 head 2
  model.imperfections.emplace().medium_errors = {115 * 3 + 31};
  set_heads(model, 6);
  validate(model, "derived");
  REQUIRE(model.layout.remaps.size() == 2);
  CHECK(model.layout.remaps[0].lbn == 7);
  CHECK(model.layout.remaps[0].slot == 175);
  CHECK(model.layout.remaps[1].lbn == 175 + 60);
  CHECK(model.layout.remaps[1].slot == 180 + 176);
  CHECK(model.imperfections->medium_errors == std::vector<std::uint64_t>{175 * 3 + 31});
}

TEST_CASE("fewer heads: what was on them is gone") {
  DriveModel model = drive({cylinders(10, run(4, 30))}, {{115, 5, 10, 120}});
  model.layout.remaps = {{7, 115}, {115 + 85, 236}};  // cylinder 1 head 2 is one that goes
  model.imperfections.emplace().medium_errors = {65};
  set_heads(model, 3);
  validate(model, "derived");
  CHECK(model.identity.blocks == 10 * 85);
  REQUIRE(model.layout.remaps.size() == 1);
  CHECK(model.layout.remaps[0].slot == 85);
  CHECK(model.imperfections->medium_errors.empty());
}

TEST_CASE("what the drive holds back at its end stays as many blocks") {
  DriveModel model = drive({cylinders(10, run(4, 30))});
  model.identity.blocks -= 77;
  set_heads(model, 5);
  CHECK(model.identity.blocks == 10 * 5 * 30 - 77);
}

TEST_CASE("layouts whose heads are no even runs are refused") {
  const auto tells = [](const DriveModel& model, std::uint32_t heads, const std::string& words) {
    const std::string sentence = refusal(model, heads);
    INFO(sentence);
    CHECK(sentence.find(words) != std::string::npos);
    CHECK(sentence.find('\n') == std::string::npos);
  };
  tells(DriveModel(), 4, "the model has none");
  tells(drive({cylinders(10, run(1, 30))}), 4, "one head");
  tells(drive({cylinders(10, run(4, 30))}), 0, "0 heads");
  // A zone that ends in the middle of a cylinder, and one that is told track by track.
  tells(drive({cylinders(10, run(4, 30)),
               {.count = 2, .cylinder = 10, .head_step = 1, .sectors = 30, .children = {}}}),
        5, "layout.zones[1]");
  LayoutNode list{
      .count = 10,
      .cylinder_step = 1,
      .children = {{.sectors = 30, .children = {}}, {.head = 1, .sectors = 29, .children = {}}}};
  tells(drive({list}), 4, "layout.zones[0].children[0]");
}

}  // namespace
}  // namespace platter::model

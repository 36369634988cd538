#include "emit/disksim_check/g1_walk.h"

#include "catch.h"

using namespace platter::emit_disksim_check;

namespace {

// Two cylinders of two tracks of 10 sectors, one zone.
G1Drive drive_of(std::int64_t scheme, std::int64_t spares, std::vector<std::int64_t> slips = {}) {
  G1Drive drive{scheme, 1, 2, 2, {}};
  G1Zone zone{.first = 0, .last = 1, .sectors = 10, .spares = spares};
  zone.slips = std::move(slips);
  const bool each_cylinder = scheme == kPerCylinder || scheme == kRange;
  zone.blocks = 40 - spares * (each_cylinder ? 2 : 1);
  drive.zones.push_back(zone);
  return drive;
}

}  // namespace

TEST_CASE("spares of a zone, in order, contradict nothing") {
  CHECK(walk_g1(drive_of(kZone, 3, {4, 17})).empty());
  CHECK(walk_g1(drive_of(kZone, 3)).empty());
}

TEST_CASE("a slip in a cylinder with spares of its own hides one block, in its next cylinder") {
  // Of 18 blocks in the first cylinder the last lies, by DiskSim's way there, on the second one.
  const std::vector<BadBlocks> bad = walk_g1(drive_of(kPerCylinder, 2, {4}));
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].first == 17);
  CHECK(bad[0].last == 17);
  CHECK(walk_g1(drive_of(kPerCylinder, 2)).empty());
}

TEST_CASE("remapped blocks count where a block is remapped") {
  G1Drive drive = drive_of(kZone, 3, {4});
  drive.zones[0].defects = {{20, 38}};
  const std::vector<BadBlocks> bad = walk_g1(drive);
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].first == 19);            // one slip in front of sector 20
  drive.zones[0].defects = {{39, 38}};  // a spare that no block lies on
  CHECK(walk_g1(drive).empty());
}

TEST_CASE("more slips than spares put the last blocks behind the zone") {
  G1Drive drive = drive_of(kZone, 1, {3, 5, 7});
  const std::vector<BadBlocks> bad = walk_g1(drive);
  REQUIRE(!bad.empty());
  CHECK(bad.back().last == 38);
}

TEST_CASE("a last cylinder that no block lies on may be missing") {
  G1Drive drive = drive_of(kZone, 21);
  drive.zones[0].blocks = 19;
  drive.cylinders = 1;
  CHECK(walk_g1(drive).empty());
  drive = drive_of(kZone, 0);
  drive.cylinders = 1;
  const std::vector<BadBlocks> bad = walk_g1(drive);
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].first == 20);
  CHECK(bad[0].last == 39);
}

TEST_CASE("the order of slips counts where it moves a block") {
  const G1Drive in_order = drive_of(kZone, 3, {4, 30});
  CHECK_FALSE(is_moved_by_order(in_order.zones[0], in_order));
  const G1Drive next = drive_of(kZone, 3, {11, 4});
  CHECK(is_moved_by_order(next.zones[0], next));
}

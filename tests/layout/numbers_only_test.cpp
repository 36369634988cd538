// Drives that translate blocks to places and nothing back: sector numbers alone must tell how long
// tracks are, and where they begin.

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"

namespace platter::layout::testing {
namespace {

// Cylinders filled head by head, zone after zone; for each zone the sectors of each head.
model::Layout head_first(std::int32_t cylinders,
                         const std::vector<std::vector<std::uint32_t>>& zones) {
  model::Layout layout;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    model::LayoutNode zone;
    zone.count = static_cast<std::uint32_t>(cylinders);
    zone.cylinder = static_cast<std::int32_t>(i) * cylinders;
    zone.cylinder_step = 1;
    for (std::size_t head = 0; head < zones[i].size(); ++head) {
      model::LayoutNode track;
      track.head = static_cast<std::int32_t>(head);
      track.sectors = zones[i][head];
      zone.children.push_back(track);
    }
    layout.zones.push_back(zone);
  }
  return layout;
}

constexpr Behaviour kOneWay{.gives_primary = true, .gives_grown = true, .translates_back = false};

TEST_CASE("heads with tracks of their own length are told by the highest numbers") {
  const model::Layout truth = head_first(
      300, {{97, 84, 100, 91, 88, 95}, {90, 84, 87, 85, 88, 83}, {75, 70, 78, 72, 71, 77}});
  SyntheticTranslator drive(truth, kOneWay);
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 2'500);
}

TEST_CASE("bands of surfaces with tracks of their own length are told by the highest numbers") {
  model::Layout truth;
  const std::vector<std::vector<std::uint32_t>> zones{{97, 84, 100}, {85, 79, 82}};
  for (std::int32_t i = 0; i < 2; ++i) {
    model::LayoutNode zone;
    zone.count = 20;
    zone.cylinder = 400 * i;
    zone.cylinder_step = 20;
    for (std::int32_t head = 0; head < 3; ++head) {
      model::LayoutNode band;
      band.head = head;
      band.count = 20;
      band.cylinder = head % 2 * 19;
      band.cylinder_step = head % 2 == 0 ? 1 : -1;
      band.sectors = zones[static_cast<std::size_t>(i)][static_cast<std::size_t>(head)];
      zone.children.push_back(band);
    }
    truth.zones.push_back(zone);
  }
  SyntheticTranslator drive(truth, kOneWay);
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 3'000);
}

TEST_CASE("a lowest number above 1 has spares in front of it") {
  for (const std::uint32_t base : {0U, 1U}) {
    model::Layout truth = head_first(500, {{90, 90, 90}, {80, 80, 80}});
    truth.skips = {{0, 4 - base, 1500, 90}, {135'000, 4 - base, 1500, 80}};
    Behaviour behaviour = kOneWay;
    behaviour.base = base;
    SyntheticTranslator drive(truth, behaviour);
    const Extraction found = by_address_translation(drive);
    // Where no number below 2 is seen, that numbers start at 0 is as good as at 1.
    if (base == 0) CHECK(difference(truth, found.layout, true) == "");
    CHECK(engine::LayoutMap(found.layout).pbn_of_lbn(0).sector == 4);
    CHECK(found.translations < 2'500);
  }
}

TEST_CASE("spares in front of groups of cylinders are counted without the cylinders left out") {
  // Cylinder serpentines of 4 heads; every 50th cylinder is not used, groups of 7 are of used ones.
  model::Layout truth;
  constexpr std::uint64_t kCylinders = 600;
  std::int32_t cylinder = 0;
  for (std::uint64_t i = 0; i < kCylinders; ++i, ++cylinder) {
    if (i % 49 == 48) ++cylinder;
    model::LayoutNode tracks;
    tracks.count = 4;
    tracks.cylinder = cylinder;
    tracks.head = i % 2 == 0 ? 0 : 3;
    tracks.head_step = i % 2 == 0 ? 1 : -1;
    tracks.sectors = 100;
    truth.zones.push_back(tracks);
  }
  truth.skips = {{0, 19, kCylinders / 7 + 1, 2800}};
  SyntheticTranslator drive(truth, kOneWay);
  const Extraction found = by_address_translation(drive);
  CHECK(found.layout.not_understood.empty());
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 4'000);
}

}  // namespace
}  // namespace platter::layout::testing

#include "layout/impossible_remaps.h"

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "model/validate.h"
#include "virtual_drive/defects.h"

using namespace platter;
using namespace platter::layout;

namespace {

// Ten tracks of 20 sectors, the last two of each are spares.
model::DriveModel with_remaps(std::vector<model::Remap> remaps) {
  model::DriveModel model;
  model.identity.blocks = 180;
  model::LayoutNode zone;
  zone.count = 10;
  zone.cylinder_step = 1;
  zone.sectors = 20;
  model.layout.zones = {zone};
  model.layout.skips = {{18, 2, 10, 20}};
  model.layout.remaps = std::move(remaps);
  return model;
}

}  // namespace

TEST_CASE("impossible remaps: what no valid layout has is taken out, and its blocks are named") {
  // In order: possible; to a place of the sequence; two to one spare; past the end; twice, in
  // disorder.
  model::DriveModel model =
      with_remaps({{3, 18}, {40, 41}, {50, 38}, {60, 38}, {70, 200}, {90, 78}, {80, 58}, {90, 79}});
  const auto taken = take_out_impossible_remaps(model.layout);
  std::vector<std::uint64_t> blocks;
  for (const auto& block : taken) {
    CHECK(block.first_lbn == block.last_lbn);
    CHECK_FALSE(block.reason.empty());
    blocks.push_back(block.first_lbn);
  }
  CHECK(blocks == std::vector<std::uint64_t>{40, 50, 60, 70, 90});
  REQUIRE(model.layout.remaps.size() == 2);
  CHECK(model.layout.remaps[0].lbn == 3);
  CHECK(model.layout.remaps[1].slot == 58);
  add_not_understood(model.layout.not_understood, taken);
  CHECK_NOTHROW(model::validate(model, "model"));
}

// Spares that hold nothing but a remapped block, on tracks whose heads have other lengths, and no
// translation back: the drive's answers alone do not say how long a track is.
TEST_CASE("impossible remaps: whatever a drive answers, its map is a valid one") {
  model::DriveModel truth;
  model::LayoutNode zone;
  zone.count = 40;
  zone.cylinder_step = 20;
  for (const std::uint32_t head : {0, 1, 2}) {
    model::LayoutNode tracks;
    tracks.count = 20;
    tracks.cylinder_step = 1;
    tracks.head = static_cast<std::int32_t>(head);
    tracks.sectors = 100 + 17 * head;
    zone.children.push_back(tracks);
  }
  truth.layout.zones = {zone};
  const engine::LayoutMap whole(truth.layout);
  for (std::uint64_t slot = 0; slot < whole.slots();) {
    slot += whole.track_of_slot(slot).sectors;
    truth.layout.skips.push_back({slot - 2, 2, 1, 0});
  }
  const engine::LayoutMap map(truth.layout);
  truth.identity.blocks = map.blocks();
  for (const std::size_t track : {70, 700, 1500})
    truth.layout.remaps.push_back(
        {map.lbn_at_or_after_slot(truth.layout.skips[track].first_slot) - 40,
         truth.layout.skips[track].first_slot});
  REQUIRE_NOTHROW(model::validate(truth, "truth"));
  testing::Behaviour behaviour;
  behaviour.sectors = testing::Sectors::without_holes;
  behaviour.translates_back = false;
  testing::SyntheticTranslator drive(truth.layout, behaviour);
  const virtual_drive::DefectSlots defects = virtual_drive::find_defects(truth.layout);
  drive.primary = defects.primary;
  drive.grown = defects.grown;
  model::DriveModel found;
  found.identity.blocks = truth.identity.blocks;
  found.layout = by_address_translation(drive).layout;
  CHECK_NOTHROW(model::validate(found, "model"));
  CHECK(testing::difference(truth.layout, found.layout, false) == "");
  const std::size_t told = found.layout.remaps.size() + found.layout.not_understood.size();
  CHECK(told == truth.layout.remaps.size());
}

TEST_CASE("impossible remaps: a map that has none stays as it is") {
  model::DriveModel model = with_remaps({{3, 18}, {40, 19}});
  CHECK(take_out_impossible_remaps(model.layout).empty());
  CHECK(model.layout.remaps.size() == 2);
}

TEST_CASE("impossible remaps: a block within a range that is not understood is named once") {
  model::DriveModel model = with_remaps({});
  model.layout.not_understood = {{0, 17, "a"}, {36, 53, "b"}};
  add_not_understood(model.layout.not_understood,
                     {{17, 17, "c"}, {20, 20, "c"}, {36, 36, "c"}, {90, 90, "c"}});
  REQUIRE(model.layout.not_understood.size() == 4);
  CHECK(model.layout.not_understood[1].first_lbn == 20);
  CHECK(model.layout.not_understood[3].first_lbn == 90);
  CHECK_NOTHROW(model::validate(model, "model"));
}

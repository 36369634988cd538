#include "report/place_list.h"

#include <nlohmann/json.hpp>

#include "catch.h"
#include "model/error.h"
#include "report/model_summary.h"

namespace platter::report {
namespace {

template <class Write>
std::string in_one(const Write& write, const engine::LayoutMap& map) {
  std::string all;
  write(map, [&](std::string_view piece) { all += piece; });
  return all;
}

// Two zones: two cylinders of two heads with ten sectors, one with five; a slip, a spare, a remap.
model::DriveModel small_model() {
  model::DriveModel model;
  const auto zone = [](std::int32_t cylinder, std::uint32_t cylinders, std::uint32_t sectors) {
    model::LayoutNode tracks, node;
    tracks.count = 2;
    tracks.head_step = 1;
    tracks.angle_step_rev = 0.25;
    tracks.sectors = sectors;
    node.cylinder = cylinder;
    node.count = cylinders;
    node.cylinder_step = 1;
    node.children = {tracks};
    return node;
  };
  model.layout.zones = {zone(0, 2, 10), zone(2, 1, 5)};
  model.layout.skips = {{10, 1, 1, 0}, {49, 1, 1, 0}};
  model.layout.remaps = {{3, 49}};
  model.identity.blocks = 48;
  model.identity.heads = 2;
  model.identity.cylinders = 3;
  model.rotation.numerator_ns = 10'000'000;
  model.seek.points = {{1, 1.0, std::nullopt, 0}, {2, 2.0, std::nullopt, 0}};
  model.head_switch.reason = "not tried";
  return model;
}

TEST_CASE("places of blocks and blocks of places") {
  const engine::LayoutMap map(small_model().layout);
  const Place on_second = place_of_lbn(map, 10);
  CHECK(on_second.pbn == engine::Pbn{0, 1, 1});
  CHECK(engine::rev_from_angle(on_second.angle) == Approx(0.35));
  CHECK(on_second.track_first_lbn == 10);
  CHECK(on_second.track_blocks == 9);
  CHECK(place_of_lbn(map, 3).remapped);
  CHECK(place_of_lbn(map, 3).pbn == engine::Pbn{2, 1, 4});
  CHECK(!place_at(map, {0, 0, 3}).lbn);
  CHECK(place_at(map, {2, 1, 4}).lbn == 3u);
  CHECK(!place_at(map, {0, 1, 0}).lbn);
  CHECK(place_at(map, {1, 0, 9}).lbn == 28u);
}

TEST_CASE("what the drive does not have is named") {
  const engine::LayoutMap map(small_model().layout);
  CHECK_THROWS_WITH(place_of_lbn(map, 48), "LBN 48 is past the last one, 47");
  CHECK_THROWS_WITH(place_at(map, {3, 0, 0}), "the model has no track at cylinder 3, head 0");
  CHECK_THROWS_WITH(place_at(map, {2, 0, 5}), "cylinder 2, head 0 has sectors 0 to 4, not 5");
  CHECK(parse_pbn("12,3,4") == engine::Pbn{12, 3, 4});
  for (const char* bad :
       {"", "1", "1,2", "1,2,", "1,2,3,4", "a,b,c", "1,2,3 ", "-1,0,0", "1, 2, 3"}) {
    CHECK_THROWS_AS(parse_pbn(bad), Error);
  }
}

TEST_CASE("every track is one line") {
  const engine::LayoutMap map(small_model().layout);
  CHECK(in_one(tracks_as_text, map) ==
        "0 10 0 0 0.000000000\n10 9 0 1 0.350000000\n19 10 1 0 0.000000000\n29 10 1 1 0.250000000\n"
        "39 5 2 0 0.000000000\n44 4 2 1 0.250000000\n");
  const auto json = nlohmann::json::parse(in_one(tracks_as_json, map));
  CHECK(json["schema"]["name"] == "platter-tracks");
  REQUIRE(json["tracks"].size() == 6);
  CHECK(json["tracks"][1]["first_lbn"] == 10);
  CHECK(json["tracks"][1]["angle_rev"].get<double>() == Approx(0.35));
}

TEST_CASE("a model in words tells its zones, its seeks and what is missing") {
  const model::DriveModel model = small_model();
  const auto zones = summarize_zones(model.layout);
  REQUIRE(zones.size() == 2);
  CHECK(zones[1].first_lbn == 39);
  CHECK(zones[1].blocks == 9);
  CHECK(zones[1].first_cylinder == 2);
  CHECK(zones[0].most_sectors == 10);
  const std::string text = model_as_text(model);
  CHECK(text.find("6000.000 rpm") != std::string::npos);
  CHECK(text.find("1.000 ms one cylinder, 1.333 ms average, 2.000 ms full stroke") !=
        std::string::npos);
  CHECK(text.find("head_switch: not tried") != std::string::npos);
  const auto json = nlohmann::json::parse(model_as_json(model));
  CHECK(json["zones"].size() == 2);
  CHECK(json["seek"]["full_ms"] == 2.0);
}

}  // namespace
}  // namespace platter::report

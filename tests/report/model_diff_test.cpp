#include "report/model_diff.h"

#include "catch.h"
#include "report/track_list.h"

namespace platter::report {
namespace {

// `cylinders` cylinders of two heads with ten sectors a track.
model::DriveModel small_model(std::uint32_t cylinders) {
  model::DriveModel model;
  model::LayoutNode tracks, zone;
  tracks.count = 2;
  tracks.head_step = 1;
  tracks.angle_step_rev = 0.2;
  tracks.sectors = 10;
  zone.count = cylinders;
  zone.cylinder_step = 1;
  zone.angle_step_rev = 0.5;
  zone.children = {tracks};
  model.layout.zones = {zone};
  model.identity.blocks = std::uint64_t{cylinders} * 20;
  model.identity.heads = 2;
  model.identity.cylinders = cylinders;
  return model;
}

const model::Difference& find(const std::vector<model::Difference>& list, const std::string& path) {
  for (const model::Difference& difference : list) {
    if (difference.path == path) return difference;
  }
  throw std::runtime_error(path + " is not in the list");
}

TEST_CASE("the track list: first block, blocks, place and angle of the first block's sector") {
  model::DriveModel model = small_model(3);
  model.layout.skips = {{0, 2, 1, 0}, {15, 1, 1, 0}, {20, 10, 1, 0}};
  std::vector<MappedTrack> tracks;
  for_each_track(engine::LayoutMap(model.layout),
                 [&](const MappedTrack& track) { tracks.push_back(track); });
  REQUIRE(tracks.size() == 5);  // the one without blocks is not listed
  CHECK(tracks[0].first_lbn == 0);
  CHECK(tracks[0].blocks == 8);
  CHECK(engine::rev_from_angle(tracks[0].angle) == Approx(0.2));
  CHECK(tracks[1].first_lbn == 8);
  CHECK(tracks[1].blocks == 9);
  CHECK(tracks[1].head == 1);
  CHECK(tracks[2].cylinder == 1);
  CHECK(tracks[2].head == 1);
  CHECK(engine::rev_from_angle(tracks[2].angle) == Approx(0.7));
}

TEST_CASE("equal layouts agree, whatever the index mark") {
  const model::DriveModel a = small_model(50);
  model::DriveModel b = a;
  b.layout.zones[0].angle_rev = 0.37;
  const LayoutDifference difference = compare_layouts(a.layout, b.layout);
  CHECK(difference.tracks_a == 100);
  CHECK(difference.differing_tracks == 0);
  CHECK(difference.offset_rev == Approx(0.37));
  CHECK(difference.max_angle_rev < 1e-12);
  for (const model::Difference& figure : diff_models(a, b)) CHECK(figure.within_error == true);
}

TEST_CASE("a slip moves every track behind it") {
  const model::DriveModel a = small_model(50);
  model::DriveModel b = a;
  b.layout.skips = {{505, 1, 1, 0}};
  b.identity.blocks = 999;
  const auto list = diff_models(a, b);
  const model::Difference& tracks = find(list, "layout.tracks");
  CHECK(tracks.difference == 50);
  CHECK(tracks.relative == 0.5);
  CHECK(tracks.within_error == false);
  CHECK(find(list, "layout.blocks").difference == 500);
  CHECK(find(list, "identity.blocks").difference == -1);
}

TEST_CASE("angles that wander are measured, and held against the stated error") {
  const model::DriveModel a = small_model(2);
  model::DriveModel b = a;
  b.layout.zones[0].angle_step_rev = 0.504;  // two tracks by +0.004: -0.002, -0.002, +0.002, +0.002
  const LayoutDifference difference = compare_layouts(a.layout, b.layout);
  CHECK(difference.rms_angle_rev == Approx(0.002));
  CHECK(difference.max_angle_rev == Approx(0.002));
  CHECK(find(diff_models(a, b), "layout.angle_max").within_error == false);
  b.layout.angle.error = 0.001;
  CHECK(find(diff_models(a, b), "layout.angle_max").within_error == true);
}

TEST_CASE("models without a layout are compared in the rest") {
  model::DriveModel a = small_model(2), b;
  b.layout.reason = "not measured";
  for (const model::Difference& figure : diff_models(a, b))
    CHECK(figure.path.find("layout.") == std::string::npos);
}

}  // namespace
}  // namespace platter::report

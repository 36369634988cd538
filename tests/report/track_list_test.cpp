#include "report/track_list.h"

#include <random>

#include "catch.h"
#include "engine/random_bands.h"

namespace platter::report {
namespace {

// The sector of the track's first LBN, by looking at one after another.
engine::Angle angle_of_first(const engine::LayoutMap& map, const engine::Track& track,
                             std::uint64_t first_lbn) {
  std::uint64_t slot = track.first_slot;
  while (map.lbn_at_or_after_slot(slot + 1) == first_lbn) ++slot;
  return map.angle_of_slot(track, slot);
}

TEST_CASE("the tracks one after another are those that are looked up one by one") {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 120; ++trial) {
    const engine::LayoutMap map =
        engine::testing::listed_map(trial % 2 == 0 ? engine::testing::random_layout(random)
                                                   : engine::testing::banded_layout(random));
    TrackCursor cursor(map);
    std::uint64_t tracks = 0;
    for (std::uint64_t slot = 0; slot < map.slots(); ++tracks) {
      REQUIRE(cursor.next());
      const engine::Track track = map.track_of_slot(slot);
      CAPTURE(trial, slot);
      CHECK(cursor.track().cylinder == track.cylinder);
      CHECK(cursor.track().head == track.head);
      CHECK(cursor.track().zone == track.zone);
      CHECK(cursor.track().sectors == track.sectors);
      CHECK(cursor.track().first_slot == track.first_slot);
      CHECK(cursor.track().angle == track.angle);
      CHECK(cursor.track().slot_angle == track.slot_angle);
      slot += track.sectors;
      const std::uint64_t first_lbn = map.lbn_at_or_after_slot(track.first_slot);
      CHECK(cursor.first_lbn() == first_lbn);
      CHECK(cursor.blocks() == map.lbn_at_or_after_slot(slot) - first_lbn);
      const MappedTrack one = mapped_track(map, track), mapped = cursor.mapped();
      CHECK(one.first_lbn == mapped.first_lbn);
      CHECK(one.blocks == mapped.blocks);
      CHECK(one.angle == mapped.angle);
      if (mapped.blocks > 0) CHECK(mapped.angle == angle_of_first(map, track, first_lbn));
    }
    CHECK_FALSE(cursor.next());
    CHECK(tracks == map.tracks());
  }
}

}  // namespace
}  // namespace platter::report

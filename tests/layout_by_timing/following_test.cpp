// Runs as they are begun, followed and left: each held against the bands of a simulated drive.
#include "layout_by_timing/following.h"

#include "catch.h"
#include "layout_by_timing/learner.h"
#include "layout_by_timing/mapped.h"

namespace platter::layout_by_timing {
namespace {

SimulatedFormat steady_format() {
  SimulatedFormat format;
  format.radii = 600, format.spread = 0, format.formats = 1;
  return format;
}

// A map that has begun on a drive, and how its first band really is.
struct Begun {
  explicit Begun(const SimulatedFormat& format, std::uint64_t lost_slot = 0, std::uint64_t lost = 0)
      : drive(format, 5) {
    if (lost > 0) drive.lose_at(lost_slot, lost);
    map.emplace(drive, format.period_ns * (1 + 1e-6), MapperOptions{.seed = 5});
    Learner(*map).begin_anew();
    run = map->runs.back();
    map->runs.pop_back();
  }
  const SimulatedBands::Band& band(std::size_t i) const { return drive.bands()[i]; }

  SimulatedBands drive;
  std::optional<MapSoFar> map;
  Run run;
};

}  // namespace

TEST_CASE("a map begins with the drive's first track, and follows its band to its last") {
  Begun at(steady_format());
  CHECK(at.run.first == 0);
  CHECK(at.run.slots == at.band(0).slots);
  follow(*at.map, at.run);
  CHECK(at.run.tracks == at.band(0).tracks);
  CHECK(std::abs(statistics::wrap_rev(at.run.skew_rev - at.band(0).skew)) < 2e-4);
  CHECK(at.run.losses.empty());
}

TEST_CASE("a band that was begun in its middle has the blocks in front of its border as a track") {
  Begun at(steady_format());
  const std::uint64_t middle = 10ull * at.band(0).slots + at.band(0).slots / 3;
  const auto run = begin_at(*at.map, middle);
  REQUIRE(run);
  CHECK(run->first == 11ull * at.band(0).slots);
  REQUIRE(at.map->runs.size() == 1);
  CHECK(at.map->runs.back().first == middle);
  CHECK(at.map->runs.back().end() == run->first);
}

TEST_CASE("a run that ended too early goes on by two tracks or one, and on from there") {
  Begun at(steady_format());
  follow(*at.map, at.run);
  const std::uint32_t all = at.run.tracks;
  for (const std::uint32_t too_few : {1U, 2U, 9U}) {
    Run run = at.run;
    run.tracks = all - too_few;
    CAPTURE(too_few);
    CHECK(follow_on(*at.map, run));
    CHECK(run.tracks == all);
  }
}

TEST_CASE("a run that is whole does not go on, and stays as it was") {
  Begun at(steady_format());
  follow(*at.map, at.run);
  const Run was = at.run;
  CHECK(!follow_on(*at.map, at.run));
  CHECK(at.run.tracks == was.tracks);
  CHECK(at.run.start_rev == was.start_rev);
  CHECK(at.run.skew_rev == was.skew_rev);
}

TEST_CASE("behind a run's last track another one is found, which begins where the drive's does") {
  Begun at(steady_format());
  follow(*at.map, at.run);
  Run next;
  REQUIRE(look_behind(*at.map, at.run, at.run.tracks - 1, next) == Behind::another_run);
  CHECK(at.run.tail == 0);
  CHECK(next.first == at.band(1).first_slot);
  CHECK(next.slots == at.band(1).slots);
  CHECK(!next.same_band);
  const double entered = statistics::wrap_rev(next.start_rev - at.run.start_rev);
  CHECK(std::abs(statistics::wrap_rev(entered - (at.band(1).start - at.band(0).start))) < 0.004);
}

TEST_CASE("within a band nothing new comes behind a track") {
  Begun at(steady_format());
  follow(*at.map, at.run);
  Run next;
  CHECK(look_behind(*at.map, at.run, at.run.tracks / 2, next) == Behind::nothing_new);
}

TEST_CASE("sectors that are lost behind a track are a loss, on the track that they are on") {
  const SimulatedFormat format = steady_format();
  const std::uint32_t slots = SimulatedBands(format, 5).bands()[0].slots;
  Begun at(format, 20ull * slots + slots / 4, 200);
  follow(*at.map, at.run);
  CHECK(at.run.tracks >= 20);
  CHECK(at.run.tracks <= 21);
  Run next;
  REQUIRE(look_behind(*at.map, at.run, 19, next) == Behind::loss);
  REQUIRE(at.run.losses.size() == 1);
  CHECK(at.run.losses[0].sectors == 200);
  CHECK(at.run.place_of(at.run.first + at.run.losses[0].behind).track == 20);
  CHECK(follow_on(*at.map, at.run));
  CHECK(at.run.tracks == at.band(0).tracks);
}

TEST_CASE("a band that lost some single sectors is followed to its last track, by a quiet drive") {
  SimulatedFormat format = steady_format();
  format.band_tracks = 300, format.radii = 3'000;
  format.delay_median_us = 3, format.delay_p99_us = 12;
  const std::uint32_t slots = SimulatedBands(format, 5).bands()[0].slots;
  const std::uint64_t holes = GENERATE(1, 3, 6);
  CAPTURE(holes);
  Begun at(format);
  at.drive.lose_at(40ull * slots + slots / 3, 1, holes, 37ull * slots);
  follow(*at.map, at.run);
  CHECK(at.map->frame.jitter().sigma_rev < 0.0005);
  CHECK(at.run.tracks == at.band(0).tracks);
  CHECK(at.run.lost() == holes);
  CHECK(std::abs(statistics::wrap_rev(at.run.skew_rev - at.band(0).skew)) < 1e-5);
}

TEST_CASE("behind some lost sectors that a walk does not show a run goes on") {
  SimulatedFormat format = steady_format();
  format.delay_median_us = 3, format.delay_p99_us = 12;
  const std::uint32_t slots = SimulatedBands(format, 5).bands()[0].slots;
  const std::uint64_t lost = GENERATE(4, 6, 8);
  CAPTURE(lost);
  Begun at(format);
  at.drive.lose_at(20ull * slots + slots / 4, lost);
  follow(*at.map, at.run);
  at.run.tracks = 20, at.run.losses.clear();
  CHECK(follow_on(*at.map, at.run));
  CHECK(at.run.tracks == at.band(0).tracks);
  REQUIRE(at.run.losses.size() == 1);
  CHECK(at.run.losses[0].sectors == lost);
  CHECK(at.run.place_of(at.run.first + at.run.losses[0].behind).track == 20);
}

TEST_CASE("a run whose first track lost a sector has tracks of the size of the next ones") {
  const SimulatedFormat format = steady_format();
  const std::uint32_t slots = SimulatedBands(format, 5).bands()[0].slots;
  Begun at(format);
  at.drive.lose_at(11ull * slots + slots / 2, 1);
  const auto run = begin_at(*at.map, 10ull * slots + slots / 3);
  REQUIRE(run);
  CHECK(run->first == 11ull * slots);
  CHECK(run->slots == slots);
  CHECK(run->lost() == 1);
}

TEST_CASE("what is missing at a run's end but was lost before its last track is no tail") {
  const SimulatedFormat format = steady_format();
  const SimulatedBands whole(format, 5);
  const std::uint32_t slots = whole.bands()[0].slots, tracks = whole.bands()[0].tracks;
  constexpr std::uint32_t kLost = 40;
  Begun at(format, std::uint64_t{tracks - 20} * slots + 7, kLost);
  follow(*at.map, at.run);
  REQUIRE(at.run.losses.empty());
  at.run.tracks = tracks, at.run.tail = kLost;
  mend_tail(*at.map, at.run);
  CHECK(at.run.tail == 0);
  CHECK(at.run.lost() == kLost);
  Begun other(format, std::uint64_t{tracks} * slots - kLost, kLost);
  follow(*other.map, other.run);
  other.run.tracks = tracks, other.run.tail = kLost;
  mend_tail(*other.map, other.run);
  CHECK(other.run.tail == kLost);
}

TEST_CASE("a map that begins anew goes on where it ended, and says so where it does not") {
  Begun at(steady_format());
  follow(*at.map, at.run);
  Run ended = at.run;
  ended.tracks = 5;
  at.map->push(ended);
  Learner(*at.map).begin_anew();
  CHECK(at.map->counts.begun_anew == 2);
  const Run& last = at.map->runs.back();
  CHECK(last.slots == at.band(0).slots);
  CHECK(last.first == ended.end());
  CHECK(!last.after_gap);
}

TEST_CASE("a band is learnt to its end, and the next one begun") {
  Begun at(steady_format());
  at.map->push(at.run);
  Learner learner(*at.map);
  learner.learn();
  REQUIRE(at.map->runs.size() == 2);
  CHECK(at.map->runs[0].tracks == at.band(0).tracks);
  CHECK(at.map->runs[1].first == at.band(1).first_slot);
  learner.learn();
  REQUIRE(at.map->runs.size() == 3);
  CHECK(at.map->runs[1].tracks == at.band(1).tracks);
  CHECK(at.map->runs[2].first == at.band(2).first_slot);
}

}  // namespace platter::layout_by_timing

// Bands as the drive's order counts them: by tracks, and by places in the pattern.
#include "layout_by_timing/band_count.h"

#include <vector>

#include "catch.h"

namespace platter::layout_by_timing {
namespace {

void add_band_run(std::vector<Run>& runs, std::uint32_t tracks, std::int32_t place = -1,
                  std::uint32_t slots = 100) {
  Run run;
  run.first = runs.empty() ? 0 : runs.back().end();
  run.tracks = tracks, run.slots = slots, run.ring_place = place;
  runs.push_back(run);
}

std::vector<std::uint64_t> counts_of(const CountedBands& bands) {
  std::vector<std::uint64_t> counts;
  for (const CountedBand& band : bands.all) counts.push_back(band.count);
  return counts;
}

}  // namespace

TEST_CASE("a part of a band is none of its own, and two bands that are one run are two") {
  std::vector<Run> runs;
  for (const std::uint32_t tracks : {17, 17, 16, 1, 17, 15, 2, 17, 34, 17, 6, 11, 17})
    add_band_run(runs, tracks);
  const CountedBands bands = count_bands(runs, false, 0);
  CHECK(bands.usual_tracks == 17);
  // What is left of a band goes to the next one, as 6 and 11 are one.
  REQUIRE(counts_of(bands) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 8, 9, 10});
  CHECK(bands.all[3].first_run + 1 == bands.all[3].last_run);
  CHECK(bands.all[9].last_run == 12);
  CHECK(bands.all[5].sure);
  CHECK(!bands.all[6].sure);
}

TEST_CASE("parts of a band go to that one which they make whole") {
  std::vector<Run> runs;
  for (const std::uint32_t tracks : {100, 100, 90, 1, 9, 100, 85, 15, 100})
    add_band_run(runs, tracks);
  const CountedBands bands = count_bands(runs, false, 0);
  REQUIRE(counts_of(bands) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5});
  CHECK(bands.all[2].first_run == 2);
  CHECK(bands.all[2].last_run == 4);
  CHECK(bands.all[4].tracks == 100);
}

TEST_CASE("a run that has the tracks of several bands is several, wherever one of them began") {
  std::vector<Run> runs;
  for (const std::uint32_t tracks : {100, 100, 300, 100, 60, 141, 100})
    add_band_run(runs, tracks, 0);
  runs[5].same_band = true;
  const std::vector<Run> cut = cut_to_bands(runs, 10);
  std::vector<std::uint32_t> tracks;
  std::vector<bool> goes_on;
  for (const Run& run : cut) tracks.push_back(run.tracks), goes_on.push_back(run.same_band);
  CHECK(tracks == std::vector<std::uint32_t>{100, 100, 100, 100, 100, 100, 60, 40, 100, 1, 100});
  CHECK(goes_on == std::vector<bool>{false, false, false, false, false, false, false, true, false,
                                     true, false});
  for (std::size_t i = 1; i < cut.size(); ++i) CHECK(cut[i].first == cut[i - 1].end());
  const CountedBands bands = count_bands(cut, false, 10);
  CHECK(counts_of(bands) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("surfaces with tracks of widths of their own have as many bands as the others") {
  std::vector<Run> runs;
  for (int round = 0; round < 50; ++round)
    for (const std::uint32_t tracks : {100, 93, 96, 100, 92}) add_band_run(runs, tracks);
  const CountedBands bands = count_bands(runs, false, 0);
  for (std::size_t i = 0; i < runs.size(); ++i) REQUIRE(bands.all[i].count == i);
}

TEST_CASE("a band of one track that lost all its blocks is told by the pattern") {
  std::vector<Run> runs;
  for (const std::int32_t place : {0, 1, 2, 3, 4, 0, 2, 3, -1, 1, 2}) add_band_run(runs, 1, place);
  const CountedBands bands = count_bands(runs, false, 5);
  CHECK(counts_of(bands) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12});
  CHECK(!bands.all[6].sure);
  CHECK(bands.all[7].sure);
}

TEST_CASE("where the pattern was taken for another at first, its rounds are no lost bands") {
  std::vector<Run> runs;
  for (int band = 0; band < 400; ++band) add_band_run(runs, 3, band % 4);
  for (int band = 0; band < 400; ++band) add_band_run(runs, 3, band % 8);
  const CountedBands bands = count_bands(runs, false, 8);
  CHECK(bands.all[399].count - bands.all[20].count == 379);
  CHECK(bands.all[799].count - bands.all[420].count == 379);
}

TEST_CASE("tracks of a pattern that always are as the one before are bands of several") {
  std::vector<Run> runs;
  for (int round = 0; round < 60; ++round)
    for (const std::int32_t place : {0, 1, 2, 3, 4, 5}) {
      // A track of the last band but one lost its blocks.
      if (round == 40 && place == 2) continue;
      add_band_run(runs, 1, place, 100 + static_cast<std::uint32_t>(place / 2));
    }
  const CountedBands bands = count_bands(runs, false, 6);
  CHECK(bands.usual_tracks == 2);
  REQUIRE(bands.all.size() == 180);
  for (std::size_t i = 0; i < 180; ++i) CHECK(bands.all[i].count == i);
  CHECK(!bands.all[121].sure);
}

TEST_CASE("tracks of a pattern none of which is as the one before are bands") {
  std::vector<Run> runs;
  for (int round = 0; round < 60; ++round)
    for (const std::int32_t place : {0, 1, 2})
      add_band_run(runs, 1, place, 100 + static_cast<std::uint32_t>(place));
  const CountedBands bands = count_bands(runs, false, 3);
  CHECK(bands.usual_tracks == 1);
  CHECK(bands.all.back().count == 179);
}

}  // namespace platter::layout_by_timing

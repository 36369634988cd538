// The parts of the mapper: walks and their borders, losses, and the pattern.
#include <array>

#include "catch.h"
#include "layout_by_timing/losses.h"
#include "layout_by_timing/mapped.h"
#include "layout_by_timing/pattern.h"
#include "layout_by_timing/shift.h"
#include "layout_by_timing/walk.h"

namespace platter::layout_by_timing {
namespace {

struct Probing {
  explicit Probing(const SimulatedFormat& format)
      : drive(format, 11),
        frame(drive, format.period_ns, drive.blocks() / 2),
        prober(drive, frame, 1) {}
  SimulatedBands drive;
  Frame frame;
  Prober prober;
};

// As a band of the drive is, had it lost nothing.
Run run_of(const SimulatedBands::Band& band, std::uint64_t first, Prober& prober) {
  Run run;
  run.first = first;
  run.tracks = band.tracks, run.slots = band.slots;
  run.skew_rev = band.skew;
  run.start_rev = statistics::turn_rev(*prober.angle(first) - 1.0 / band.slots);
  return run;
}

Run plain_run(std::uint64_t first, std::uint32_t slots, std::uint32_t tracks, double start_rev) {
  Run run;
  run.first = first;
  run.slots = slots, run.tracks = tracks;
  run.start_rev = start_rev, run.skew_rev = 0.08;
  return run;
}

// Three surfaces of 600, 590 and 610 sectors; behind the third the next is entered farther on.
std::vector<Run> rounds(int count) {
  std::vector<Run> runs;
  for (int i = 0; i < 3 * count; ++i) {
    const std::uint32_t slots = i % 3 == 0 ? 600 : i % 3 == 1 ? 590 : 610;
    const std::uint64_t first = runs.empty() ? 0 : runs.back().end();
    const double entered = runs.empty()
                               ? 0
                               : runs.back().track_start_rev(49) + (i % 3 == 0 ? 0.52 : 0.31);
    runs.push_back(plain_run(first, slots, 50, statistics::turn_rev(entered)));
  }
  return runs;
}

}  // namespace

TEST_CASE("a walk shows tracks, and single reads where the second begins", "[layout_by_timing]") {
  Probing at({});
  Walker walker(at.prober);
  const auto around = walker.find_around(1000);
  REQUIRE(around);
  const std::uint32_t slots = at.drive.truth(1000).slots;
  CHECK(std::abs(*around - slots) < 0.03 * slots);
  walker.find_gap(1000, *around);
  const auto pieces = walker.walk(0, *around, 2.5);
  REQUIRE(pieces.size() >= 3);
  CHECK(std::abs(pieces[1].around - slots) < 4 * pieces[1].around_error + 0.5);
  const auto border = walker.border(pieces[0], pieces[1], slots, slots);
  REQUIRE(border);
  CHECK(*border == at.drive.truth(*border).first_block);
  CHECK(*border == slots);
}

TEST_CASE("how many sectors are lost is told exactly, and on which track", "[layout_by_timing]") {
  SimulatedFormat format;
  format.spread = 0, format.formats = 1;
  const std::uint32_t lost = GENERATE(1u, 8u, 540u, 600u);
  CAPTURE(lost);
  Probing at(format);
  at.drive.lose_at(20 * 600 + (lost == 600 ? 0 : 30), lost);
  Run run = run_of(at.drive.bands().front(), 0, at.prober);
  LossFinder finder(at.prober);
  CHECK(finder.none_lost(run, 10, 18));
  CHECK_FALSE(finder.none_lost(run, 50, 58));
  const auto found = finder.lost_before(run, 50, 58, 0, 900);
  REQUIRE(found);
  CHECK(found->lost == lost);
  finder.locate(run, 0, found->track, found->lost);
  CHECK(run.lost() == lost);
  REQUIRE(run.losses.size() == 1);
  // Of a track that lost nearly all, the few blocks at its end may be taken for the next one's.
  const std::uint64_t track = run.losses.front().behind / 600;
  CHECK(track >= (lost == 600 ? 19 : 20));
  CHECK(track <= (lost == 540 ? 21 : 20));
  const std::uint64_t block = 40 * 600;
  CHECK(std::abs(statistics::wrap_rev(run.end_of_block_rev(block) - *at.prober.angle(block))) <
        0.006);
}

TEST_CASE("few sectors need no exact track, and are marked", "[layout_by_timing]") {
  SimulatedFormat format;
  format.spread = 0, format.formats = 1;
  const std::uint32_t lost = GENERATE(1U, 8U);
  Probing at(format);
  at.drive.lose_at(10 * 600 + 30, lost);
  Run run = run_of(at.drive.bands().front(), 0, at.prober);
  constexpr std::uint32_t kApart = 4;
  LossFinder finder(at.prober, kApart);
  finder.locate(run, 0, 20, lost);
  REQUIRE(run.losses.size() == 1);
  const bool few = lost < 3;  // a two-hundredth of a turn
  CHECK(run.losses.front().located == !few);
  CHECK(run.losses.front().sectors == lost);
  CHECK(std::abs(static_cast<double>(run.losses.front().behind) / 600 - 10.5) < (few ? kApart : 1));
}

TEST_CASE("a sector that was not lost shows at the beginning of a track", "[layout_by_timing]") {
  SimulatedFormat format;
  format.spread = 0, format.formats = 1;
  Probing at(format);
  at.drive.lose_at(20 * 600 + 30, 1);
  Run run = run_of(at.drive.bands().front(), 0, at.prober);
  const std::uint32_t stated = GENERATE(1U, 2U);
  add_loss(run, 20, stated, true);
  LossFinder finder(at.prober);
  CHECK(finder.none_lost(run, 50, 58));  // its end shows nothing
  CHECK(finder.begins_right(run, 50, 58) == (stated == 1));
}

TEST_CASE("no loss is stated where the run itself is wrong", "[layout_by_timing]") {
  SimulatedFormat format;
  format.spread = 0, format.formats = 1;
  Probing at(format);
  const SimulatedBands::Band& band = at.drive.bands()[1];
  Run run = run_of(band, band.first_slot, at.prober);
  run.first -= 3;  // as if fewer than none were lost
  LossFinder finder(at.prober);
  CHECK_FALSE(finder.lost_before(run, 50, 58, 0, 900));
}

TEST_CASE("how many blocks earlier than foreseen bands come is read off them",
          "[layout_by_timing]") {
  SimulatedFormat format;
  format.band_tracks = GENERATE(1U, 2U, 60U);
  Probing at(format);
  const std::int64_t earlier = GENERATE(-7, 1, 8, 455);
  CAPTURE(format.band_tracks, earlier);
  std::vector<Run> bands;
  for (std::size_t i = 3; i < 8; ++i) {
    const SimulatedBands::Band& band = at.drive.bands()[i];
    bands.push_back(shifted(run_of(band, band.first_slot, at.prober), -earlier));
  }
  ShiftFinder finder(at.prober);
  const auto found = finder.find(bands, -20, 600);
  REQUIRE(found);
  // By borders exactly; single tracks have none between two of a band.
  if (format.band_tracks > 1)
    CHECK(*found == earlier);
  else
    CHECK(std::abs(*found - earlier) <= 1);
  // Bands of another place are no number of blocks away.
  for (Run& band : bands) band.start_rev += 0.3 * static_cast<double>(&band - bands.data());
  CHECK_FALSE(finder.find(bands, -20, 600));
}

TEST_CASE("bands that lack most of their last tracks have no borders there", "[layout_by_timing]") {
  SimulatedFormat format;
  format.band_tracks = 2;
  Probing at(format);
  std::vector<Run> bands;
  for (std::size_t i = 3; i < 6; ++i) {
    const SimulatedBands::Band& band = at.drive.bands()[i];
    bands.push_back(shifted(run_of(band, band.first_slot, at.prober), -8));
  }
  bands.back().tail = 2 * bands.back().slots - 8;
  CHECK(ShiftFinder(at.prober).find(bands, 0, 60) == 8);
}

TEST_CASE("the pattern of runs is found, and what comes next by it", "[layout_by_timing]") {
  const std::vector<Run> runs = rounds(5);
  const auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  CHECK(pattern->period() == 3);
  CHECK(pattern->differing() == 0);
  Run last = runs.back();
  last.ring_place = static_cast<std::int32_t>(pattern->last_place());
  const Run next = pattern->next(last);
  CHECK(next.first == last.end());
  CHECK(next.slots == 600);
  CHECK(std::abs(statistics::wrap_rev(next.start_rev - last.track_start_rev(49) - 0.52)) < 1e-6);
}

TEST_CASE("surfaces that differ in how many tracks their bands have are told apart",
          "[layout_by_timing]") {
  // Four surfaces up and down, with as many sectors a track, the widths of whose tracks differ.
  std::vector<Run> runs;
  for (std::size_t i = 0; i < 18; ++i) {
    Run run;
    run.first = runs.empty() ? 0 : runs.back().end();
    run.tracks = std::array{338U, 336U, 341U, 337U, 337U, 341U, 336U, 338U}[i % 8];
    run.slots = 300, run.skew_rev = 0.109;
    run.start_rev = runs.empty() ? 0 : runs.back().track_start_rev(runs.back().tracks - 1) + 0.203;
    runs.push_back(run);
  }
  const auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  CHECK(pattern->period() == 8);
}

// Bands of 12 surfaces, whose sizes tell where in the ring they are.
std::vector<Run> bands_of_twelve(std::size_t count) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t slots = 600 - 5 * std::array{0, 3, 1, 4, 0, 2, 5, 3, 6, 1, 2, 4}[i % 12];
    const double entered = runs.empty() ? 0 : runs.back().track_start_rev(49) + 0.31;
    runs.push_back(
        plain_run(runs.empty() ? 0 : runs.back().end(), slots, 50, statistics::turn_rev(entered)));
  }
  return runs;
}

// The band is left behind so many of its tracks, and begun anew with tracks of that size.
void break_off(std::vector<Run>& runs, std::size_t band, std::uint32_t behind,
               std::uint32_t slots) {
  Run rest = runs[band];
  runs[band].tracks = behind;
  rest.tracks -= behind;
  rest.first = runs[band].end();
  rest.start_rev = statistics::turn_rev(runs[band].track_start_rev(behind));
  runs[band].slots = slots;
  runs.insert(runs.begin() + static_cast<std::ptrdiff_t>(band) + 1, rest);
}

TEST_CASE("a band that was taken for two is one of its pattern", "[layout_by_timing]") {
  const std::uint32_t behind = GENERATE(2U, 7U, 25U, 47U), less = GENERATE(0U, 1U);
  CAPTURE(behind, less);
  std::vector<Run> runs = bands_of_twelve(27);
  break_off(runs, 13, behind, runs[13].slots - less);
  const auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  CHECK(pattern->period() == 12);
  CHECK(pattern->differing() < 0.2);
}

TEST_CASE("a period is not told where a band more or fewer would explain as much",
          "[layout_by_timing]") {
  std::vector<Run> runs = bands_of_twelve(27);
  runs.insert(runs.begin() + 13, runs[20]);  // a stranger
  runs[13].tracks = 30;
  const auto pattern = Pattern::of(runs);
  CHECK((!pattern || pattern->period() == 12));
}

TEST_CASE(
    "a place that a zone's beginning makes unlike its bands is not left for one that fits "
    "by chance",
    "[layout_by_timing]") {
  const std::vector<Run> all = bands_of_twelve(36);
  const auto pattern = Pattern::of(all);
  REQUIRE(pattern);
  const std::size_t last = pattern->last_place();
  std::vector<Run> runs(all.end() - 4, all.end());
  CHECK(pattern->find(runs, last) == last);
  CHECK(pattern->find(runs, last + 2) == last);
  runs[1].slots = runs[3].slots = 500;
  CHECK(pattern->find(runs, last) == last);
  CHECK_FALSE(pattern->find_shifted(runs, last));
}

TEST_CASE("a part of a band that was taken for all of it is no change of the pattern",
          "[layout_by_timing]") {
  std::vector<Run> runs = rounds(5);
  auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  const std::uint32_t part = GENERATE(1U, 20U);
  Run odd = pattern->next(runs.back());
  odd.ring_place = 0;
  odd.tracks = part;
  pattern->learn(odd, runs.back());
  CHECK((*pattern)[0].tracks == 50);
  pattern->learn(odd, runs.back());  // twice is one, but for a single track
  CHECK((*pattern)[0].tracks == (part == 1 ? 50 : part));
}

TEST_CASE("short bands that lost sectors, once, do not have another format", "[layout_by_timing]") {
  std::vector<Run> runs = rounds(5);
  auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  Run odd = pattern->next(runs.back());
  odd.ring_place = 0;
  odd.slots -= 2;
  const bool is_short = GENERATE(false, true);
  if (is_short) odd.tracks = 2;
  pattern->learn(odd, runs.back());
  CHECK((*pattern)[0].slots == (is_short ? odd.slots + 2 : odd.slots));
  pattern->learn(odd, runs.back());  // twice they do
  CHECK((*pattern)[0].slots == odd.slots);
}

TEST_CASE("a skew that changed on one surface is expected on all", "[layout_by_timing]") {
  std::vector<Run> runs = rounds(5);
  auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  runs.back().ring_place = static_cast<std::int32_t>(pattern->last_place());
  Run next = pattern->next(runs.back());
  next.standing = Standing::seen;
  next.skew_rev = 0.0826;
  pattern->learn(next, runs.back());
  for (std::size_t place = 0; place < 3; ++place) CHECK((*pattern)[place].skew_rev == 0.0826);
  // A part of a band tells too little of it.
  next.tracks = 5, next.skew_rev = 0.09;
  pattern->learn(next, runs.back());
  for (std::size_t place = 0; place < 3; ++place) CHECK((*pattern)[place].skew_rev == 0.0826);
}

TEST_CASE("places are told shifted by how bands are entered, not by formats",
          "[layout_by_timing]") {
  std::vector<Run> runs = rounds(6);
  const auto pattern = Pattern::of(runs);
  REQUIRE(pattern);
  const std::size_t last = pattern->last_place();
  CHECK_FALSE(pattern->find_shifted(std::span(runs).last(5), last));
  CHECK(pattern->find_shifted(std::span(runs).last(5), last + 1) == last);
  std::vector<Run> zoned(runs.end() - 5, runs.end());
  for (std::size_t i = 1; i < zoned.size(); ++i) zoned[i].slots = 600;  // a zone begins
  CHECK_FALSE(pattern->find_shifted(zoned, last));
}

}  // namespace platter::layout_by_timing

// Which slots hold blocks where tracks differ in length: spares at one place of their tracks are
// one series, whatever the lengths. And drives with such heads, mapped.
#include "layout/slot_map.h"

#include <algorithm>

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"

namespace platter::layout::testing {
namespace {

TEST_CASE("tracks begin where the ones before them end") {
  const TrackLengths lengths({7, 3}, {10, 12, 8});
  CHECK_FALSE(lengths.alike());
  CHECK(lengths.longest() == 12);
  CHECK(lengths.first_slot(2) == 10);
  CHECK(lengths.first_slot(5) == 40);
  CHECK(lengths.of(4) == 8);
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    const std::uint64_t track = lengths.track_of(slot);
    CHECK(lengths.first_slot(track) <= slot);
    CHECK(slot < lengths.first_slot(track + 1));
  }
}

// Blocks and slots are counted one by one.
void check_counts(const SlotMap& map, std::uint64_t slots) {
  std::uint64_t blocks = 0;
  bool right = true;
  for (std::uint64_t slot = 0; slot < slots; ++slot) {
    right = right && map.blocks_before(slot) == blocks;
    if (map.is_free(slot)) continue;
    right = right && map.slot_of(blocks++) == slot;
  }
  CHECK(right);
}

// Besides its slips the last slots of a track, or all of it, lack blocks.
void lacks(SlotMap& map, std::uint64_t track, std::uint64_t spares) {
  const std::uint64_t first = map.lengths().first_slot(track);
  const std::uint64_t end = map.lengths().first_slot(track + 1);
  std::vector<SlotRange> free;
  for (const SlotRange& slips : map.slips())
    if (slips.first >= first && slips.first < end) free.push_back(slips);
  if (spares > 0) free.push_back({end - std::min(spares, end - first), end});
  map.measured({first, end}, free);
  map.learn_series();
}

TEST_CASE("spares at the ends of tracks of any length are one series") {
  SlotMap map(TrackLengths({}, {10, 12, 8}));
  for (std::uint64_t track = 0; track < 3; ++track) lacks(map, track, 2);
  REQUIRE(map.series().size() == 1);
  CHECK(map.series()[0].stride == 1);
  CHECK(map.exceptions().empty());
  CHECK(map.free_ranges(50, 70) == std::vector<SlotRange>{{50, 52}, {58, 60}, {68, 70}});
  check_counts(map, 300);
}

TEST_CASE("spares that slips have used up in part are the same series") {
  SlotMap map(TrackLengths({}, {20, 24, 16}));
  map.set_listed_slips({{25, 26}, {35, 36}, {3, 4}});  // one on the first track, two on the second
  lacks(map, 0, 2);
  lacks(map, 1, 1);
  lacks(map, 2, 3);
  REQUIRE(map.series().size() == 1);
  CHECK(map.range(map.series()[0], 0) == SlotRange{17, 20});
  CHECK(map.free_ranges(0, 60) ==
        std::vector<SlotRange>{{3, 4}, {18, 20}, {25, 26}, {35, 36}, {43, 44}, {57, 60}});
  check_counts(map, 300);
}

TEST_CASE("spare tracks are one series though they differ in length") {
  SlotMap map(TrackLengths({5}, {10, 12, 8}));
  for (const std::uint64_t track : {4, 9, 14}) lacks(map, track, 12);
  REQUIRE(map.series().size() == 1);
  CHECK(map.series()[0].of_tracks());
  CHECK(map.series()[0].stride == 5);
  for (const std::uint64_t track : {19, 24, 29, 104})
    CHECK(map.blocks_before(map.lengths().first_slot(track)) ==
          map.blocks_before(map.lengths().first_slot(track + 1)));
  check_counts(map, 1500);
}

TEST_CASE("spares that soon end are no series, and are not taken for one again and again") {
  // 4 units of 4 tracks, then one of a single track: after every 17 tracks the count begins anew.
  SlotMap map(TrackLengths(20));
  std::uint64_t proposed = 0;
  for (std::uint64_t turn = 0; turn < 40; ++turn) {
    for (std::uint64_t track = 0; track < 17; ++track) {
      const std::size_t before = map.series().size();
      lacks(map, 17 * turn + track, track % 4 == 3 ? 5 : track == 16 ? 9 : 0);
      proposed += map.series().size() > before ? 1 : 0;
    }
  }
  check_counts(map, 40 * 17 * 20);
  CHECK(proposed < 20);
  const auto goes_on = [](const SpareSeries& series) { return series.count == SpareSeries::kOpen; };
  CHECK(std::ranges::count_if(map.series(), goes_on) == 5);
  for (const SpareSeries& series : map.series())
    if (goes_on(series)) CHECK(series.stride == 17);
}

model::LayoutNode run(std::int32_t cylinder, std::int32_t head, std::uint32_t count,
                      std::int32_t step, std::uint32_t sectors) {
  model::LayoutNode node;
  node.cylinder = cylinder;
  node.head = head;
  node.count = count;
  node.cylinder_step = step;
  node.sectors = sectors;
  return node;
}

TEST_CASE("a scratch of many listed sectors is kept as one") {
  constexpr std::uint64_t kFirst = 1'000, kLong = 1'000'000;
  SlotMap map(TrackLengths(4'000));
  map.set_listed_slips({{kFirst, kFirst + kLong / 2}, {kFirst + kLong / 2, kFirst + kLong}});
  CHECK(map.slips().size() == 1);
  CHECK(map.slips_between(0, 2 * kLong) == kLong);
  map.measured({8'000, 12'000}, {{8'000, 9'000}, {9'001, 12'000}});  // a block is there
  CHECK(map.slips().size() == 2);
  CHECK_FALSE(map.is_slip(9'000));
  CHECK(map.blocks_before(9'001) == kFirst + 1);
  CHECK(map.slot_of(kFirst) == 9'000);
}

// Bands of 6 tracks, inward and outward in turn, there and back over 5 heads: at the last and at
// the first two lie one behind the other.
model::Layout there_and_back(std::int32_t bands) {
  constexpr std::int32_t kTracks = 6, kHeads = 5;
  constexpr std::uint32_t kSectors = 40;
  model::Layout truth;
  for (std::int32_t band = 0; band < bands; ++band) {
    const std::int32_t round = band / kHeads, in_round = band % kHeads;
    const std::int32_t head = round % 2 == 0 ? in_round : kHeads - 1 - in_round;
    const bool inward = in_round % 2 == 0;
    truth.zones.push_back(run(round * kTracks + (inward ? 0 : kTracks - 1), head, kTracks,
                              inward ? 1 : -1, kSectors));
  }
  return truth;
}

std::uint32_t longest_run(const model::LayoutNode& node) {
  if (node.children.empty()) return node.count;
  std::uint32_t longest = 0;
  for (const model::LayoutNode& child : node.children)
    longest = std::max(longest, longest_run(child));
  return longest;
}

TEST_CASE("two bands one behind the other on a surface are two: the arm waits between them") {
  const model::Layout truth = there_and_back(400);
  SyntheticTranslator drive(truth, {});
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  for (const model::LayoutNode& zone : found.layout.zones) CHECK(longest_run(zone) == 6);
}

TEST_CASE("tracks lost to no list end no zone of bands") {
  model::Layout truth = there_and_back(2'000);
  for (const std::uint64_t track : {4'001, 6'003, 9'004})
    truth.skips.push_back({track * 40, 40, 1, 0});
  SyntheticTranslator drive(truth, {});
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.layout.zones.size() == 1);
}

TEST_CASE("spares of tracks and of bands, on heads with tracks of lengths of their own") {
  // Bands of 6 tracks, inward and outward in turn; 2 spares of each track, 5 more of each band.
  constexpr std::uint32_t kSectors[] = {43, 40, 42, 37, 41};
  constexpr std::int32_t kTracks = 6, kBands = 200;
  model::Layout truth;
  std::uint64_t slot = 0;
  for (std::int32_t band = 0; band < kBands; ++band) {
    for (std::int32_t head = 0; head < 5; ++head) {
      const bool inward = (band * 5 + head) % 2 == 0;
      truth.zones.push_back(run(band * kTracks + (inward ? 0 : kTracks - 1), head, kTracks,
                                inward ? 1 : -1, kSectors[head]));
      for (std::int32_t track = 0; track < kTracks; ++track) {
        slot += kSectors[head];
        const std::uint64_t spares = track + 1 < kTracks ? 2 : 7;
        truth.skips.push_back({slot - spares, spares, 1, 0});
      }
    }
  }
  SyntheticTranslator drive(truth, {});
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 3'000);
}

TEST_CASE("spares of cylinders that end on one head and on another in turn") {
  // A serpentine of cylinders of two heads, 3 spares of each; a defect has used up one of them.
  model::Layout truth;
  std::vector<std::uint64_t> defects;
  std::uint64_t slot = 0;
  for (std::int32_t cylinder = 0; cylinder < 1000; ++cylinder) {
    for (const std::int32_t head : {cylinder % 2, 1 - cylinder % 2})
      truth.zones.push_back(run(cylinder, head, 1, 0, head == 0 ? 64 : 71));
    const bool slipped = cylinder % 37 == 21;
    if (slipped) {
      defects.push_back(slot + 50);
      truth.skips.push_back({slot + 50, 1, 1, 0});
    }
    slot += 64 + 71;
    const std::uint64_t spares = slipped ? 2 : 3;
    truth.skips.push_back({slot - spares, spares, 1, 0});
  }
  SyntheticTranslator drive(truth, {});
  drive.primary = defects;
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 2'000);
}

TEST_CASE("a head with shorter tracks is not one whose slipped sectors have no number") {
  // By two sectors, and two are slipped on its first track.
  model::Layout truth;
  for (std::int32_t cylinder = 0; cylinder < 300; ++cylinder)
    for (const std::int32_t head : {0, 1, 2})
      truth.zones.push_back(run(cylinder, head, 1, 0, head == 2 ? 38 : 40));
  truth.skips = {{90, 1, 1, 0}, {99, 1, 1, 0}};
  SyntheticTranslator drive(truth, {});
  drive.primary = {90, 99};
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, true) == "");
  CHECK(found.translations < 1'500);
}

}  // namespace
}  // namespace platter::layout::testing

// The catalogue's drives of today are what was published of them, seen from their layouts alone;
// those drawn at random are what their recipes say.
#include <algorithm>
#include <random>
#include <set>

#include "catch.h"
#include "model/json.h"
#include "model/validate.h"
#include "scsi/bytes.h"
#include "scsi/positioning_ranges.h"
#include "virtual_drive/band_walk.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/catalogue_recipes.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

TEST_CASE("a drive of two arms tells of both, and has each on surfaces of its own") {
  const model::DriveModel drive = catalogue_model(*find_in_catalogue("modern-2arms"));
  REQUIRE(drive.arms);
  model::validate(drive, "modern-2arms");
  const engine::LayoutMap map(drive.layout);
  CHECK(std::abs(static_cast<double>(map.blocks()) * 512 / 1e9 - 500) < 10);
  std::mt19937_64 random(4);
  for (const model::ArmRange& range : drive.arms->ranges)
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t lbn = range.first_lbn + random() % (range.last_lbn - range.first_lbn);
      const engine::Pbn place = map.pbn_of_lbn(lbn);
      REQUIRE(place.head / 2 == range.arm);
      REQUIRE(map.lbn_of_pbn(place) == lbn);
    }
  model::DriveModel plain = drive;
  plain.imperfections.reset();
  VirtualDevice device(plain);
  const auto page = device.execute(command({0x12, 1, 0xb9, 0, 255, 0}, 255));
  REQUIRE(page);
  const auto ranges = scsi::decode_positioning_ranges(page->data);
  REQUIRE(ranges);
  REQUIRE(ranges->size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK((*ranges)[i].blocks.first == drive.arms->ranges[i].first_lbn);
    CHECK((*ranges)[i].blocks.last == drive.arms->ranges[i].last_lbn);
    CHECK((*ranges)[i].storage_elements == 2);
  }
}

namespace {

constexpr std::string_view kTwoArms = "modern-2arms";  // has a test of its own

struct Facts {
  const char* name;
  double gigabytes, rpm, nominal_rpm;
  std::uint64_t tracks;
  std::uint32_t heads, wedges, band;
  bool surfaces_alternate, bands_alternate;
  std::set<std::int64_t> within, between;  // skews
  std::uint32_t block_bytes, physical_block_bytes;
};

// The figures that docs/virtual-drives.md gives.
const Facts kFacts[] = {
    {"modern-500gb", 500, 7206, 7200, 712'800, 4, 108, 120, false, true, {9}, {24, 36}, 512, 512},
    {"modern-1tb",
     1000,
     7247.1,
     7200,
     879'000,
     4,
     200,
     150,
     false,
     false,
     {16, 17},
     {44, 60},
     512,
     512},
    {"modern-5tb",
     5000,
     7198.6,
     7200,
     3'286'141,
     10,
     320,
     325,
     true,
     false,
     {25, 26},
     {70, 110},
     512,
     4096},
    {"modern-10heads",
     8000,
     7201.3,
     7200,
     4'800'000,
     10,
     384,
     200,
     false,
     true,
     {30},
     {120, 200},
     512,
     4096},
    {"modern-20tb",
     20'000,
     7193.4,
     7200,
     11'565'000,
     20,
     384,
     300,
     true,
     true,
     {30, 31, 32},
     {120, 200},
     4096,
     4096},
    {"modern-20tb-slips",
     20'000,
     7193.4,
     7200,
     11'565'000,
     20,
     384,
     300,
     true,
     true,
     {30, 31, 32},
     {120, 200},
     4096,
     4096},
    {"modern-500gb-usb",
     500,
     7206,
     7200,
     712'800,
     4,
     108,
     120,
     false,
     true,
     {9},
     {24, 36},
     512,
     4096},
    {"sas-147gb",
     147,
     15'005.2,
     15'000,
     299'000,
     4,
     256,
     65,
     false,
     true,
     {32},
     {56, 72},
     512,
     512},
};

template <typename Key>
std::set<Key> keys_of(const std::map<Key, std::uint64_t>& counted) {
  std::set<Key> keys;
  for (const auto& [key, count] : counted) keys.insert(key);
  return keys;
}

// Which surface the i-th band is of, and whether it goes outwards.
void check_order(const BandWalk& walk, std::uint32_t heads, std::uint32_t band,
                 bool surfaces_alternate, bool bands_alternate) {
  std::size_t in_order = 0;
  for (std::size_t i = 0; i < walk.bands.size(); ++i) {
    const SeenBand& seen = walk.bands[i];
    const auto round = static_cast<std::uint32_t>(i / heads),
               place = static_cast<std::uint32_t>(i % heads);
    const bool downward = surfaces_alternate && round % 2 == 1;
    const bool outward = bands_alternate && place % 2 == 1;
    in_order += seen.head == (downward ? heads - 1 - place : place) && seen.straight &&
                (seen.tracks == 1 || seen.step == (outward ? -1 : 1)) &&
                seen.lowest() == round * band && seen.highest() < (round + 1) * band;
  }
  CHECK(in_order == walk.bands.size());
}

void check_there_and_back(const model::Layout& layout, int samples) {
  const engine::LayoutMap map(layout);
  REQUIRE(map.blocks() == model::count_blocks(layout));
  std::mt19937_64 random(3);
  int same = 0;
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t lbn = random() % map.blocks();
    same += map.lbn_of_pbn(map.pbn_of_lbn(lbn)) == lbn;
  }
  CHECK(same == samples);
}

struct Holes {
  std::uint64_t few = 0, most = 0, whole = 0;  // tracks that lack 1 to 8 sectors, more, all
};

// Of sectors of so many blocks. A track with several small holes counts once for each.
Holes holes_of(const model::Layout& layout, std::uint32_t blocks_of_sector) {
  const engine::LayoutMap map(layout);
  Holes holes;
  for (const model::Skip& skip : layout.skips)
    for (std::uint64_t i = 0; i < skip.count; ++i) {
      const std::uint64_t first = skip.first_slot + i * skip.stride;
      REQUIRE(skip.length % blocks_of_sector == 0);
      const engine::Track track = map.track_of_slot(first);
      REQUIRE((first - track.first_slot) % blocks_of_sector == 0);
      if (skip.length >= track.sectors)
        ++holes.whole;
      else
        ++(skip.length / blocks_of_sector <= 8 ? holes.few : holes.most);
    }
  return holes;
}

scsi::Command read_16(std::uint64_t lbn, std::uint32_t block_bytes, bool fua = false) {
  scsi::Command built = command({0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, block_bytes);
  if (fua) built.cdb[1] = 0x08;
  scsi::put_be(&built.cdb[2], 8, lbn);
  scsi::put_be(&built.cdb[10], 4, 1);
  return built;
}

scsi::Command page_40h() {
  return command_with({0x1d, 0x10, 0, 0, 14, 0}, {0x40, 0, 0, 10, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0});
}

constexpr std::uint32_t kInvalidField = 0x52400, kInvalidParameter = 0x52600;

bool is_refused(std::uint32_t sense) {
  return sense == kInvalidField || sense == kInvalidParameter;
}

}  // namespace

TEST_CASE("each drive of today is in the table of this test") {
  std::set<std::string> told, made;
  for (const Facts& facts : kFacts) told.insert(facts.name);
  for (const auto& entry : catalogue())
    if (entry.modern && entry.name != kTwoArms && !entry.name.starts_with("modern-smr-"))
      made.insert(std::string(entry.name));
  CHECK(told == made);
  CHECK(made.size() + 3 == modern_drives().size());
}

TEST_CASE("drives of today have the published sizes, orders and skews") {
  for (const Facts& facts : kFacts) {
    INFO(facts.name);
    const model::DriveModel model = virtual_model(facts.name);
    REQUIRE_NOTHROW(model::validate(model, "it"));
    const auto bytes = static_cast<double>(model.identity.blocks) * model.identity.block_bytes;
    CHECK(bytes / 1e9 == Approx(facts.gigabytes).epsilon(0.005));
    CHECK(model.identity.block_bytes == facts.block_bytes);
    CHECK(model.identity.physical_block_bytes == facts.physical_block_bytes);
    CHECK(model.identity.heads == facts.heads);
    CHECK(60e9 * static_cast<double>(model.rotation.denominator) /
              static_cast<double>(model.rotation.numerator_ns) ==
          Approx(facts.rpm).epsilon(1e-9));
    CHECK(model.firmware->nominal_rpm == facts.nominal_rpm);
    const double stroke_ms = model.seek.points.back().time_ms, turn_ms = 60e3 / facts.rpm;
    CHECK(stroke_ms > 1.3 * turn_ms);
    CHECK(stroke_ms < 3.6 * turn_ms);

    const BandWalk walk = walk_bands(model.layout, facts.wedges, facts.band);
    CHECK(walk.tracks == facts.tracks);
    CHECK(walk.off_wedge < 1e-6);
    CHECK(keys_of(walk.within) == facts.within);
    CHECK(keys_of(walk.between) == facts.between);
    check_order(walk, facts.heads, facts.band, facts.surfaces_alternate, facts.bands_alternate);
    CHECK(std::ranges::all_of(walk.bands, &SeenBand::one_size));
    check_there_and_back(model.layout, 500);
  }
}

TEST_CASE("the 20 TB drive is the one of which the method's figures are told") {
  const model::DriveModel model = virtual_model("modern-20tb");
  const BandWalk walk = walk_bands(model.layout, 384, 300);
  CHECK(walk.bands.size() == 38'550);
  CHECK(walk.sizes.size() == 62);
  CHECK(walk.sizes.rbegin()->first > 580);
  CHECK(walk.sizes.begin()->first < 270);
  const std::uint64_t borders = borders_of(walk);
  CHECK(borders > 800);
  CHECK(borders < 1000);
  std::set<std::size_t> radii;
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (std::size_t i = 0; i < walk.bands.size(); ++i) {
    const SeenBand& band = walk.bands[i];
    if (i >= 20 && sizes[band.head] != band.sectors) radii.insert(i / 20);
    sizes[band.head] = band.sectors;
  }
  CHECK(radii.size() > 500);
  CHECK(radii.size() < 600);
  CHECK(model::to_json_text(model).size() < 8'000'000);

  const Holes holes = holes_of(model.layout, 1);
  CHECK(static_cast<double>(holes.few) == Approx(3500).margin(150));
  CHECK(static_cast<double>(holes.most) == Approx(1000).margin(100));
  CHECK(static_cast<double>(holes.whole) == Approx(500).margin(70));
  CHECK(holes.few + holes.most + holes.whole == 5000);

  const model::DriveModel slipped = virtual_model("modern-20tb-slips");
  const Holes more = holes_of(slipped.layout, 1);
  CHECK(more.few - holes.few > 59'800);  // some lie within other holes, or side by side
  CHECK(more.few - holes.few <= 60'000);
  CHECK(more.whole == holes.whole);
  CHECK(keys_of(walk_bands(slipped.layout, 384, 300).sizes) == keys_of(walk.sizes));
}

TEST_CASE("the other drives of today have what sets them apart") {
  const auto walk_of = [](const char* name, std::uint32_t wedges, std::uint32_t band) {
    return walk_bands(virtual_model(name).layout, wedges, band);
  };
  const BandWalk outer = walk_of("modern-1tb", 200, 150);
  CHECK(outer.bands.front().sectors == 2937);
  CHECK(outer.sizes.rbegin()->first == 2937);

  // Ten pitches: bands of a surface differ by a track, and no surface has the tracks of another.
  const BandWalk pitched = walk_of("modern-5tb", 320, 325);
  std::map<std::uint32_t, std::set<std::uint64_t>> tracks_of_bands;
  std::map<std::uint32_t, std::uint64_t> tracks, sectors;
  for (const SeenBand& band : pitched.bands) {
    tracks_of_bands[band.head].insert(band.tracks);
    tracks[band.head] += band.tracks;
    sectors[band.head] += band.tracks * band.sectors;
  }
  std::set<std::uint64_t> different;
  for (const auto& [head, counts] : tracks_of_bands) {
    CHECK(*counts.rbegin() - *counts.begin() == (head == 0 ? 0 : 1));
    different.insert(tracks[head]);
  }
  CHECK(different.size() == 10);
  std::set<std::uint64_t> densities;
  for (const auto& [head, sum] : sectors) densities.insert(sum / tracks[head] / 4);
  CHECK(densities.size() >= 9);
  CHECK(pitched.tracks / pitched.bands.size() == 315);

  CHECK(walk_of("modern-10heads", 384, 200).sizes.size() == 61);

  const Holes single = holes_of(virtual_model("sas-147gb").layout, 1);
  CHECK(single.few > 3390);
  CHECK(single.few <= 3400);
  CHECK(single.most + single.whole == 0);

  // Of the 512e drives no part of a physical block is on one track, or lost, without the rest.
  for (const char* name : {"modern-500gb-usb", "modern-5tb", "modern-10heads"}) {
    INFO(name);
    const model::DriveModel model = virtual_model(name);
    CHECK(holes_of(model.layout, 8).most > 0);
    for (const auto& [size, count] : walk_bands(model.layout, 1, 1).sizes) CHECK(size % 8 == 0);
  }
}

TEST_CASE("drives of today answer, translate nothing, and force reads unless a bridge is between") {
  for (const Facts& facts : kFacts) {
    INFO(facts.name);
    const bool usb = std::string_view(facts.name).ends_with("usb");
    model::DriveModel model = virtual_model(std::string(facts.name) + "?seed=1");
    CHECK(model.imperfections->host_delay_median_us == (usb ? 30 : 10));
    CHECK(model.imperfections->host_delay_p99_us == (usb ? 300 : 100));
    CHECK(model.imperfections->host_stall_share *
              std::exp(-250 / model.imperfections->host_stall_mean_us) ==
          Approx(0.002));
    VirtualDevice device(model);
    CHECK(sense_of(run(device, command({0, 0, 0, 0, 0, 0}))) == 0x62900);
    CHECK(is_refused(sense_of(run(device, page_40h()))));
    std::mt19937_64 random(5);
    for (int i = 0; i < 50; ++i) {
      const auto done = run(device, read_16(random() % model.identity.blocks, facts.block_bytes));
      CHECK(sense_of(done) == 0);
      CHECK(done.response_ns() < 100 * kMillisecond);
    }
    CHECK(sense_of(run(device, read_16(model.identity.blocks, facts.block_bytes))) == 0x52100);
    CHECK(sense_of(run(device, read_16(7, facts.block_bytes, true))) == (usb ? kInvalidField : 0));
    const auto again = run(device, command({0x12, 0, 0, 0, 96, 0}, 96));
    const bool sas = std::string_view(facts.name).starts_with("sas");
    CHECK((std::string(again.data.begin() + 8, again.data.begin() + 11) == "ATA") == !sas);

    VirtualDevice translating(
        virtual_model(std::string(facts.name) + "?seed=1&page40h=yes&imperfections=none"));
    CHECK(sense_of(run(translating, page_40h())) == 0);
  }
}

TEST_CASE("modern random drives are valid, the same again, and what their recipes say") {
  std::set<std::uint32_t> blocks, nominal;
  std::set<std::pair<bool, bool>> orders;
  std::size_t pitched = 0, within_bands = 0, slips = 0, single_tracks = 0;
  constexpr std::uint64_t kSeeds = 60;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    const ModernDrive made_of = modern_random_recipe(seed);
    const ModernRecipe& recipe = made_of.recipe;
    const model::DriveModel model = modern_random_drive(seed);
    INFO(model.provenance.notes.front());
    REQUIRE_NOTHROW(model::validate(model, "it"));
    const auto bytes = static_cast<double>(model.identity.blocks) * model.identity.block_bytes;
    CHECK(bytes > 80e9);
    CHECK(bytes < 28e12);
    const double rpm = 60e9 * static_cast<double>(model.rotation.denominator) /
                       static_cast<double>(model.rotation.numerator_ns);
    CHECK(rpm != model.firmware->nominal_rpm);
    CHECK(rpm == Approx(model.firmware->nominal_rpm).epsilon(0.0071));
    const double turn_ms = 60e3 / rpm;
    CHECK(model.seek.points.back().time_ms < 3.65 * turn_ms);
    CHECK(model.seek.points.back().time_ms > 1.25 * turn_ms);
    CHECK_FALSE(model.firmware->address_translation);
    // The arm is there in time where the next track begins.
    CHECK(recipe.track_skews.front() * turn_ms / recipe.wedges > model.seek.points.front().time_ms);
    CHECK(recipe.head_skew * turn_ms / recipe.wedges > model.head_switch.value.value_or(0));
    CHECK(recipe.round_skew < recipe.wedges);
    check_there_and_back(model.layout, 200);

    const Serpentine& order = recipe.serpentine;
    pitched += std::ranges::any_of(recipe.surfaces, [](const auto& s) { return s.pitch < 1; });
    within_bands += recipe.border_rounds == 0;
    slips += recipe.irregularities.singles > 0;
    single_tracks += recipe.band == 1;
    blocks.insert(model.identity.block_bytes + model.identity.physical_block_bytes);
    nominal.insert(made_of.mechanics.nominal_rpm);
    orders.insert({order.surfaces_alternate, order.bands_alternate});
    if (std::uint64_t{recipe.bands} * recipe.band > 1'200'000) continue;  // a walk takes long
    const BandWalk walk = walk_bands(model.layout, recipe.wedges, recipe.band);
    CHECK(walk.off_wedge < 1e-6);
    const auto heads = static_cast<std::uint32_t>(recipe.surfaces.size());
    if (heads > 1) CHECK(walk.bands.size() == recipe.bands);
    if (heads > 1)
      check_order(walk, heads, recipe.band, order.surfaces_alternate, order.bands_alternate);
    std::set<std::int64_t> skews(recipe.track_skews.begin(), recipe.track_skews.end());
    const auto within = keys_of(walk.within);
    CHECK(std::ranges::includes(skews, within));
  }
  CHECK(blocks == std::set<std::uint32_t>{1024, 4608, 8192});
  CHECK(orders.size() == 4);
  CHECK(nominal.size() >= 6);
  CHECK(pitched > kSeeds / 10);
  CHECK(within_bands > kSeeds / 10);
  CHECK(slips > kSeeds / 10);
  CHECK(single_tracks > 0);
  CHECK(model::to_json_text(modern_random_drive(9)) == model::to_json_text(modern_random_drive(9)));
  CHECK(model::to_json_text(modern_random_drive(9)) != model::to_json_text(modern_random_drive(7)));
  CHECK(virtual_model("virtual:modern-random-9?seed=4").identity.serial == "VIRTUAL-MODERN-9");
  CHECK_THROWS_AS(virtual_model("virtual:modern-random-9x"), Error);
}

// Defect lists in bytes from the index, on drives that say of places in physical sectors only: what
// they name is found all the same.
#include "layout/defect_lists.h"

#include <cmath>
#include <random>

#include "catch.h"
#include "layout/extract.h"
#include "layout/index_rotation.h"
#include "layout/synthetic.h"
#include "scsi/guard.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_layout.h"
#include "virtual_drive/virtual_device.h"

namespace platter::layout::testing {
namespace {

using virtual_drive::build;
using virtual_drive::Order;
using virtual_drive::Recipe;
using virtual_drive::Unit;

TrackOrder serpentine() {
  std::vector<TrackPlace> met;
  for (std::int64_t cylinder = 0; cylinder < 6; ++cylinder)
    for (std::int64_t i = 0; i < 5; ++i) met.push_back({cylinder, cylinder % 2 == 0 ? i : 4 - i});
  met.push_back({6, 0});
  return TrackOrder(met);
}

double fraction(double rev) { return rev - std::floor(rev); }

TEST_CASE("the skews of a zone follow from where a few of its tracks begin") {
  const TrackOrder order = serpentine();
  constexpr std::uint64_t kTracks = 20'000;
  constexpr double kHead = 0.137, kCylinder = 0.291, kStart = 0.77, kSlot = 1.0 / 250;
  const auto truth = [&](std::uint64_t track) {
    const std::uint64_t cylinders = track / 5;
    return fraction(kStart + kHead * static_cast<double>(track - cylinders) +
                    kCylinder * static_cast<double>(cylinders));
  };
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::uint64_t> any(0, kTracks - 1);
  std::uniform_real_distribution<double> off(-kSlot / 2, kSlot / 2), anywhere(0, 1);
  std::vector<TrackStart> seen;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t track = any(random);
    seen.push_back({track, fraction(truth(track) + off(random))});
  }
  SECTION("all of them right") {}
  SECTION("a few of them wrong") {
    for (int i = 0; i < 4; ++i) seen[i * 5].rev = anywhere(random);
  }
  const auto fit = fit_rotation(order, kTracks, seen, kSlot);
  REQUIRE(fit);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t track = any(random);
    const double error = fit->at(track) - truth(track);
    CHECK(std::abs(error - std::round(error)) < kSlot);
  }
}

TEST_CASE("no skews follow from tracks that begin anywhere, or from few tracks") {
  const TrackOrder order = serpentine();
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::uint64_t> any(0, 4999);
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (int i = 0; i < 10; ++i) {
    std::vector<TrackStart> seen(static_cast<std::size_t>(4 + i));
    for (TrackStart& start : seen) start = {any(random), anywhere(random)};
    CHECK_FALSE(fit_rotation(order, 5000, seen, 1.0 / 250));
  }
}

Recipe recipe_with_defects(std::mt19937_64& random) {
  Recipe recipe = virtual_drive::random_recipe(random,
                                               {.least_slots = 50'000, .most_slots = 150'000});
  recipe.zones = std::min(recipe.zones, 3U);
  recipe.defects.singles = 100;
  recipe.remaps = 10;
  recipe.slips_tracks = false;
  return recipe;
}

Extraction map(const virtual_drive::RandomLayout& drive, Behaviour behaviour) {
  SyntheticTranslator translator(drive.truth, behaviour);
  translator.primary = drive.primary;
  translator.grown = drive.grown;
  return by_address_translation(translator);
}

TEST_CASE("remapped blocks that only a list in bytes from the index names are found") {
  constexpr std::uint64_t kDrives = 25;
  Behaviour behaviour;
  behaviour.says_remapped = false;
  behaviour.lists_from_index = true;
  SECTION("where places are translated back") {}
  SECTION("where they are not") { behaviour.translates_back = false; }
  SECTION("where slipped sectors have no number") { behaviour.sectors = Sectors::without_holes; }
  std::uint64_t by_skews = 0;
  for (std::uint64_t seed = 0; seed < kDrives; ++seed) {
    std::mt19937_64 random(seed + 31'000);
    const auto drive = build(recipe_with_defects(random), random);
    INFO("seed " << seed << ": " << drive.description);
    const Extraction found = map(drive, behaviour);
    CHECK(difference(drive.truth, found.layout, false) == "");
    by_skews += found.notes.at(1).text().find("from the skews") != std::string::npos;
  }
  if (behaviour.sectors == Sectors::from_first) CHECK(by_skews > kDrives / 2);
}

TEST_CASE("bytes from the index name the sectors of a drive that counts from there") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed + 31'000);
    const auto drive = build(recipe_with_defects(random), random);
    INFO("seed " << seed << ": " << drive.description);
    const Extraction found = map(drive, {.sectors = Sectors::from_index, .lists_from_index = true});
    CHECK(difference(drive.truth, found.layout, false) == "");
    CHECK(found.notes.at(1).text().find("counted from the index as the drive's are") !=
          std::string::npos);
  }
}

Extraction mapped(const char* name, const model::DriveModel& model, const Options& how = {}) {
  virtual_drive::VirtualDevice device(model);
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, name);
  DriveTranslator translator(drive, name);
  return by_address_translation(translator, how);
}

Extraction through_commands(const char* name, const Options& how = {}) {
  model::DriveModel model = virtual_drive::virtual_model(name);
  model.imperfections.reset();
  Extraction found = mapped(name, model, how);
  CHECK(difference(model.layout, found.layout, false) == "");
  return found;
}

TEST_CASE("behind a sample of the listed defects is as good as behind all, where lists are right") {
  for (const char* name :
       {"virtual:spare-cylinder", "virtual:many-defects", "virtual:spare-track"}) {
    CAPTURE(name);
    const Extraction all = through_commands(name);
    const Extraction sampled = through_commands(name, {.all_listed = false});
    CHECK(sampled.translations <= all.translations);
  }
}

// Zones of a few tracks each, of which some turn out to be shorter than their slots were counted.
TEST_CASE("a map that is not understood everywhere is a map all the same") {
  const char* const name = "virtual:random-415011";
  model::DriveModel model = virtual_drive::virtual_model(name);
  model.imperfections.reset();
  const Extraction found = mapped(name, model);
  CHECK(engine::LayoutMap(found.layout).blocks() == model.identity.blocks);
  CHECK(found.notes.size() > 2);
}

TEST_CASE("the note about defect lists says what was given and how far it was used") {
  const auto said = [](const Extraction& found, const char* words) {
    return found.notes.at(1).text().find(words) != std::string::npos;
  };
  const Extraction in_bytes = through_commands("virtual:random-5028");
  CHECK(said(in_bytes, "1179 primary defects and 6 grown defects, in bytes from the index"));
  CHECK(said(in_bytes, "from the skews"));
  const Extraction unnumbered = through_commands("virtual:random-5026");
  CHECK(said(unnumbered, "only the track is known"));
  const Extraction in_sectors = through_commands("virtual:spare-cylinder");
  CHECK(said(in_sectors, "in physical sectors; the neighbourhood of all"));
  CHECK_FALSE(said(in_sectors, "only the track"));
  DefectLists empty;
  empty.primary.emplace();
  empty.primary->format = "bytes from the index";
  CHECK(in_words(empty, {}) ==
        "the drive gives 0 primary defects and no grown list, in bytes from the index");
}

}  // namespace
}  // namespace platter::layout::testing

// A drive of today that translates no addresses is characterized all the same: its map by timing,
// compared with the truth, and what the map says of itself.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "engine/layout_map.h"
#include "extract/runs.h"
#include "virtual_drive/modern_drive.h"
#include "virtual_drive/split_units.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel small_drive(std::uint32_t blocks_of_sector = 1, std::uint32_t times = 1) {
  virtual_drive::ModernDrive drive;
  drive.recipe.surfaces = {{1, 1}, {0.98, 1}, {1.02, 1}, {0.99, 1}};
  drive.recipe.band = 40 * times;
  drive.recipe.bands = 4 * 50 * times;
  drive.recipe.sectors = 320 * blocks_of_sector;
  drive.recipe.last_sectors = 240 * blocks_of_sector;
  drive.recipe.formats = 6 * times;
  drive.recipe.blocks_of_sector = blocks_of_sector;
  drive.recipe.irregularities.tracks = 4;
  drive.block_bytes = 512;
  drive.physical_block_bytes = 512 * blocks_of_sector;
  std::mt19937_64 random(7);
  model::DriveModel model = virtual_drive::make_modern(drive, random);
  model.imperfections->seed = 5;  // else every run has another one
  model.identity.name = "small";
  model.identity.vendor = "PLATTER", model.identity.product = "SMALL",
  model.identity.revision = "1";
  model.identity.serial = "SMALL-1";
  return model;
}

constexpr std::uint32_t kOf64Gb = 7;  // times as many bands, of as many times the tracks

struct Found {
  double sectors = 0, first_lbn = 0, within_100 = 0;
};

Found compare(const model::Layout& found, const model::Layout& truth) {
  const engine::LayoutMap map(found), real(truth);
  REQUIRE(map.blocks() >= real.blocks());
  constexpr int kBlocks = 4000;
  std::mt19937_64 random(1);
  std::vector<double> offs;
  Found shares;
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t lbn = std::uniform_int_distribution<std::uint64_t>(
        0, real.blocks() - 1)(random);
    const auto slot = map.slot_of_lbn(lbn), real_slot = real.slot_of_lbn(lbn);
    const auto track = map.track_of_slot(slot), real_track = real.track_of_slot(real_slot);
    shares.sectors += track.sectors == real_track.sectors;
    shares.first_lbn += map.lbn_at_or_after_slot(track.first_slot) ==
                        real.lbn_at_or_after_slot(real_track.first_slot);
    offs.push_back(engine::rev_from_angle(map.angle_of_lbn(lbn) - real.angle_of_lbn(lbn)));
  }
  // Their common angle: that with most of them about it.
  double most = 0;
  for (const double about : {offs[0], offs[100], offs[200], offs[300], offs[400]}) {
    double near = 0;
    for (const double off : offs) near += std::abs(off - about - std::round(off - about)) < 0.01;
    most = std::max(most, near);
  }
  return {shares.sectors / kBlocks, shares.first_lbn / kBlocks, most / kBlocks};
}

}  // namespace

TEST_CASE("a drive that does not translate is mapped by timing, and characterized in all stages") {
  const std::uint32_t blocks_of_sector = GENERATE(1U, 8U);
  const Folder folder;
  const model::DriveModel truth = small_drive(blocks_of_sector);
  virtual_drive::VirtualDevice device(truth);
  const Run run = characterize(device, options_in(folder));
  const model::Layout& layout = run.model.layout;
  INFO(layout.reason);
  REQUIRE(layout.method == "timing");
  const Found found = compare(layout, truth.layout);
  CHECK(found.sectors > 0.995);
  CHECK(found.first_lbn > 0.97);
  CHECK(found.within_100 > 0.98);
  REQUIRE(layout.timed);
  CHECK(layout.timed->blocks > 230);
  REQUIRE(layout.timed->shares.size() == 3);
  CHECK(layout.timed->shares[1].low <= found.within_100 + 0.01);
  CHECK(layout.timed->shares[1].high >= found.within_100 - 0.01);
  CHECK(run.model.seek.points.size() > 5);
  CHECK(run.model.head_switch);
  CHECK(run.model.identity.heads == 4);
  REQUIRE_FALSE(run.model.validity.demerits.empty());
}

namespace {

model::DriveModel small_drive_of_two_arms() {
  virtual_drive::ModernDrive drive;
  drive.recipe.surfaces = {{1, 1}, {0.98, 1}};
  drive.recipe.band = 40;
  drive.recipe.bands = 200;
  drive.recipe.sectors = 320;
  drive.recipe.last_sectors = 240;
  drive.recipe.formats = 6;
  drive.recipe.irregularities.tracks = 4;
  drive.arms = 2;
  drive.attachment = virtual_drive::Attachment::sas;
  std::mt19937_64 random(7);
  model::DriveModel model = virtual_drive::make_modern(drive, random);
  model.imperfections->seed = 5;
  model.identity.name = "small with two arms";
  model.identity.vendor = "PLATTER", model.identity.product = "SMALL",
  model.identity.revision = "1", model.identity.serial = "SMALL-2";
  return model;
}

double layout_s(const model::DriveModel& model) {
  for (const model::StageTime& stage : model.provenance.stages)
    if (stage.name == "layout") return stage.drive_seconds;
  return 0;
}

}  // namespace

TEST_CASE("both arms are mapped at once, in the time of one, with angles from one zero") {
  const Folder folder;
  const model::DriveModel truth = small_drive_of_two_arms();
  const auto mapped = [&](scsi::Device& device) {
    Options options = options_in(folder);
    options.precision = mtbrc::Precision::enough;
    return characterize(device, options).model;
  };
  virtual_drive::VirtualDevice device(truth);
  const model::DriveModel model = mapped(device);
  REQUIRE(model.arms);
  REQUIRE(model.layout.method == "timing");
  const Found found = compare(model.layout, truth.layout);
  CHECK(found.sectors > 0.995);
  CHECK(found.within_100 > 0.98);
  CHECK(model.identity.heads == 4);
  const virtual_drive::SplitUnits units(truth, "units");
  const model::DriveModel one = mapped(*units.unit(0, "first"));
  INFO("both " << layout_s(model) << " s, one " << layout_s(one) << " s");
  CHECK(layout_s(model) < 1.4 * layout_s(one));  // of a map of seconds; one after the other: 2
  virtual_drive::VirtualDevice same(truth);
  CHECK(layout_s(mapped(same)) == layout_s(model));
}

TEST_CASE("where time ends before a map by timing is whole, the model says what is not mapped") {
  const Folder folder;
  const model::DriveModel truth = small_drive(1, kOf64Gb);
  virtual_drive::VirtualDevice device(truth);
  Options options = options_in(folder);
  options.budget_s = 50;
  const Run run = characterize(device, options);
  const model::Layout& layout = run.model.layout;
  REQUIRE_FALSE(layout.zones.empty());
  REQUIRE(layout.not_understood.size() == 1);
  CHECK(layout.not_understood.front().last_lbn == run.model.identity.blocks - 1);
  CHECK_THAT(layout.not_understood.front().reason, Catch::Contains("the time ended"));
  REQUIRE(run.ended_by);
  CHECK(run.ended_by->status() == ExitStatus::incomplete);
  CHECK(model::finding_of(run.model.provenance, model::Code::layout_unfinished) != nullptr);
  if (!run.model.validity.demerits.empty())
    CHECK(run.model.validity.last_lbn == layout.not_understood.front().first_lbn - 1);
}

namespace {

// With many bands, each of which is a zone where it is told by translation.
model::DriveModel translating_drive() {
  model::DriveModel model = small_drive(1, kOf64Gb);
  model.firmware->address_translation = true;
  return model;
}

}  // namespace

TEST_CASE("a map of many zones is made by timing, with surfaces that translation tells") {
  const Folder folder;
  const model::DriveModel truth = translating_drive();
  virtual_drive::VirtualDevice device(truth);
  const Run run = characterize(device, options_in(folder));
  const model::Layout& layout = run.model.layout;
  CHECK(layout.method == "timing");
  CHECK(layout.heads.value == 4.0);
  CHECK(layout.heads.method == "address translation");
  const Found found = compare(layout, truth.layout);
  CHECK(found.sectors > 0.995);
  CHECK(found.within_100 > 0.98);
}

}  // namespace platter::extract

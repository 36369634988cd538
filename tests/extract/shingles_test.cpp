// Shingled drives are recognized by blocks that are rewritten in place, and what is measured of
// them is what they are; conventional drives are not taken for such.
#include <cmath>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "extract/shingles_of_drive.h"
#include "model/finding_kinds.h"
#include "model/json.h"
#include "model/stand_ins.h"
#include "model/validate.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

constexpr double kMib_blocks = 2048;

// A catalogue drive with bands and a media cache that are small enough for a test.
model::DriveModel shingled_atlas(std::uint64_t seed, bool when_idle, double cache_mib = 60) {
  model::DriveModel drive = drive_named("quantum-atlas10k");
  drive.imperfections = virtual_drive::default_imperfections(seed);
  drive.firmware->scsi_level = "SPC-3";
  model::Shingling& shingling = drive.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.band_blocks.value = 15 * kMib_blocks;
  shingling.media_cache_blocks.value = cache_mib * kMib_blocks;
  shingling.map_entries.value = 1500;
  shingling.cleans_when_idle.value = when_idle ? 1 : 0;
  shingling.idle_threshold.value = 800;
  shingling.band_cleaning.value = 650;
  return drive;
}

Options options_that_write(const Folder& folder, const model::DriveModel& drive) {
  Options options = options_in(folder);
  options.writable = {{0, model::count_blocks(drive.layout) - 1}};
  return options;
}

bool says_blocks_move(const model::DriveModel& model, const char* words) {
  for (const model::Finding& finding : model.provenance.findings)
    if (finding.code == "blocks-move" && finding.text.find(words) != std::string::npos) return true;
  return false;
}

void check_within(const model::Parameter& found, double truth, double share) {
  REQUIRE(found);
  INFO("found " << *found.value << " +- " << *found.error << ", is " << truth);
  CHECK(std::abs(*found.value / truth - 1) < share);
}

}  // namespace

TEST_CASE("A shingled drive that cleans when idle is recognized and measured, and all comes home") {
  const Folder folder;
  const model::DriveModel truth = shingled_atlas(21, true);
  virtual_drive::VirtualDevice drive(truth);
  KeptLines kept;
  Options options = options_that_write(folder, truth);
  options.shingles = MeasureShingles::all;
  options.keeper = &kept;
  const Run run = characterize(drive, options);
  const model::DriveModel& model = run.model;
  REQUIRE(model.shingling);
  CHECK(says_blocks_move(model, "as of the model's date"));
  CHECK_FALSE(says_blocks_move(model, "rewrote"));
  CHECK_FALSE(run.not_restored);
  CHECK_FALSE(run.journal_stays);
  const model::Shingling& found = *model.shingling;
  CHECK(found.cleans_when_idle.value == 1);
  check_within(found.band_blocks, 15 * kMib_blocks, 0.02);
  check_within(found.media_cache_blocks, 60 * kMib_blocks, 0.02);
  check_within(found.map_entries, 1500, 0.005);
  check_within(found.idle_threshold, 800, 0.03);
  check_within(found.band_cleaning, 650, 0.01);
  CHECK(*found.band_cleaning.error < 5);
  CHECK(found.displaced.empty());
  const KeptRecord again = read_lines(kept.whole(run));
  CHECK(model::to_json_text(extract::estimate(again.record)) == model::to_json_text(model));
}

TEST_CASE("A media cache that is larger than the journal may be is bounded, and none of its map") {
  const Folder folder;
  const model::DriveModel truth = shingled_atlas(26, true, 200);
  Options options = options_that_write(folder, truth);
  options.shingles = MeasureShingles::all;
  options.most_journaled_bytes = 60 << 20;
  virtual_drive::VirtualDevice drive(truth);
  const model::DriveModel model = characterize(drive, options).model;
  REQUIRE(model.shingling);
  const model::Parameter& cache = model.shingling->media_cache_blocks;
  CHECK_FALSE(cache);
  CHECK(cache.reason.find("rewrites") != std::string::npos);
  REQUIRE(cache.at_least);
  CHECK(acting(*model.shingling, cache).value == *cache.at_least);
  CHECK(*cache.at_least > 0);
  CHECK(*cache.at_least < 200 * kMib_blocks);
  CHECK(acting(*model.shingling, model.shingling->map_entries).value == 0);
}

TEST_CASE("A shingled drive of which there is no map is recognized and measured all the same") {
  const Folder folder;
  model::DriveModel truth = shingled_atlas(25, true);
  truth.firmware->address_translation = false;
  Options options = options_that_write(folder, truth);
  options.map_by_time = MapByTime::none;
  options.shingles = MeasureShingles::bands;
  virtual_drive::VirtualDevice drive(truth);
  const Run run = characterize(drive, options);
  CHECK(run.model.layout.zones.empty());
  REQUIRE(run.model.shingling);
  CHECK(run.model.shingling->cleans_when_idle.value == 1);
  check_within(run.model.shingling->band_blocks, 15 * kMib_blocks, 0.02);
  check_within(run.model.shingling->idle_threshold, 800, 0.03);
  check_within(run.model.shingling->band_cleaning, 650, 0.05);
  CHECK_FALSE(says_blocks_move(run.model, "rewrote"));

  truth.shingling.reset();
  virtual_drive::VirtualDevice conventional(truth);
  CHECK_FALSE(characterize(conventional, options).model.shingling);
}

TEST_CASE("A lazy shingled drive tells its media cache and its band when that is full", "[.long]") {
  const Folder folder;
  const model::DriveModel truth = shingled_atlas(22, false, 300);
  virtual_drive::VirtualDevice drive(truth);
  Options options = options_that_write(folder, truth);
  options.shingles = MeasureShingles::all;
  const Run run = characterize(drive, options);
  REQUIRE(run.model.shingling);
  const model::Shingling& found = *run.model.shingling;
  CHECK(found.cleans_when_idle.value == 0);
  check_within(found.band_blocks, 15 * kMib_blocks, 0.02);
  check_within(found.media_cache_blocks, 300 * kMib_blocks, 0.02);
  check_within(found.band_cleaning, 650, 0.15);
  CHECK(says_blocks_move(run.model, "stay in the media cache"));
}

TEST_CASE("A conventional drive is not taken for a shingled one") {
  const Folder folder;
  model::DriveModel truth = shingled_atlas(23, true);
  truth.shingling.reset();
  virtual_drive::VirtualDevice drive(truth);
  const Run run = characterize(drive, options_that_write(folder, truth));
  CHECK_FALSE(run.model.shingling);
  CHECK(run.model.write_settle);
}

TEST_CASE("Without writes a drive is believed that says that it is shingled") {
  const Folder folder;
  model::DriveModel truth = shingled_atlas(24, true);
  truth.firmware->zoned = 2;
  truth.shingling->displaced = {{4'000'000, 4'039'999}};
  virtual_drive::VirtualDevice drive(truth);
  Options options = options_in(folder);
  double expected_s = 0;
  options.expected = [&](double seconds) { expected_s = seconds; };
  const Run recognized = characterize(drive, options);
  REQUIRE(recognized.model.shingling);
  CHECK(recognized.model.shingling->displaced_from_blocks == 0);  // nobody looked
  const double without_s = expected_s;
  options.shingles = MeasureShingles::bands;
  virtual_drive::VirtualDevice again(truth);
  const Run run = characterize(again, options);
  CHECK(expected_s > without_s);
  REQUIRE(run.model.shingling);
  CHECK(run.model.shingling->displaced.size() == 1);
  CHECK(run.model.shingling->displaced_from_blocks > 0);
  CHECK(run.model.identity.zones == "device-managed");
  CHECK_FALSE(run.model.shingling->band_blocks);
  CHECK_FALSE(run.model.shingling->band_blocks.reason.empty());
  model::DriveModel dated = run.model;
  dated.provenance.date = "2026-11-30T12:00:00Z";
  say_as_of_when(dated);
  CHECK(
      dated.validity.note ==
      run.model.validity.note +
          "; as of 2026-11-30T12:00:00Z; the map of blocks that were rewritten since is not known");
}

}  // namespace platter::extract

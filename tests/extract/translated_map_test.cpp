// A translated map against timed reads: longer tracks move no block, what is contradicted is not
// given as fact, and a whole run on a drive that lies ends as one on a drive that does not
// translate.
#include "extract/translated_map.h"

#include <filesystem>
#include <random>

#include "catch.h"
#include "engine/layout_map.h"
#include "engine/random_layout.h"
#include "estimate/passing_sectors.h"
#include "extract/characterize.h"
#include "extract/geometry_hints.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel catalogue_drive(const std::string& name, std::uint64_t seed) {
  const auto* entry = virtual_drive::find_in_catalogue(name);
  REQUIRE(entry != nullptr);
  model::DriveModel model = virtual_drive::catalogue_model(*entry);
  model.imperfections = virtual_drive::default_imperfections(seed);
  if (!model.firmware) model.firmware.emplace();
  return model;
}

Run run_on(const model::DriveModel& truth, MapByTime how = MapByTime::in_time) {
  virtual_drive::VirtualDevice device(truth, "the drive");
  Options options;
  options.device_name = "the drive";
  options.journal_folder = std::filesystem::temp_directory_path().string();
  options.map_by_time = how;
  return characterize(device, options);
}

estimate::PassingSectors all_true(std::size_t zones) {
  estimate::PassingSectors pitch;
  pitch.zones.resize(zones);
  return pitch;
}

// Every block on the same cylinder and head, the same slot of the track.
void check_same_places(const model::Layout& before, const model::Layout& after) {
  const engine::LayoutMap a(before), b(after);
  REQUIRE(a.blocks() == b.blocks());
  for (std::uint64_t lbn = 0; lbn < a.blocks(); ++lbn)
    REQUIRE(a.pbn_of_lbn(lbn) == b.pbn_of_lbn(lbn));
}

}  // namespace

TEST_CASE("longer tracks move no block, in random layouts") {
  std::mt19937_64 random(11);
  int longer = 0;
  for (int round = 0; round < 300; ++round) {
    const model::Layout layout = engine::testing::random_layout(random);
    const engine::LayoutMap map(layout);
    std::vector<std::uint32_t> more(layout.zones.size(), 0);
    std::vector<std::uint32_t> sectors(layout.zones.size(), 0);
    std::vector<bool> even(layout.zones.size(), true);
    for (std::uint64_t slot = 0; slot < map.slots();) {
      const engine::Track track = map.track_of_slot(slot);
      if (sectors[track.zone] == 0) sectors[track.zone] = track.sectors;
      even[track.zone] = even[track.zone] && sectors[track.zone] == track.sectors;
      slot += track.sectors;
    }
    for (std::size_t i = 0; i < more.size(); ++i)
      if (even[i] && random() % 3 > 0) more[i] = static_cast<std::uint32_t>(random() % 4);
    const model::Layout found = with_longer_tracks(layout, more);
    check_same_places(layout, found);
    const engine::LayoutMap after(found);
    for (std::uint64_t slot = 0; slot < after.slots();) {
      const engine::Track track = after.track_of_slot(slot);
      if (more[track.zone] > 0) {
        REQUIRE(track.sectors == sectors[track.zone] + more[track.zone]);
        ++longer;
      }
      slot += track.sectors;
    }
  }
  CHECK(longer > 1000);
}

TEST_CASE("zones that reads contradict are told as not understood, one by one") {
  const model::Layout layout = catalogue_drive("seagate-cheetah9lp", 1).layout;
  const engine::LayoutMap map(layout);
  estimate::PassingSectors pitch = all_true(layout.zones.size());
  CHECK(judge_map(layout, pitch).layout.not_understood.empty());
  CHECK(judge_map(layout, pitch).notes.empty());
  pitch.zones[1].untrue = pitch.zones[3].untrue = true;
  pitch.zones[1].contradicting = 0.6;
  const JudgedMap judged = judge_map(layout, pitch);
  REQUIRE(judged.layout.not_understood.size() == 2);
  const model::NotUnderstood& part = judged.layout.not_understood[1];
  CHECK(map.track_of_slot(map.slot_of_lbn(part.first_lbn)).zone == 3);
  CHECK(map.track_of_slot(map.slot_of_lbn(part.last_lbn)).zone == 3);
  CHECK(map.track_of_slot(map.slot_of_lbn(part.first_lbn - 1)).zone == 2);
  CHECK(map.track_of_slot(map.slot_of_lbn(part.last_lbn + 1)).zone == 4);
  CHECK(judged.left_zones[3]);
  CHECK_FALSE(judged.left_zones[2]);
  CHECK(judged.layout.zones.size() == layout.zones.size());

  SECTION("what was not understood before stays so") {
    model::Layout before = layout;
    before.not_understood = {{part.first_lbn + 5, part.first_lbn + 9, "odd"},
                             {part.last_lbn + 1000, part.last_lbn + 1001, "odd"}};
    const auto all = judge_map(before, pitch).layout.not_understood;
    REQUIRE(all.size() == 3);
    CHECK(all[1].first_lbn == part.first_lbn);
    CHECK(all[1].last_lbn == part.last_lbn);
    CHECK(all[2].reason == "odd");
  }
  SECTION("where nearly all is contradicted there is no layout") {
    for (estimate::ZonePassing& zone : pitch.zones) zone.untrue = true;
    const JudgedMap none = judge_map(layout, pitch);
    CHECK(none.layout.zones.empty());
    CHECK_THAT(none.layout.reason, Catch::Contains("contradicts timed reads"));
  }
}

TEST_CASE("a drive whose address translation lies is mapped by timing, and the run says so") {
  const char* name = GENERATE("quantum-atlas10k", "hp-c2247");
  model::DriveModel truth = catalogue_drive(name, 3);
  truth.firmware->translates_truly = false;
  const Run run = run_on(truth);
  INFO(name);
  CHECK(run.model.layout.method == "timing");
  CHECK(run.model.layout.timed);
  CHECK(run.model.layout.heads.method != "address translation");
  const auto* claim = model::finding_of(run.model.provenance, model::Code::claims_disagree);
  REQUIRE(claim != nullptr);
  CHECK_THAT(claim->text, Catch::Contains("contradicts timed reads"));
  CHECK(model::finding_of(run.model.provenance, model::Code::translation_contradicted) == nullptr);
}

TEST_CASE("without a map by timing a drive whose address translation lies has no layout") {
  const char* name = GENERATE("quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp",
                              "ibm-ultrastar18es", "hp-c2247");
  model::DriveModel truth = catalogue_drive(name, 3);
  truth.firmware->translates_truly = false;
  const Run run = run_on(truth, MapByTime::none);
  INFO(name);
  CHECK(run.model.layout.zones.empty());
  CHECK_THAT(run.model.layout.reason, Catch::Contains("contradicts timed reads"));
  CHECK(run.model.rotation.period);
  CHECK(run.model.seek.reason == "the layout is not known");
}

TEST_CASE("a drive that turns commands away now and then is characterized all the same") {
  model::DriveModel truth = catalogue_drive("seagate-barracuda4lp", 4);
  truth.imperfections->busy_share = 0.01;
  truth.imperfections->unit_attention_share = 0.01;
  const Run run = run_on(truth);
  CHECK(run.model.layout.not_understood.empty());
  REQUIRE(run.model.layout.angle.error);
  CHECK(run.model.layout.angle.reason.empty());
  CHECK(run.model.layout.zones.size() == truth.layout.zones.size());
  CHECK(*run.model.head_switch.value == Approx(*truth.head_switch.value).margin(0.05));
}

TEST_CASE("mode pages that say something else than the map are told, and change nothing") {
  model::DriveModel truth = catalogue_drive("seagate-barracuda4lp", 5);
  const engine::LayoutMap map(truth.layout);
  const auto hints_of = [&](const model::Layout& layout) {
    virtual_drive::VirtualDevice device(truth, "the drive");
    scsi::Guard guard(device, {});
    scsi::Drive drive(guard, "the drive");
    drive.identify();
    return contradicted_hints(drive, layout, engine::LayoutMap(layout));
  };
  CHECK(hints_of(truth.layout).empty());
  model::Layout other = truth.layout;
  other.zones.resize(3);
  std::erase_if(other.skips, [&](const model::Skip& skip) {
    return skip.first_slot + skip.length + skip.count * skip.stride >= map.slots() / 5;
  });
  other.remaps.clear();
  const auto hints = hints_of(other);
  REQUIRE(hints.size() == 2);
  CHECK_THAT(hints[0], Catch::Contains("mode page 04h says 5 heads"));
  CHECK_THAT(hints[1], Catch::Contains("mode page 0Ch says 11 zones, the map has 3"));
}

}  // namespace platter::extract

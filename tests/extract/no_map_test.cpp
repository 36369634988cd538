// A drive that does not translate addresses: what needs no map is measured, and the rest says why
// it is not there.
#include <algorithm>
#include <cmath>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "extract/stages.h"
#include "model/json.h"
#include "model/known.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

using C = model::Cache;

model::DriveModel without_translation(const char* name) {
  model::DriveModel model = drive_named(name);
  if (!model.firmware) model.firmware.emplace();
  model.firmware->address_translation = false;
  if (!model.imperfections) model.imperfections.emplace();
  model.imperfections->seed = 7;
  return model;
}

struct WithoutMap {
  Run run;
  double expected_s = 0;  // as it was told at the beginning
};

WithoutMap measured(const model::DriveModel& truth, std::vector<LbnRange> writable = {}) {
  virtual_drive::VirtualDevice device(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.writable = std::move(writable);
  options.map_by_time = MapByTime::none;
  std::optional<double> first_s;
  options.expected = [&](double seconds) { first_s = first_s.value_or(seconds); };
  Run run = characterize(device, options);
  return {std::move(run), first_s.value_or(0)};
}

std::vector<std::string> names(const std::vector<model::MissingStage>& stages) {
  std::vector<std::string> found;
  for (const model::MissingStage& stage : stages) found.push_back(stage.name);
  return found;
}

}  // namespace

TEST_CASE("without a map: rotation, cache, hits, bus and queue, and a status that says so") {
  for (const char* name : {"cache-base", "cache-fifo", "sat-disk"}) {
    INFO(name);
    const model::DriveModel truth = without_translation(name);
    const auto [run, expected_s] = measured(truth);
    REQUIRE(run.ended_by);
    CHECK(run.ended_by->status() == ExitStatus::incomplete);
    CHECK_FALSE(run.model.provenance.complete);
    CHECK(names(run.model.provenance.missing) ==
          std::vector<std::string>{"angles", "seeks", "head switch and write settle", "overheads",
                                   "self-validation, caches on", "self-validation"});
    CHECK(run.model.layout.zones.empty());
    CHECK(std::abs(expected_s / run.model.provenance.drive_seconds - 1) < 0.4);

    const C& found = run.model.cache;
    for (const auto fact : std::initializer_list<model::Parameter C::*>{
             &C::read_enabled, &C::segments, &C::segment_blocks, &C::read_ahead,
             &C::read_ahead_on_hit, &C::replacement, &C::read_ahead_min_blocks}) {
      REQUIRE((found.*fact).value);
      CHECK(*(found.*fact).value == (truth.cache.*fact).value.value_or(0));
      CHECK((found.*fact).error);
      CHECK_FALSE((found.*fact).method.empty());
    }
    // A cylinder's end, of which nothing is known, might bound it; a track's by at most 0.01.
    CHECK(*found.read_ahead.error > 0.01);
    for (const auto by_places :
         {&C::read_free_blocks, &C::zero_latency_read, &C::almost_read_hits}) {
      CHECK_FALSE((found.*by_places).value);
      CHECK((found.*by_places).reason.find("map, which is not known") != std::string::npos);
    }
    const auto near = [](const model::Parameter& what, double truth_ms, double host_ms) {
      REQUIRE(what.value);
      CHECK(*what.value > truth_ms - 4 * *what.error);
      CHECK(*what.value < truth_ms + host_ms + 4 * *what.error);
    };
    near(run.model.overheads.read_hit_after_read, *truth.overheads.read_hit_after_read.value, 0.04);
    near(run.model.bus.block_transfer, *truth.bus.block_transfer.value, 0);
    CHECK(run.model.overheads.read_miss_after_read.reason == "the layout is not known");
    CHECK(model::known(run.model.queue.depth) != model::Known::unknown);
    CHECK(run.model.queue.policy.value.value_or(0) == 1);
    CHECK(model::to_json_text(extract::estimate(run.record)) == model::to_json_text(run.model));
  }
}

TEST_CASE("without a map: read-ahead that ends with tracks or cylinders is not taken for another") {
  for (const char* name :
       {"cache-read-ahead-track", "cache-read-ahead-cylinder", "cache-read-ahead-next-track"}) {
    INFO(name);
    const model::DriveModel truth = without_translation(name);
    const Run run = measured(truth).run;
    CHECK_FALSE(run.model.cache.read_ahead.value);
    CHECK(run.model.cache.read_ahead.reason.find("which a map would tell") != std::string::npos);
    CHECK_FALSE(run.model.cache.read_ahead_max_blocks.value);
    const model::Parameter& size = run.model.cache.segment_blocks;
    if (size.value) CHECK(*size.value == *truth.cache.segment_blocks.value);
    CHECK(run.model.cache.segments.value.value_or(0) == *truth.cache.segments.value);
  }
}

TEST_CASE("without a map: writes where they are allowed") {
  const model::DriveModel truth = without_translation("cache-shared-writes");
  const Run run = measured(truth, {{100'000, 500'000}}).run;
  CHECK(run.ended_by->status() == ExitStatus::incomplete);
  CHECK(run.model.cache.write_back_level.value);
  CHECK(run.model.cache.separate_write_segment.value.value_or(-1) == 0);
  REQUIRE(run.model.overheads.write_hit_after_write.value);
  CHECK(*run.model.overheads.write_hit_after_write.value -
            *truth.overheads.write_hit_after_write.value <
        0.05);
  CHECK_FALSE(run.model.cache.destage_order.value);
  CHECK_FALSE(run.model.write_settle.value);
}

TEST_CASE("without a map: the order of a drive that reorders is left open, with the reason") {
  model::DriveModel truth = without_translation("cache-base");
  truth.queue.policy.value = 8;
  const Run run = measured(truth).run;
  CHECK(model::known(run.model.queue.depth) != model::Known::unknown);
  CHECK_FALSE(run.model.queue.policy.value);
  CHECK(run.model.queue.policy.reason.find("the drive reorders") != std::string::npos);
}

TEST_CASE("without a map: a budget leaves the rotation its share") {
  const model::DriveModel truth = without_translation("cache-base");
  virtual_drive::VirtualDevice device(truth);
  const Folder folder;
  Options options = options_in(folder);
  options.map_by_time = MapByTime::none;
  options.budget_s = 15;
  const Run run = characterize(device, options);
  CHECK(run.model.provenance.drive_seconds < 16);  // a burst of re-reads may end later
  CHECK(run.model.rotation.period.value);
  CHECK(run.model.cache.read_enabled.value);
  CHECK(run.record.stages.back().stage == kRotation);
  CHECK(run.record.stages.back().drive_seconds > 1);
}

}  // namespace platter::extract

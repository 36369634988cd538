// Which number of a model is suspect, by what the drive answers.
#include "extract/suspects.h"

#include "catch.h"
#include "engine/layout_map.h"
#include "replay/replay_model.h"
#include "trace/workload.h"
#include "virtual_drive/catalogue.h"

namespace platter::extract {
namespace {

replay::Result on_model(const model::DriveModel& model, const replay::Result* like = nullptr) {
  trace::Profile profile = trace::profile("random");
  profile.times = {
      .kind = trace::Kind::closed, .gap = trace::Gap::uniform, .mean_ns = kMillisecond / 2};
  const trace::Trace trace = trace::generate({.profile = profile,
                                              .blocks = model.identity.blocks,
                                              .block_bytes = model.identity.block_bytes,
                                              .requests = 400,
                                              .seed = 3,
                                              .reads_only = true});
  return replay::replay_on_model(
      model, trace,
      {.caches = replay::Caches::off, .reference_reads = like == nullptr ? 0U : 16U, .like = like});
}

std::string suspected(const model::DriveModel& wrong) {
  const auto* entry = virtual_drive::find_in_catalogue("quantum-atlas10k");
  const model::DriveModel right = virtual_drive::catalogue_model(*entry);
  const replay::Result drive = on_model(right);
  const auto found = suspects(drive, on_model(wrong, &drive), wrong,
                              engine::LayoutMap(wrong.layout), 0);
  return found.empty() ? "" : found.front();
}

model::DriveModel atlas_as_published() {
  return virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("quantum-atlas10k"));
}

}  // namespace

TEST_CASE("the number that is wrong is the suspect") {
  CHECK(suspected(atlas_as_published()).empty());
  model::DriveModel bus = atlas_as_published();
  *bus.bus.block_transfer.value += 0.05;
  CHECK_THAT(suspected(bus), Catch::Contains("the bus time of a block (-0.0"));
  bus.bus.block_transfer = {};
  bus.bus.block_transfer.reason = "no cache hits were timed";
  CHECK_THAT(suspected(bus), Catch::StartsWith("the bus time of a block is not known"));
  model::DriveModel seeks = atlas_as_published();
  for (model::SeekPoint& point : seeks.seek.points)
    if (point.cylinders > 5000) point.time_ms += 1.5;
  CHECK_THAT(suspected(seeks), Catch::StartsWith("seeks over more than"));
}

}  // namespace platter::extract

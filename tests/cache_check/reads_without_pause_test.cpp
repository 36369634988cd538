// Sequential reads without a pause tell whether a block that is just being read counts as held.
#include "cache_check/check.h"
#include "catch.h"
#include "engine/engine.h"
#include "virtual_drive/open.h"

using namespace platter;
using cache_probe::Observation;
using cache_probe::Question;
using cache_probe::Record;

namespace {

// What a drive as the model answers to runs of reads of a quarter of a track.
Record record_of(const model::DriveModel& model) {
  constexpr std::uint32_t kBlocks = 80;
  engine::Engine engine(model);
  Record record;
  record.setting.period_ns = static_cast<double>(engine.period_ns());
  Nanoseconds now = kSecond;
  for (std::uint64_t run = 0; run < 3; ++run, now += kSecond)
    for (std::int64_t i = 1; i <= 12; ++i) {
      engine::Request request;
      request.lbn = 10'000 * (run + 1) + static_cast<std::uint64_t>(i - 1) * kBlocks;
      request.blocks = kBlocks;
      Observation seen;
      seen.question = Question::stream;
      seen.x = i;
      seen.lbn = request.lbn;
      seen.blocks = kBlocks;
      seen.issued_ns = now;
      now = seen.completed_ns = engine.service(request, now).completion_ns;
      record.observations.push_back(seen);
    }
  return record;
}

// Its commands come while the next block passes.
model::DriveModel drive_with(double held) {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.cache.almost_read_hits = {};
  model.cache.almost_read_hits.value = held;
  model.overheads.read_hit_after_read.value = model.overheads.read_miss_after_read.value = 0.004;
  model.bus.block_transfer.value = 0.001;
  return model;
}

}  // namespace

TEST_CASE("sequential reads without a pause tell whether a block that is being read is a hit") {
  for (const double held : {0, 1}) {
    CAPTURE(held);
    model::DriveModel model = drive_with(held);
    const Record record = record_of(model);
    model.cache.almost_read_hits = {};
    cache_check::look_by_reads_without_pause(record, model);
    REQUIRE(model.cache.almost_read_hits);
    CHECK(*model.cache.almost_read_hits.value == held);
  }
}

TEST_CASE("what was told stays, and no reads tell nothing") {
  model::DriveModel model = drive_with(1);
  const Record record = record_of(model);
  model.cache.almost_read_hits.value = 0;
  cache_check::look_by_reads_without_pause(record, model);
  CHECK(*model.cache.almost_read_hits.value == 0);
  model.cache.almost_read_hits = {};
  cache_check::look_by_reads_without_pause({}, model);
  CHECK_FALSE(model.cache.almost_read_hits);
}

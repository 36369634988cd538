#include "replay/validate.h"

#include "catch.h"
#include "model/error.h"
#include "replay/small_drive.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::replay;
using namespace platter::replay::testing;

namespace {

model::DriveModel caching_drive() { return drive_model(true); }

std::vector<Validated> validated(const model::DriveModel& drive,
                                 const std::vector<model::DriveModel>& models,
                                 const Validation& options) {
  virtual_drive::VirtualDevice device(drive);
  std::vector<Validated> results;
  validate(device, models, options, [&](const Validated& result) { results.push_back(result); });
  return results;
}

}  // namespace

TEST_CASE("both workloads on a drive and two models: the right one has no error, the other has") {
  const model::DriveModel model = caching_drive();
  model::DriveModel other = model;
  other.seek.points.back().time_ms += 1;
  const auto results = validated(model, {model, other},
                                 {.requests = 300, .permission = {.writes = {{0, 999}}}});
  REQUIRE(results.size() == 2);
  CHECK(results[0].workload == "random");
  CHECK(results[0].drive.caches == "off");
  CHECK(results[1].workload == "mixed");
  CHECK(results[1].drive.caches == "default");
  for (const Validated& result : results) {
    CHECK(result.comparisons[0].classes.front().paired->max_ms < 0.001);
    CHECK(result.comparisons[1].classes.front().paired->max_ms > 0.1);
    std::size_t writes = 0;
    for (const Response& request : result.drive.requests) {
      writes += request.write;
      if (request.write) CHECK(request.lbn + request.blocks <= 1000);
    }
    CHECK(writes > 50);
  }
}

TEST_CASE("without permission the workloads are reads only") {
  for (const Validated& result : validated(caching_drive(), {}, {.requests = 100}))
    for (const Response& request : result.drive.requests) CHECK_FALSE(request.write);
}

TEST_CASE("a drive that keeps its caches on is measured past them, as its model is") {
  model::DriveModel model = caching_drive();
  model.firmware = model::Firmware{};
  model.firmware->cache_page_changeable = false;
  const auto results = validated(model, {model}, {.requests = 200});
  CHECK(results[0].drive.caches == "forced");
  CHECK(results[1].drive.caches == "default");
  CHECK(results[0].comparisons[0].classes.front().paired->max_ms < 0.001);
}

TEST_CASE("a model of another size is refused") {
  model::DriveModel other = caching_drive();
  other.identity.blocks -= 1;
  CHECK_THROWS_AS(validated(caching_drive(), {other}, {.requests = 10}), Error);
}

TEST_CASE("validity takes the workload's ranges and its demerit, the newest of each workload") {
  model::DriveModel model = caching_drive();
  const auto results = validated(model, {model}, {.requests = 200});
  for (int twice = 0; twice < 2; ++twice)
    for (const Validated& result : results) add_to_validity(result, 0, model);
  CHECK(model.validity.first_lbn == 0);
  CHECK(model.validity.last_lbn == model.identity.blocks - 1);
  CHECK(model.validity.min_blocks == 4);
  CHECK(model.validity.max_blocks == 24);
  CHECK(model.validity.max_depth == 1);
  CHECK(model.validity.reads);
  CHECK_FALSE(model.validity.writes);
  REQUIRE(model.validity.demerits.size() == 2);
  CHECK(model.validity.demerits[0].workload == "random");
  CHECK(model.validity.demerits[0].requests == 200);
  CHECK(model.validity.demerits[0].folded_phase_share == 1.0);
  CHECK(model.validity.demerits[0].phase_requests > 150);
  CHECK(model.validity.demerits[0].hits_agreed_share == 1.0);
  // None of 200 requests showed anything; one of 800 might have.
  REQUIRE(model.validity.demerits[0].error_ms);
  CHECK(*model.validity.demerits[0].error_ms > 0.01);
}

// Reads in a row tell the delay in front of the cache better than what was told of it before.
#include "extract/reads_in_a_row.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "cache_check/lookup_delay.h"
#include "catch.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

constexpr double kHost_ms = 0.012;  // of the default imperfections, its median

// As the other stages measure it, so far off.
model::DriveModel measured(const std::string& name, double off_ms, double error_ms) {
  model::DriveModel model = virtual_drive::virtual_model(name);
  for (model::Parameter* overhead :
       {&model.overheads.read_hit_after_read, &model.overheads.read_hit_after_write,
        &model.overheads.read_miss_after_read, &model.overheads.read_miss_after_write})
    *overhead->value -= off_ms;
  model.overheads.read_hit_after_read.error = std::hypot(0.001, error_ms);
  model.overheads.per_request.value = kHost_ms + off_ms;
  model.overheads.per_request.error = error_ms;
  model.overheads.per_request.samples = 34;
  // Log-normal, 99 % below 60 us.
  const double sigma = std::log(60.0 / 12.0) / 2.3263;
  constexpr std::array<std::pair<double, double>, 12> kQuantiles{{{0.01, -2.3263},
                                                                  {0.02, -2.0537},
                                                                  {0.05, -1.6449},
                                                                  {0.1, -1.2816},
                                                                  {0.2, -0.8416},
                                                                  {0.3, -0.5244},
                                                                  {0.5, 0.0},
                                                                  {0.7, 0.5244},
                                                                  {0.8, 0.8416},
                                                                  {0.9, 1.2816},
                                                                  {0.98, 2.0537},
                                                                  {1.0, 2.6}}};
  model.delay_spread.emplace();
  model.delay_spread->quantiles.push_back({0, -0.011});
  for (const auto& [share, z] : kQuantiles)
    model.delay_spread->quantiles.push_back({share, kHost_ms * (std::exp(sigma * z) - 1)});
  return model;
}

replay::Result on_drive(const std::string& name, const model::DriveModel& model) {
  virtual_drive::VirtualDevice device(virtual_drive::virtual_model(name), name);
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, name);
  drive.identify();
  mtbrc::Context context(drive, 5);
  return reads_in_a_row(context, model);
}

std::string large(int seed) {
  return fmt::format("virtual:cache-large?imperfections=default&seed={}", seed);
}

}  // namespace

TEST_CASE("only a drive whose reads hang on the delay is asked") {
  CHECK(hang_on_lookup(measured(large(1), 0.002, 0.003)));
  CHECK_FALSE(hang_on_lookup(measured(large(1), 0.03, 0.001)));  // none comes too early
  CHECK_FALSE(hang_on_lookup(measured("virtual:hp-c2247?imperfections=default&seed=1", 0, 0.003)));
  model::DriveModel silent = measured(large(1), 0.002, 0.003);
  silent.delay_spread.reset();
  CHECK_FALSE(hang_on_lookup(silent));
  silent = measured(large(1), 0.002, 0.003);
  silent.overheads.per_request = {};
  CHECK_FALSE(hang_on_lookup(silent));
}

TEST_CASE("how many of the reads in a row are lost tells the delay") {
  for (int seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const double off_ms = seed % 2 == 0 ? 0.003 : -0.002;
    model::DriveModel model = measured(large(seed), off_ms, 0.003);
    const double hit_ms = *model.overheads.read_hit_after_read.value +
                          *model.overheads.per_request.value;
    sharpen_lookup(on_drive(large(seed), model), model);
    const model::Parameter& found = model.overheads.per_request;
    CAPTURE(*found.value, *found.error);
    CHECK(found.samples > 500);
    CHECK(*found.error < 0.002);  // 0.0008 to 0.0016 by seed
    CHECK(std::abs(*found.value - kHost_ms) < 4 * *found.error);
    CHECK(*model.overheads.read_hit_after_read.value + *found.value == Approx(hit_ms));
    CHECK(*model.overheads.read_hit_after_read.error == Approx(std::hypot(0.001, *found.error)));
  }
}

TEST_CASE("reads that are lost for another reason change nothing") {
  model::DriveModel model = measured(large(1), 0.002, 0.003);
  replay::Result drive = on_drive(large(1), model);
  for (std::size_t i = 0; i < drive.requests.size(); i += 3)
    drive.requests[i].response_ns += 6'000'000;
  sharpen_lookup(drive, model);
  CHECK(*model.overheads.per_request.value == kHost_ms + 0.002);
  CHECK(model.overheads.per_request.samples == 34);
  sharpen_lookup({}, model);
  CHECK(model.overheads.per_request.samples == 34);
}

}  // namespace platter::extract

// What a model states of itself by few requests, against what many show; which number is suspect.
#include "extract/stated_demerit.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "engine/layout_map.h"
#include "extract/suspects.h"
#include "replay/replay_model.h"
#include "statistics/distribution.h"
#include "trace/workload.h"
#include "virtual_drive/catalogue.h"

namespace platter::extract {
namespace {

constexpr double kRevolution_ms = 6;

// Of requests 1 in `one_of` is late on the drive by a revolution, and as many on the model.
std::vector<Answered> flipping(std::size_t count, int one_of, double bias_ms, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> usual(2, 14), noise(-0.02, 0.02);
  std::uniform_int_distribution<int> flips(1, one_of);
  std::vector<Answered> requests;
  for (std::size_t i = 0; i < count; ++i) {
    const double ms = usual(random);
    requests.push_back({ms + noise(random) + (flips(random) == 1 ? kRevolution_ms : 0),
                        ms + bias_ms + (flips(random) == 1 ? kRevolution_ms : 0)});
  }
  return requests;
}

double demerit_of_many(int one_of, double bias_ms, std::uint64_t seed) {
  std::vector<double> drive_ms, model_ms;
  for (const Answered& one : flipping(kStatedRequests, one_of, bias_ms, seed)) {
    drive_ms.push_back(one.drive_ms);
    model_ms.push_back(one.model_ms);
  }
  std::sort(drive_ms.begin(), drive_ms.end());
  std::sort(model_ms.begin(), model_ms.end());
  return statistics::demerit(drive_ms, model_ms);
}

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

TEST_CASE("few requests state what many show, within two of their errors") {
  for (const int one_of : {20, 100, 1000})
    for (const double bias_ms : {0.0, 0.3, 2.0}) {
      const double many_ms = demerit_of_many(one_of, bias_ms, 7);
      int held = 0;
      constexpr int kRuns = 40;
      for (int run = 0; run < kRuns; ++run) {
        const StatedDemerit stated = stated_demerit(flipping(250, one_of, bias_ms, 100 + run), {},
                                                    kRevolution_ms, 1);
        held += std::abs(stated.ms - many_ms) <= 2 * stated.error_ms ? 1 : 0;
      }
      CAPTURE(one_of, bias_ms, many_ms);
      CHECK(held >= kRuns * 17 / 20);
    }
}

TEST_CASE("what none of few requests showed is in their error") {
  std::vector<Answered> alike(100, {5, 5});
  const StatedDemerit few = stated_demerit(alike, {}, kRevolution_ms, 1);
  CHECK(few.ms == 0);
  CHECK(few.error_ms > 0.1);
  alike.resize(4000, {5, 5});
  CHECK(stated_demerit(alike, {}, kRevolution_ms, 1).error_ms < few.error_ms / 4);
}

TEST_CASE("a model that is right has the floor") {
  const std::vector<Answered> alike(100, {5, 5});
  const StatedDemerit stated = stated_demerit(alike, {0.3, 0.4}, kRevolution_ms, 1);
  CHECK(stated.floor_ms == Approx(std::sqrt((0.09 + 0.16) / 2)));
  CHECK(stated.ms == Approx(stated.floor_ms));
}

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

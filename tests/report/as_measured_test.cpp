// Truth beside what was measured: sums with the host's delay, and what does not show.
#include "report/as_measured.h"

#include <cmath>

#include "catch.h"
#include "report/model_diff.h"

namespace platter::report {
namespace {

model::Parameter told(double value, const char* unit = "ms") {
  model::Parameter parameter;
  parameter.value = value, parameter.unit = unit;
  return parameter;
}

model::DriveModel truth() {
  model::DriveModel model;
  model.provenance.method = "catalogue";
  model.imperfections.emplace();
  model.imperfections->host_delay_median_us = 20;
  model.imperfections->host_delay_p99_us = 60;
  model.imperfections->positioning_sigma_us = 30;
  for (model::Parameter* overhead :
       {&model.overheads.read_hit_after_read, &model.overheads.read_hit_after_write,
        &model.overheads.read_miss_after_read, &model.overheads.read_miss_after_write,
        &model.overheads.write_hit_after_read, &model.overheads.write_hit_after_write,
        &model.overheads.write_miss_after_read, &model.overheads.write_miss_after_write})
    *overhead = told(0.5);
  model.overheads.per_request = told(0.1);
  model.bus.block_transfer = told(0.05);
  model.head_switch = told(0.8);
  model.write_settle = told(0.4);
  model.queue.policy = told(1, "");
  model.queue.depth = told(1, "");
  for (const std::uint32_t distance : {1u, 10u, 100u, 1000u}) {
    model::SeekPoint point;
    point.cylinders = distance, point.time_ms = 1 + 0.1 * std::sqrt(distance);
    model.seek.points.push_back(point);
  }
  return model;
}

// What a perfect run by SEEK commands says of it, each number with this error.
model::DriveModel measured(const model::DriveModel& is, double error) {
  model::DriveModel found;
  found.seek.method = "SEEK commands";
  for (const std::uint32_t distance : {1u, 5u, 55u, 1000u}) {
    model::SeekPoint point;
    point.cylinders = distance, point.error_ms = error;
    found.seek.points.push_back(point);
  }
  found.bus.block_transfer = is.bus.block_transfer;
  found = comparable(found, is).truth;
  found.imperfections.reset();
  found.seek.method = "SEEK commands";
  found.provenance.method = "characterized";
  found.queue.depth = told(64, "");
  for (model::SeekPoint& point : found.seek.points) point.error_ms = error;
  found.head_switch.error = found.write_settle.error = error;
  found.overheads.read_hit_after_read.error = error;
  return found;
}

std::size_t differing(const model::DriveModel& a, const model::DriveModel& b) {
  std::size_t count = 0;
  for (const model::Difference& difference : diff_models(a, b))
    if (!difference.within_error.value_or(true)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the truth's overheads are compared with the host's delay in them") {
  const model::DriveModel is = truth();
  model::DriveModel found;
  found.seek.method = "SEEK commands";
  found.bus.block_transfer = is.bus.block_transfer;
  const model::Overheads seen = comparable(found, is).truth.overheads;
  CHECK(*seen.read_hit_after_read.value == Approx(0.5 + 0.1 + 0.02));  // the median
  const double sigma = std::log(3.0) / 2.3263;
  // Half of it before: the median of a wide noise about it; half behind: the mean.
  const double behind = 0.01 * std::exp(sigma * sigma / 2);
  CHECK(*seen.read_miss_after_read.value > 0.5 + 0.1 + behind + 0.009);
  CHECK(*seen.read_miss_after_read.value < 0.5 + 0.1 + 2 * behind + 0.001);
  CHECK_FALSE(seen.per_request);
}

TEST_CASE("what a perfect run measured differs in nothing, and a wrong number still does") {
  const model::DriveModel is = truth();
  CHECK(differing(measured(is, 0.002), is) == 0);
  CHECK(differing(is, measured(is, 0.002)) == 0);
  model::DriveModel wrong = measured(is, 0.002);
  *wrong.write_settle.value += 0.01;
  CHECK(differing(wrong, is) == 1);
  wrong.seek.points[2].time_ms += 0.01;  // five errors
  CHECK(differing(wrong, is) == 2);
  // A model that is no truth of a drive is compared as it is.
  model::DriveModel plain = is;
  plain.imperfections.reset();
  CHECK(differing(measured(is, 0.0001), plain) > 3);
}

TEST_CASE("what shows in nothing that the drive does is not judged, and says why") {
  const model::DriveModel is = truth();
  bool seen = false;
  for (const model::Difference& difference : diff_models(measured(is, 0.002), is))
    if (difference.path == "queue.depth") {
      seen = true;
      CHECK_FALSE(difference.within_error);
      CHECK(difference.not_judged.find("first come, first served") != std::string::npos);
    }
  CHECK(seen);
  model::DriveModel sorted = is;
  sorted.queue.policy = told(2, "");
  CHECK(differing(measured(sorted, 0.002), sorted) == 1);  // the depth
}

TEST_CASE("the points of a curve are judged together") {
  CHECK(model::equal_within(1) == Approx(model::kEqualWithin));
  CHECK(model::equal_within(150) > 4);
  CHECK(model::equal_within(150) < 4.5);
}

}  // namespace platter::report

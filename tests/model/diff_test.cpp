#include "model/diff.h"

#include "catch.h"
#include "model/seek_curve.h"
#include "model/validate.h"
#include "random_model.h"

namespace platter::model {
namespace {

const Difference* find(const std::vector<Difference>& list, const std::string& path) {
  for (const Difference& difference : list) {
    if (difference.path == path) return &difference;
  }
  return nullptr;
}

Parameter measured(double value, std::optional<double> error) {
  Parameter p;
  p.value = value;
  p.unit = "ms";
  p.error = error;
  return p;
}

TEST_CASE("a model does not differ from itself") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const DriveModel model = RandomModel(seed).make();
    for (const Difference& difference : diff_parameters(model, model)) {
      INFO(difference.path);
      CHECK(difference.within_error == true);
      CHECK(difference.difference == 0.0);
    }
  }
}

TEST_CASE("equal means within three combined standard errors") {
  CHECK(compare("x", "", 10, 0.3, 11.4, 0.4).within_error == true);  // 0.5 combined
  CHECK(compare("x", "", 10, 0.3, 11.6, 0.4).within_error == false);
  CHECK(compare("x", "", 10, std::nullopt, 10.0001, std::nullopt).within_error == false);
  CHECK(compare("x", "", 10, std::nullopt, 12, std::nullopt).relative == 0.2);
  CHECK(!compare("x", "", 0, std::nullopt, 2, std::nullopt).relative);
  CHECK(!compare("x", "", 1, std::nullopt, std::nullopt, std::nullopt).within_error);
}

TEST_CASE("figures that one model lacks are listed, those that both lack are not") {
  DriveModel a, b;
  a.head_switch = measured(0.5, 0.01);
  b.head_switch.reason = "not measured";
  a.overheads.per_request = measured(0.1, std::nullopt);
  b.overheads.per_request = measured(0.2, std::nullopt);
  const auto list = diff_parameters(a, b);
  REQUIRE(find(list, "head_switch") != nullptr);
  CHECK(find(list, "head_switch")->a == 0.5);
  CHECK(!find(list, "head_switch")->b);
  CHECK(!find(list, "head_switch")->within_error);
  CHECK(find(list, "overheads.per_request")->difference == Approx(0.1));
  CHECK(find(list, "write_settle") == nullptr);
}

TEST_CASE("the period is compared by its exact ratio") {
  DriveModel a, b;
  a.rotation.numerator_ns = 60'000'000'000;
  a.rotation.denominator = 10025;
  b.rotation.numerator_ns = 5'985'037;
  b.rotation.period.error = 1;
  const auto list = diff_parameters(a, b);
  CHECK(find(list, "rotation.period")->a == Approx(60e9 / 10025));
  CHECK(find(list, "rotation.period")->within_error == true);
}

TEST_CASE("seek curves are compared at the distances of both, as far as both reach") {
  DriveModel a, b;
  a.seek.points = {{1, 1.0, 0.01, 0}, {11, 2.0, 0.01, 0}};
  b.seek.points = {{1, 1.25, 0.01, 0}, {6, 1.5, 0.01, 0}, {51, 3.75, 0.01, 0}, {100, 6.2, 0.01, 0}};
  const auto list = diff_parameters(a, b);
  CHECK(find(list, "seek[6]")->a == 1.5);
  CHECK(find(list, "seek[6]")->within_error == true);
  CHECK(find(list, "seek[11]")->b == Approx(1.75));
  CHECK(find(list, "seek[11]")->within_error == false);
  CHECK(find(list, "seek[100]") == nullptr);
  // Where the curve bends nearby, it may between two points, too.
  b.seek.points = {{1, 1.0, 0.01, 0}, {6, 1.5, 0.01, 0}, {51, 2.0, 0.01, 0}, {100, 4.0, 0.01, 0}};
  CHECK(find(diff_parameters(a, b), "seek[11]")->within_error == true);
}

TEST_CASE("a curve that only one model has is compared with what the other does instead") {
  DriveModel a, b;
  a.seek.points = b.seek.points = {{1, 1.0, 0.01, 0}, {11, 2.0, 0.01, 0}};
  a.write_settle.value = 0.5;
  CHECK(find(diff_parameters(a, b), "write_seek[1]") == nullptr);
  b.write_seek.emplace();
  b.write_seek->points = {{1, 1.5, 0.01, 0}, {11, 3.0, 0.01, 0}};
  b.outward_seek.emplace();
  b.outward_seek->points = {{1, 1.0, 0.01, 0}, {11, 1.8, 0.01, 0}};
  const auto list = diff_parameters(a, b);
  CHECK(find(list, "write_seek[1]")->within_error == true);
  CHECK(find(list, "write_seek[11]")->a == 2.5);
  CHECK(find(list, "write_seek[11]")->within_error == false);
  CHECK(find(list, "outward_seek[1]")->within_error == true);
  CHECK(find(list, "outward_seek[11]")->difference == Approx(-0.2));
  a.write_settle.value.reset();
  const auto unknown = diff_parameters(a, b);
  CHECK_FALSE(find(unknown, "write_seek[11]")->a);
  const Seek mean = mean_seek(b);
  CHECK(seek_time_ms(mean, 11) == Approx(1.9));
  CHECK(seek_time_ms(mean_seek(a), 11) == 2.0);
}

TEST_CASE("the seek curve between, before and past its points") {
  Seek seek;
  seek.points = {{2, 1.0, std::nullopt, 0}, {4, 2.0, std::nullopt, 0}};
  CHECK(seek_time_ms(seek, 0) == 0);
  CHECK(seek_time_ms(seek, 1) == 0.5);
  CHECK(seek_time_ms(seek, 3) == 1.5);
  CHECK(seek_time_ms(seek, 6) == 3);
  CHECK(average_seek_ms(seek, 3) == Approx((2 * 0.5 + 1 * 1.0) / 3));
}

TEST_CASE("the average seek is the mean over all pairs of cylinders") {
  Seek seek;
  seek.points = {{2, 1.0, std::nullopt, 0},
                 {3, 1.5, std::nullopt, 0},
                 {40, 1.4, std::nullopt, 0},
                 {90, 7.0, std::nullopt, 0}};
  for (const std::uint32_t cylinders : {2U, 3U, 4U, 5U, 41U, 91U, 92U, 500U}) {
    double sum = 0, pairs = 0;
    for (std::uint32_t distance = 1; distance < cylinders; ++distance) {
      sum += (cylinders - distance) * seek_time_ms(seek, distance);
      pairs += cylinders - distance;
    }
    CAPTURE(cylinders);
    CHECK(average_seek_ms(seek, cylinders) == Approx(sum / pairs).epsilon(1e-12));
  }
  CHECK(average_seek_ms(seek, kMostCylinders) > 7);  // no loop over 2^30 distances
}

}  // namespace
}  // namespace platter::model

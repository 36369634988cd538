// Parts: all points once, alike, and no more of them than is sensible.
#include "study/plan.h"

#include <algorithm>
#include <numeric>

#include "catch.h"

namespace platter::study {
namespace {

Points points_with(const std::vector<std::uint64_t>& requests) {
  Points points;
  for (const std::uint64_t many : requests) {
    points.points.emplace_back();
    points.points.back().requests = many;
  }
  return points;
}

TEST_CASE("parts hold every point once, in order, and are alike to within a point") {
  std::vector<std::uint64_t> requests;
  for (std::uint64_t i = 0; i < 400; ++i) requests.push_back(1000 * (i * 7919 % 101));
  const Points points = points_with(requests);
  double most_s = 0, whole_s = 0;
  for (const Point& point : points.points) {
    most_s = std::max(most_s, estimated_s(point));
    whole_s += estimated_s(point);
  }
  const std::vector<Part> parts = parts_of(points, 20);
  REQUIRE(parts.size() == 20);
  std::vector<std::size_t> all;
  for (const Part& part : parts) {
    all.insert(all.end(), part.points.begin(), part.points.end());
    CHECK(std::abs(part.estimated_s - whole_s / 20) <= most_s);
  }
  std::vector<std::size_t> expected(400);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(all == expected);
}

TEST_CASE("there are fewer parts where each would be short, and at least one") {
  const Points points = points_with(std::vector<std::uint64_t>(100, 10'000'000));
  const double each_s = estimated_s(points.points[0]);
  CHECK(sensible_parts(points, 20, 0) == 20);
  CHECK(sensible_parts(points, 20, each_s * 10.01) == 9);
  CHECK(sensible_parts(points, 20, each_s * 1000) == 1);
  CHECK(sensible_parts(points, 1000, 0) == 100);  // a point is not divided
}

}  // namespace
}  // namespace platter::study

// What looks odd in a seek curve.
#include "report/panels.h"

#include <cmath>

#include "catch.h"

using namespace platter;
using namespace platter::report;

namespace {

model::Seek smooth() {
  model::Seek seek;
  for (std::uint32_t d = 1; d <= 1000; d += d < 20 ? 1 : 10)
    seek.points.push_back({d, 1 + 0.2 * std::sqrt(static_cast<double>(d)), 0.002, 10});
  return seek;
}

}  // namespace

TEST_CASE("a smooth curve has no odd place") { CHECK(odd_places(smooth()).empty()); }

TEST_CASE("a place off the line is named, the worst first; what errors allow is not") {
  model::Seek seek = smooth();
  seek.points[40].time_ms += 0.8;
  const auto odd = odd_places(seek);
  REQUIRE(odd.size() == 1);  // its neighbours are not named for it
  CHECK(odd.front().starts_with("at 230 cylinders 0.8"));
  CHECK(odd.front().find("above the line") != std::string::npos);
  seek.points[40].error_ms = 0.5;
  for (const std::string& place : odd_places(seek)) CHECK_FALSE(place.starts_with("at 230 "));
}

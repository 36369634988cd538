// What is told of a map's time while it grows.
#include "extract/map_forecast.h"

#include "catch.h"

namespace platter::extract {

TEST_CASE("a map that grows evenly is told at 2 and at 5 %, and never again") {
  MapForecast forecast;
  int told = 0;
  for (int permille = 0; permille < 1000; ++permille) {
    const auto left = forecast.left_s(permille * 1e-3, 0.4 * permille);
    if (!left) continue;
    ++told;
    CHECK((permille == 20 || permille == 50));
    CHECK(*left == Approx(400 - 0.4 * permille));
  }
  CHECK(told == 2);
}

TEST_CASE("what a map learns once at its beginning is not taken for its pace") {
  MapForecast forecast;
  for (int permille = 1; permille < 50; ++permille)
    forecast.left_s(permille * 1e-3, 30 + 0.1 * permille);
  CHECK(*forecast.left_s(0.050, 35) == Approx(95));
}

TEST_CASE("a map that comes in one leap is told by all that it took") {
  MapForecast forecast;
  CHECK_FALSE(forecast.left_s(0.005, 3));
  CHECK(*forecast.left_s(0.5, 50) == Approx(50));
  CHECK_FALSE(forecast.left_s(0.9, 90));
  CHECK_FALSE(MapForecast().left_s(1, 90));
}

}  // namespace platter::extract

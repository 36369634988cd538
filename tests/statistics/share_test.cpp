#include "statistics/share.h"

#include <random>

#include "catch.h"

namespace platter::statistics {

TEST_CASE("Wilson's interval as published") {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, 0 of 20, 1 of 29.
  CHECK(share_interval(81.0 / 263, 263).low == Approx(0.2553).margin(5e-5));
  CHECK(share_interval(81.0 / 263, 263).high == Approx(0.3662).margin(5e-5));
  CHECK(share_interval(0, 20).low == 0);
  CHECK(share_interval(0, 20).high == Approx(0.1611).margin(5e-5));
  CHECK(share_interval(1.0 / 29, 29).low == Approx(0.0061).margin(5e-5));
  CHECK(share_interval(1.0 / 29, 29).high == Approx(0.1718).margin(5e-5));
}

TEST_CASE("Of no trials any share is possible, and all of three prove little") {
  CHECK(share_interval(1, 0).low == 0);
  CHECK(share_interval(1, 3).low < 0.45);
  CHECK(share_interval(1, 3).high == 1);
}

}  // namespace platter::statistics

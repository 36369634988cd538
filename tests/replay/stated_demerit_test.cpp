// What is stated of a demerit by few requests, against what many show.
#include "replay/stated_demerit.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "statistics/distribution.h"

namespace platter::replay {
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

TEST_CASE("the error of a demerit goes with the root of how many requests it is of") {
  CHECK_FALSE(demerit_error_ms({}, kRevolution_ms));
  const auto error_of = [](std::size_t requests) {
    return *demerit_error_ms(flipping(requests, 20, 2.0, 3), kRevolution_ms);
  };
  const double of_100 = error_of(100), of_1600 = error_of(1600), of_20000 = error_of(20000);
  CHECK(of_100 > 0.1);
  CHECK(of_1600 < of_100 / 2);
  CHECK(of_20000 < of_1600 / 2);
  CHECK(of_20000 > of_1600 / 6);
}

}  // namespace platter::replay

#include "statistics/odd_one_out.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"

using namespace platter::statistics;

namespace {

// A fleet: so many things, of each so many figures with errors as large as the spread of the kind.
struct Fleets {
  std::mt19937_64 random{11};
  std::normal_distribution<double> gauss{0, 1};

  // `off`: what the last thing has more in the first figure, in spreads. Whether anything is found
  // at 5 % is counted, and whether it is that one alone.
  struct Counted {
    int alarms = 0, found_alone = 0;
  };
  Counted count(int fleets, std::size_t things, int figures, double off) {
    Counted counted;
    for (int fleet = 0; fleet < fleets; ++fleet) {
      std::vector<double> chances;
      for (int figure = 0; figure < figures; ++figure) {
        std::vector<Estimate> values;
        for (std::size_t i = 0; i < things; ++i)
          values.push_back({5 + gauss(random), i % 3 == 0 ? 0.5 : 0.0, 1});
        if (figure == 0) values.back().value += off;
        for (const Standing& standing : standings(values)) chances.push_back(standing.chance);
      }
      const std::vector<double> among = chances_among_all(chances);
      std::size_t found = 0;
      for (const double chance : among) found += chance < 0.05 ? 1 : 0;
      counted.alarms += found > 0 ? 1 : 0;
      counted.found_alone += found == 1 && among[things - 1] < 0.05 ? 1 : 0;
    }
    return counted;
  }
};

}  // namespace

// 2.015 and the like: any table of Student's t.
TEST_CASE("odd one out: Student's chances") {
  CHECK(student_chance(2.0150, 5) == Approx(0.1).epsilon(1e-3));
  CHECK(student_chance(-12.706, 1) == Approx(0.05).epsilon(1e-3));
  CHECK(student_chance(3.646, 30) == Approx(0.001).epsilon(2e-3));
  CHECK(student_chance(1.9600, 1e6) == Approx(0.05).epsilon(1e-3));
  CHECK(student_chance(0, 3.5) == Approx(1));
}

TEST_CASE(
    "odd one out: the spread by pairs is a deviation's, whatever less than half of them are") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> gauss(0, 2);
  std::vector<double> values;
  for (int i = 0; i < 401; ++i) values.push_back(gauss(random));
  CHECK(pairwise_spread(values) == Approx(2).epsilon(0.1));
  for (std::size_t i = 0; i < 120; ++i) values[i] = 1e6 + static_cast<double>(i * i);
  CHECK(pairwise_spread(values) < 5);
  CHECK(pairwise_spread(std::vector<double>{3, 3, 3, 3, 900}) == 0);
}

// The variance of the logarithm of a chi with f degrees is trigamma(f / 2) / 4.
TEST_CASE("odd one out: the degrees of freedom are those that the spread has") {
  const auto trigamma = [](double x) {
    double sum = 0;
    for (; x < 20; ++x) sum += 1 / (x * x);
    return sum + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x);
  };
  std::mt19937_64 random(6);
  std::normal_distribution<double> gauss(0, 1);
  for (const std::size_t n : {7U, 9U, 15U, 39U}) {
    double sum = 0, squares = 0;
    constexpr int kDraws = 8'000;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> values(n);
      for (double& value : values) value = gauss(random);
      const double logarithm = std::log(pairwise_spread(values));
      sum += logarithm, squares += logarithm * logarithm;
    }
    const double variance = squares / kDraws - sum / kDraws * sum / kDraws;
    CAPTURE(n);
    CHECK(trigamma(freedom_of_spread(n) / 2) / 4 == Approx(variance).epsilon(0.1));
  }
}

TEST_CASE("odd one out: a fleet without one raises an alarm in one of twenty at most") {
  Fleets fleets;
  for (const std::size_t things : {6U, 10U, 40U}) {
    const int alarms = fleets.count(400, things, 25, 0).alarms;
    CAPTURE(things, alarms);
    CHECK(alarms <= 32);  // 20 expected at most; above 32 once in 200 such tests
  }
}

TEST_CASE("odd one out: what lies far out is found, and nothing else") {
  Fleets fleets;
  const auto counted = fleets.count(200, 40, 25, 9);
  CAPTURE(counted.found_alone);
  CHECK(counted.found_alone > 170);
  const auto few = fleets.count(200, 8, 25, 60);
  CAPTURE(few.found_alone);
  CHECK(few.found_alone > 150);
}

TEST_CASE(
    "odd one out: among things that are all alike, one that is not is a matter of the others") {
  std::vector<Estimate> values(6, {4, 0, 1});
  values[2].value = 5;
  const auto of_six = standings(values);
  CHECK(of_six[2].chance == Approx(1.0 / 32));
  CHECK(of_six[2].alike == 5);
  CHECK(of_six[0].chance == 1);
  values[4].value = 6;  // two of them: each has another beside it that deviates
  CHECK(standings(values)[2].chance == Approx(6.0 / 32));
  CHECK(standings(values, Side::below)[2].chance == 1);
}

TEST_CASE("odd one out: a value that is not known well does not stand out by it") {
  std::vector<Estimate> values;
  for (int i = 0; i < 12; ++i) values.push_back({10 + 0.1 * (i % 4), 0.1, 1});
  values.push_back({14, 0.1, 1});
  CHECK(standings(values).back().chance < 1e-6);
  values.back().error = 3;
  CHECK(standings(values).back().chance > 0.1);
}

TEST_CASE("odd one out: of four nothing is said") {
  CHECK(standings(std::vector<Estimate>(4, {1, 1, 1})).empty());
}

TEST_CASE("odd one out: Holm's chances") {
  const auto among = chances_among_all(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  CHECK(among[3] == Approx(0.02));
  CHECK(among[0] == Approx(0.03));
  CHECK(among[2] == Approx(0.06));
  CHECK(among[1] == Approx(0.06));
}

// Contradictions are told where there are some, and by noise alone as seldom as is said.
#include "statistics/contradictions.h"

#include <random>

#include "catch.h"

using platter::statistics::Contradictions;

namespace {

constexpr double kNoise = 0.01, kTold = 100;

// Of so many runs, in how many the odds ever come to kTold within so many answers.
int told(double share, int runs, int answers) {
  std::mt19937_64 random(7);
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    Contradictions found;
    std::bernoulli_distribution contradicts(kNoise + share * (1 - 2 * kNoise));
    for (int i = 0; i < answers; ++i) {
      found.add(contradicts(random), kNoise);
      if (found.odds() < kTold) continue;
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace

TEST_CASE(
    "noise alone is told in one case of a hundred at most, judged after each of a thousand "
    "answers") {
  CHECK(told(0, 2000, 1000) <= 20);
}

TEST_CASE("a share of the answers that is not the hypothesis's is told") {
  CHECK(told(0.03, 200, 1000) > 190);
  CHECK(told(0.15, 200, 100) > 190);
}

TEST_CASE("enough answers without contradiction refute what would be worth knowing") {
  Contradictions found;
  CHECK_FALSE(found.refuted());
  int answers = 0;
  for (; !found.refuted(); ++answers) found.add(false, kNoise);
  CHECK(answers > 60);
  CHECK(answers < 90);
  CHECK(found.odds() < 1);
  for (int i = 0; i < 3; ++i) found.add(true, kNoise);
  CHECK_FALSE(found.refuted());
  CHECK(found.answers() == static_cast<std::uint64_t>(answers) + 3);
  CHECK(found.contradicting() == 3);
  CHECK(found.by_noise() == Approx(kNoise * (answers + 3)));
}

TEST_CASE("answers that are as likely the one as the other tell nothing") {
  Contradictions found;
  for (int i = 0; i < 100; ++i) found.add(i % 2 == 0, 0.5);
  CHECK(found.odds() == Approx(1));
}

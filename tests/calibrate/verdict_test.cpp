// Whether a model is nearer to the drive on requests that it did not learn from, and no chance.
#include "calibrate/verdict.h"

#include <cmath>
#include <random>

#include "catch.h"

using namespace platter;
using namespace platter::calibrate;

namespace {

constexpr std::size_t kJudgedRequests = 2000;

// Responses of 2 to 12 ms.
replay::Result drive_of(unsigned seed) {
  std::mt19937_64 draw(seed);
  std::uniform_real_distribution<double> time_ms(2, 12);
  replay::Result result;
  for (std::size_t i = 0; i < kJudgedRequests; ++i) {
    replay::Response response;
    response.response_ns = from_ms(time_ms(draw));
    result.requests.push_back(response);
  }
  return result;
}

// A model of the drive, off by `sigma_ms` at random and by `bias_ms`.
replay::Result model_of(const replay::Result& drive, double sigma_ms, double bias_ms,
                        unsigned seed) {
  std::mt19937_64 draw(seed);
  std::normal_distribution<double> error_ms(bias_ms, sigma_ms);
  replay::Result result = drive;
  for (replay::Response& response : result.requests)
    response.response_ns += from_ms(error_ms(draw));
  return result;
}

}  // namespace

TEST_CASE("a model that is as far off as before is seldom called better") {
  int better = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const replay::Result drive = drive_of(seed);
    better += verdict_of(drive, model_of(drive, 1, 0, 1000 + seed),
                         model_of(drive, 1, 0, 2000 + seed), {0, kJudgedRequests})
                  .better;
  }
  CAPTURE(better);
  CHECK(better <= 12);  // by either figure at two standard errors, the other not against it
}

TEST_CASE("a model that is nearer, request by request, is better") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const replay::Result drive = drive_of(seed);
    const Verdict verdict = verdict_of(drive, model_of(drive, 1, 0.3, 1000 + seed),
                                       model_of(drive, 0.5, 0, 2000 + seed), {0, kJudgedRequests});
    CHECK(verdict.better);
    CHECK(verdict.difference.mean > 5 * verdict.difference.error);
    // Of a normal error of 1 ms about 0.3, and of 0.5 ms.
    CHECK(verdict.difference.mean == Approx(0.834 - 0.399).margin(4 * verdict.difference.error));
  }
}

TEST_CASE("nearer request by request, but another distribution: not better") {
  const replay::Result drive = drive_of(1);
  // Errors of 1.5 ms either way hardly change it; 0.8 ms one way do.
  const replay::Result before = model_of(drive, 1.5, 0, 2), after = model_of(drive, 0.05, 0.8, 3);
  const Verdict verdict = verdict_of(drive, before, after, {0, kJudgedRequests});
  CHECK(verdict.difference.mean > 5 * verdict.difference.error);
  CHECK(verdict.demerit.mean < -3 * verdict.demerit.error);
  CHECK_FALSE(verdict.better);
}

TEST_CASE("only the requests that judge count") {
  const replay::Result drive = drive_of(1), before = model_of(drive, 1, 0, 2);
  replay::Result after = before;
  for (std::size_t i = 0; i < kJudgedRequests / 2; ++i) after.requests[i] = drive.requests[i];
  const Range first{0, kJudgedRequests / 2}, second{kJudgedRequests / 2, kJudgedRequests};
  CHECK(verdict_of(drive, before, after, first).better);
  const Verdict unchanged = verdict_of(drive, before, after, second);
  CHECK_FALSE(unchanged.better);
  CHECK(unchanged.difference.mean == 0);
  CHECK(unchanged.demerit.mean == 0);
}

TEST_CASE("the error of a demerit's fall is how much it varies from trace to trace") {
  double sum = 0, squares = 0, errors = 0;
  constexpr int kTraces = 100;
  for (unsigned seed = 1; seed <= kTraces; ++seed) {
    const replay::Result drive = drive_of(seed);
    const Gain gain = verdict_of(drive, model_of(drive, 1, 0.3, 1000 + seed),
                                 model_of(drive, 1, 0.1, 2000 + seed), {0, kJudgedRequests})
                          .demerit;
    sum += gain.mean / kTraces;
    squares += gain.mean * gain.mean / kTraces;
    errors += gain.error / kTraces;
  }
  const double spread = std::sqrt(squares - sum * sum);
  CAPTURE(spread, errors);
  CHECK(errors > 0.7 * spread);
  CHECK(errors < 1.4 * spread);
}

TEST_CASE("a demerit that rises within its error is no worse, a difference that rises is") {
  const replay::Result drive = drive_of(1), before = model_of(drive, 1, 0, 2);
  const auto verdict = [&](const replay::Result& after) {
    return verdict_of(drive, before, after, {0, kJudgedRequests});
  };
  int risen = 0;
  for (unsigned seed = 3; seed <= 40; ++seed) {
    const Verdict nearer = verdict(model_of(drive, 0.97, 0, seed));
    if (nearer.difference.mean < 0 || nearer.demerit.mean >= 0) continue;
    CAPTURE(seed, nearer.demerit.mean, nearer.demerit.error);
    ++risen;
    CHECK_FALSE(nearer.better);
    CHECK(nearer.no_worse == (nearer.demerit.mean >= -2 * nearer.demerit.error));
  }
  CHECK(risen > 0);
  CHECK_FALSE(verdict(model_of(drive, 1.2, 0, 3)).no_worse);
  CHECK_FALSE(verdict(model_of(drive, 0.05, 0.8, 3)).no_worse);
}

TEST_CASE("more positions are known if the share in phase rises beyond chance") {
  const auto comparison = [](double once, double anew) {
    replay::Comparison made;
    made.classes.emplace_back();
    made.classes.front().phase_n = 900;
    made.classes.front().folded_phase_share = once;
    made.classes.front().folded_phase_share_reanchored = anew;
    return made;
  };
  const auto before = comparison(0.5, 0.5);
  // Of two shares of 900 each the difference has an error of 0.024.
  CHECK(knows_more_positions(before, comparison(0.62, 0.5), true));
  CHECK_FALSE(knows_more_positions(before, comparison(0.57, 0.9), true));
  CHECK(knows_more_positions(before, comparison(0.4, 0.62), false));
  CHECK_FALSE(knows_more_positions(before, comparison(0.9, 0.57), false));
  CHECK_FALSE(knows_more_positions(before, comparison(0.1, 0.1), false));
}

#include "replay/verdict.h"

#include <algorithm>
#include <limits>

#include "catch.h"

namespace platter::replay {
namespace {

Judged judged(const char* workload, const char* model, double demerit, double phase) {
  Judged one{workload, model, {}};
  ClassMetrics all;
  all.name = "all", all.n_drive = 5000, all.mean_drive_ms = 10, all.mean_model_ms = 10.1;
  all.demerit_percent = demerit, all.folded_phase_share = phase, all.phase_n = 4000;
  all.demerit_ms = 0.04, all.demerit_error_ms = 0.005, all.hits_agreed_share = 0.75;
  all.paired.emplace();
  all.paired->bias_ms = -0.01, all.paired->mae_ms = 0.02, all.paired->rms_ms = 0.03;
  all.paired->p50_ms = 0.0062, all.paired->p95_ms = 0.45;
  one.comparison.classes = {all};
  return one;
}

model::Quality graded(double random, double mixed, double phase) {
  const Judged both[] = {judged("random", "m", random, phase), judged("mixed", "m", mixed, 0.5)};
  return quality_of(both);
}

}  // namespace

TEST_CASE("a grade is that of the worst of both demerits and the phase") {
  CHECK(graded(0.3, 4.9, 0.99) == model::Quality::good);
  CHECK(graded(2.1, 1, 0.99) == model::Quality::fair);
  CHECK(graded(0.3, 5.1, 0.99) == model::Quality::fair);
  CHECK(graded(0.3, 11, 0.99) == model::Quality::poor);
  CHECK(graded(1.96, 1, 0.99) == model::Quality::fair);  // may be above 2 %, by its error
  CHECK(graded(0.3, 1, 0.94) == model::Quality::fair);
  CHECK(graded(0.3, 1, 0.2) == model::Quality::poor);  // the demerit alone does not show it
  CHECK(graded(std::numeric_limits<double>::quiet_NaN(), 1, 0.99) == model::Quality::poor);
}

TEST_CASE("a model has one sentence and a row for each workload") {
  const Judged all[] = {judged("random", "atlas", 0.3, 0.998),
                        judged("random", "atlas.ptab", 3, 0.1), judged("mixed", "atlas", 0.8, 0.99),
                        judged("mixed", "atlas.ptab", 0.9, 0.1)};
  CHECK(
      verdicts(all) ==
      "atlas predicts single requests: median error 6 us, 99.8 % (99.6 to 99.9) in phase; demerit "
      "random 0.3 +- 0.1 %, mixed 0.8 +- 0.1 % of 5000 requests each: good\n"
      "atlas.ptab does not know where the platter is, so that single requests are not predicted: "
      "median error 6 us, 10.0 % (9.1 to 11.0) in phase; demerit random 3.0 +- 0.1 %, mixed 0.9 +- "
      "0.1 % of 5000 "
      "requests each: poor\n");
  const std::string table = overview(all);
  CHECK(std::count(table.begin(), table.end(), '\n') == 5);
  CHECK_THAT(table,
             Catch::Contains("random   atlas        10.000   10.100    0.040   0.3    0.030  "
                             "  99.8   75.0\n"));
}

TEST_CASE("without a phase or pairs the demerits alone are told") {
  Judged one = judged("mixed", "m", 0.8, 0.5);
  one.comparison.classes[0].paired.reset();
  one.comparison.classes[0].demerit_error_ms.reset();
  CHECK(verdicts(std::span(&one, 1)) ==
        "m: demerit mixed 0.8 % of 5000 requests each: unchecked\n");
}

TEST_CASE("what was not run, or tells no phase, is unchecked") {
  const Judged mixed = judged("mixed", "m", 0.8, 0.5);
  CHECK(quality_of(std::span(&mixed, 1)) == model::Quality::unchecked);
  Judged both[] = {judged("random", "m", 0.3, 0.99), mixed};
  both[0].comparison.classes[0].folded_phase_share.reset();
  CHECK(quality_of(both) == model::Quality::unchecked);
}

TEST_CASE("what few requests tell is not known to be good") {
  Judged both[] = {judged("random", "m", 0.3, 1), judged("mixed", "m", 0.8, 0.5)};
  both[0].comparison.classes[0].phase_n = 8;
  CHECK(quality_of(both) == model::Quality::fair);
  both[0].comparison.classes[0].phase_n = 100;
  CHECK(quality_of(both) == model::Quality::good);
  both[1].comparison.classes[0].demerit_error_ms.reset();
  CHECK(quality_of(both) == model::Quality::fair);
}

}  // namespace platter::replay

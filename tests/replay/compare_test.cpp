#include "replay/compare.h"

#include <cmath>

#include "catch.h"
#include "model/error.h"
#include "replay/comparison_text.h"
#include "statistics/distribution.h"

using namespace platter;
using namespace platter::replay;

namespace {

constexpr Nanoseconds kPeriod = 8 * kMillisecond;  // the window is 0.25 ms, the hit threshold 2 ms

Response response(double issue_ms, double response_ms, bool write = false, std::uint32_t blocks = 1,
                  std::optional<bool> media = std::nullopt) {
  return {.lbn = 10,
          .blocks = blocks,
          .write = write,
          .due_ns = from_ms(issue_ms),
          .issue_ns = from_ms(issue_ms),
          .response_ns = from_ms(response_ms),
          .media = media};
}

Result drive_of(std::vector<Response> requests) {
  Result result;
  result.target = Result::Target::drive;
  result.requests = std::move(requests);
  return result;
}

Result model_of(std::vector<Response> requests) {
  Result result = drive_of(std::move(requests));
  result.target = Result::Target::model;
  result.period_ns = kPeriod;
  return result;
}

const ClassMetrics& of_class(const Comparison& comparison, const std::string& name) {
  for (const ClassMetrics& metrics : comparison.classes)
    if (metrics.name == name) return metrics;
  FAIL("no class " << name);
  return comparison.classes.front();
}

}  // namespace

TEST_CASE("demerit: the RMS difference of the sorted times") {
  // sorted 1 2 4 against 1 3 7: differences 0 1 3, so sqrt(10 / 3)
  CHECK(statistics::demerit(std::vector{1.0, 2.0, 4.0}, std::vector{1.0, 3.0, 7.0}) ==
        Approx(std::sqrt(10.0 / 3)));
  // two samples against three: steps end at 1/3, 1/2, 2/3, 1; gaps 0 -1 1 -1 (1 1 3 3 - 1 2 2 4)
  CHECK(statistics::demerit(std::vector{1.0, 3.0}, std::vector{1.0, 2.0, 4.0}) ==
        Approx(std::sqrt(2.0 / 3)));
  CHECK(statistics::demerit(std::vector{5.0}, std::vector{2.0}) == Approx(3));
  CHECK(statistics::demerit({}, std::vector{2.0}) == 0);
}

TEST_CASE("demerit does not depend on how often both samples are repeated") {
  const std::vector<double> a = {1, 2, 4}, b = {1, 3, 7}, twice = {1, 1, 3, 3, 7, 7};
  CHECK(statistics::demerit(a, twice) == Approx(statistics::demerit(a, b)));
}

TEST_CASE("quantiles are linear between samples") {
  const std::vector<double> sorted = {1, 2, 4};
  CHECK(statistics::quantile(sorted, 0) == 1);
  CHECK(statistics::quantile(sorted, 0.5) == 2);
  CHECK(statistics::quantile(sorted, 0.75) == Approx(3));
  CHECK(statistics::quantile(sorted, 1) == 4);
  CHECK(statistics::quantile(std::vector{7.0}, 0.95) == 7);
}

TEST_CASE("the circular median goes around the seam and past outliers") {
  CHECK(std::abs(statistics::circular_median(std::vector{3.9, -3.9, 4.0, 1.0, -1.0}, 8)) ==
        Approx(4));
  CHECK(statistics::circular_median(std::vector{10.5}, 8) == Approx(2.5));
  CHECK(statistics::circular_median({}, 8) == 0);
}

TEST_CASE("means, demerit and paired errors by class") {
  const Result drive = drive_of({response(0, 10), response(100, 20), response(200, 4, true, 6)});
  const Result model = model_of({response(0, 11), response(100, 17), response(200, 4, true, 6)});
  const Comparison comparison = compare(drive, model);
  CHECK(comparison.not_paired.empty());
  CHECK(comparison.same_issue_times);
  const ClassMetrics& all = of_class(comparison, "all");
  CHECK(all.n_drive == 3);
  CHECK(all.mean_drive_ms == Approx(34.0 / 3));
  CHECK(all.mean_model_ms == Approx(32.0 / 3));
  CHECK(all.demerit_ms == Approx(std::sqrt(10.0 / 3)));  // 4 10 20 against 4 11 17
  CHECK(all.demerit_percent == Approx(100 * std::sqrt(10.0 / 3) / (34.0 / 3)));
  REQUIRE(all.paired);
  CHECK(all.paired->bias_ms == Approx(-2.0 / 3));
  CHECK(all.paired->mae_ms == Approx(4.0 / 3));
  CHECK(all.paired->rms_ms == Approx(std::sqrt(10.0 / 3)));
  CHECK(all.paired->p50_ms == Approx(1));
  CHECK(all.paired->p95_ms == Approx(2.8));
  CHECK(all.paired->p99_ms == Approx(2.96));
  CHECK(all.paired->max_ms == Approx(3));
  CHECK(of_class(comparison, "read").n_drive == 2);
  CHECK(of_class(comparison, "write").demerit_ms == 0);
  CHECK(of_class(comparison, "1-4").n_drive == 2);
  CHECK(of_class(comparison, "5-8").n_drive == 1);
  CHECK(comparison.classes.size() == 5);
}

TEST_CASE("paired errors show what the demerit hides") {
  const Result drive = drive_of({response(0, 10), response(100, 20)});
  const Result model = model_of({response(0, 20), response(100, 10)});
  const Comparison comparison = compare(drive, model);
  CHECK(comparison.classes.front().demerit_ms == 0);
  CHECK(comparison.classes.front().paired->mae_ms == Approx(10));
}

TEST_CASE("an empty class has no shares and no paired errors") {
  const Comparison comparison = compare(drive_of({response(0, 10)}), model_of({response(0, 11)}));
  const ClassMetrics& write = of_class(comparison, "write");
  CHECK(write.n_drive == 0);
  CHECK_FALSE(write.paired);
  CHECK_FALSE(write.hits_agreed_share);
  CHECK_FALSE(write.folded_phase_share);
  CHECK_FALSE(write.folded_phase_share_reanchored);
}

TEST_CASE("one request: its error is every quantile") {
  const Comparison comparison = compare(drive_of({response(0, 10)}), model_of({response(0, 11.5)}));
  const ClassMetrics& all = comparison.classes.front();
  CHECK(all.demerit_ms == Approx(1.5));
  CHECK(all.paired->p50_ms == Approx(1.5));
  CHECK(all.paired->max_ms == Approx(1.5));
  CHECK(all.folded_phase_share == 1.0);            // the phase was set by this very access
  CHECK_FALSE(all.folded_phase_share_reanchored);  // nothing before it
}

TEST_CASE(
    "hits: at most a quarter of a revolution, on both sides unless the drive's result knows") {
  const Result drive = drive_of({response(0, 1.0), response(100, 2.0), response(200, 2.1),
                                 response(300, 9), response(400, 9)});
  const Result model =
      model_of({response(0, 5.0, false, 1, false), response(100, 0.1, false, 1, true),
                response(200, 0.1, false, 1, true), response(300, 0.1, false, 1, false),
                response(400, 9, false, 1, true)});
  const ClassMetrics all = compare(drive, model).classes.front();
  CHECK(all.drive_hits == 2);
  CHECK(all.drive_misses == 3);
  CHECK(all.hits_agreed_share == Approx(2.0 / 5));  // requests 2 and 5
  CHECK(all.hits_as_hits_share == Approx(1.0 / 2));
  CHECK(all.misses_as_misses_share == Approx(1.0 / 3));
  CHECK(all.phase_n == 2);  // requests 3 and 5: there the model's own knowledge counts
  Result knowing = drive;
  for (std::size_t i = 0; i < 5; ++i) knowing.requests[i].media = i >= 2;
  CHECK(compare(knowing, model).classes.front().hits_agreed_share == Approx(3.0 / 5));
  CHECK(compare(drive, model, {.hit_threshold_ns = 10e6}).classes.front().drive_hits == 5);
}

TEST_CASE("hits: the time that the data take over the bus is no time of the media") {
  const Result drive = drive_of({response(0, 3.5, false, 20), response(100, 3.5, false, 10)});
  Result model = model_of({response(0, 2.1, false, 20, false), response(100, 9, false, 10, true)});
  model.block_transfer_ns = 0.1e6;  // 3.5 - 2.0 is below 2 ms, 3.5 - 1.0 is not
  const ClassMetrics all = compare(drive, model).classes.front();
  CHECK(all.drive_hits == 1);
  CHECK(all.hits_agreed_share == 1.0);
}

TEST_CASE("without a period there is no threshold, and no phase") {
  Result model = model_of({response(0, 11)});
  model.period_ns.reset();
  const ClassMetrics all = compare(drive_of({response(0, 10)}), model).classes.front();
  CHECK_FALSE(all.hits_agreed_share);
  CHECK_FALSE(all.folded_phase_share);
  CHECK(all.paired);
}

TEST_CASE("all hits: nothing is said about the phase") {
  const ClassMetrics all =
      compare(drive_of({response(0, 0.3), response(100, 0.3)}),
              model_of({response(0, 0.3, false, 1, false), response(100, 0.4, false, 1, false)}))
          .classes.front();
  CHECK(all.hits_agreed_share == 1.0);
  CHECK_FALSE(all.misses_as_misses_share);
  CHECK(all.phase_n == 0);
  CHECK_FALSE(all.folded_phase_share);
}

TEST_CASE("phase: whole revolutions fold away, a constant is taken off once") {
  // errors 3, 3 + 8, 3 - 8, 3.2, 3.3, 7; median 3: folded 0 0 0 0.2 0.3 4; window 0.25
  const Result drive = drive_of({response(0, 10), response(100, 10), response(200, 12),
                                 response(300, 10), response(400, 10), response(500, 10)});
  const Result model = model_of({response(0, 13), response(100, 21), response(200, 7),
                                 response(300, 13.2), response(400, 13.3), response(500, 17)});
  const Comparison comparison = compare(drive, model);
  CHECK(comparison.phase_from == "first 6 media accesses");
  CHECK(comparison.phase_ms == Approx(3));
  CHECK(comparison.classes.front().folded_phase_share == Approx(4.0 / 6));
  // anew at each completion: changes 8 -16 8.2 0.1 3.7, folded 0 0 0.2 0.1 3.7
  CHECK(comparison.classes.front().folded_phase_share_reanchored == Approx(4.0 / 5));
}

TEST_CASE("phase: reference reads set it, so that a model that drifts later is seen") {
  Result drive = drive_of({response(1000, 10), response(1100, 10)});
  Result model = model_of({response(1000, 14), response(1100, 14)});
  drive.reference = {response(0, 10)};
  model.reference = {response(0, 13, false, 1, true)};
  const Comparison comparison = compare(drive, model);
  CHECK(comparison.phase_from == "reference reads");
  CHECK(comparison.classes.front().folded_phase_share == 0.0);
  CHECK(comparison.classes.front().folded_phase_share_reanchored == 1.0);
}

TEST_CASE("phase: the share that leads is the one that the period's error leaves standing") {
  // The model falls 0.2 ms behind at each of 40 requests, 1/40 of its revolution: set anew, all are
  // in phase.
  Result drive, model;
  std::vector<Response> theirs, mine;
  for (int i = 0; i < 40; ++i) {
    theirs.push_back(response(100 * i, 10));
    mine.push_back(response(100 * i, 10 + (0.2 * i)));
  }
  drive = drive_of(theirs);
  model = model_of(mine);
  const Comparison unknown = compare(drive, model);
  CHECK_FALSE(unknown.phase_drift_rev);
  CHECK(unknown.phase_lead == PhaseLead::anew);
  CHECK(comparison_table(unknown).find("states no error of its period") != std::string::npos);

  // 3910 ms are 489 revolutions.
  model.period_error_ns = 8e6 * 1e-4;
  const Comparison lost = compare(drive, model);
  REQUIRE(lost.phase_drift_rev);
  CHECK(*lost.phase_drift_rev == Approx(3910.0 / 8 * 1e-4));
  CHECK(lost.phase_lead == PhaseLead::anew);
  CHECK(comparison_table(lost).find("turns it by 0.0489 revolutions") != std::string::npos);

  // A period that is known so well is wrong, and that is said.
  model.period_error_ns = 8e6 * 1e-6;
  CHECK(compare(drive, model).phase_lead == PhaseLead::once);
}

TEST_CASE("phase: in a closed loop every request starts anew from the completion before it") {
  // The model is 1 ms late each time; its issue times move away from the drive's.
  Result drive = drive_of({response(0, 10), response(20, 10), response(40, 10)});
  Result model = model_of({response(0, 11), response(21, 11), response(42, 11)});
  drive.kind = model.kind = trace::Kind::closed;
  const Comparison comparison = compare(drive, model);
  CHECK_FALSE(comparison.same_issue_times);
  CHECK(comparison.classes.front().folded_phase_share == 1.0);
  CHECK(comparison.classes.front().folded_phase_share_reanchored == 0.0);
}

TEST_CASE("results of different requests are compared as distributions only") {
  const Result drive = drive_of({response(0, 10), response(100, 12)});
  const Comparison shorter = compare(drive, model_of({response(0, 11)}));
  CHECK(shorter.not_paired == "the results have 2 and 1 requests");
  CHECK(shorter.classes.front().n_model == 1);
  CHECK(shorter.classes.front().demerit_ms == Approx(1));  // 10 12 against 11 11
  CHECK_FALSE(shorter.classes.front().paired);
  const Comparison other = compare(drive, model_of({response(0, 10), response(100, 12, true)}));
  CHECK(other.not_paired == "request 2 of the results is not the same");
}

TEST_CASE("hits by the response alone: below the threshold on both sides, whatever is known") {
  Result drive = drive_of({response(0, 1.9), response(100, 2), response(200, 9), response(300, 1)});
  Result model = model_of({response(0, 1), response(100, 1.9), response(200, 8), response(300, 3)});
  model.requests[0].media = true;
  drive.requests[2].media = false;
  model.block_transfer_ns = 1e6;
  const Comparing options{.hit_threshold_ns = 2e6, .hits_by = HitsBy::response};
  const Comparison comparison = compare(drive, model, options);
  const ClassMetrics& all = of_class(comparison, "all");
  CHECK(comparison.hits_by == HitsBy::response);
  CHECK(all.drive_hits == 2);  // 1.9 and 1: 2 is not below 2
  CHECK(all.drive_misses == 2);
  CHECK(*all.hits_agreed_share == 0.5);
  CHECK(*all.hits_as_hits_share == 0.5);
  CHECK(*all.misses_as_misses_share == 0.5);
  const Comparison other = compare(drive, model, {.hit_threshold_ns = 2e6});
  CHECK(other.hits_by == HitsBy::waiting);
  CHECK(of_class(other, "all").drive_hits != 2);
  // The phase does not depend on how hits are told.
  CHECK(of_class(comparison, "all").phase_n == of_class(compare(drive, model), "all").phase_n);
}

TEST_CASE("a part of the requests has the figures that it would have alone") {
  std::vector<Response> theirs, mine;
  for (int i = 0; i < 101; ++i) {
    theirs.push_back(response(40 * i, 5 + i % 7, i % 3 == 0));
    mine.push_back(response(40 * i, 5 + i % 5, i % 3 == 0));
  }
  const auto part = [](const std::vector<Response>& rows, std::size_t from, std::size_t to) {
    return std::vector<Response>(rows.begin() + static_cast<std::ptrdiff_t>(from) - 1,
                                 rows.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const auto check = [&](const Comparing& options, std::size_t from, std::size_t to) {
    const Comparison whole = compare(drive_of(theirs), model_of(mine), options);
    const Comparison alone = compare(drive_of(part(theirs, from, to)),
                                     model_of(part(mine, from, to)));
    REQUIRE(whole.range);
    CHECK(whole.range->from == from);
    CHECK(whole.range->to == to);
    for (const char* name : {"all", "read", "write"}) {
      CHECK(of_class(whole, name).n_drive == of_class(alone, name).n_drive);
      CHECK(of_class(whole, name).n_model == of_class(alone, name).n_model);
      CHECK(of_class(whole, name).demerit_ms == of_class(alone, name).demerit_ms);
      CHECK(of_class(whole, name).paired->mae_ms == of_class(alone, name).paired->mae_ms);
      CHECK(of_class(whole, name).drive_hits == of_class(alone, name).drive_hits);
    }
  };
  check({.from = 7, .to = 30}, 7, 30);
  check({.to = 30}, 1, 30);
  check({.from = 100}, 100, 101);
  check({.half = Half::first}, 1, 50);
  check({.half = Half::second}, 51, 101);
  CHECK_FALSE(compare(drive_of(theirs), model_of(mine)).range);
}

TEST_CASE("a part that is not there is refused with how many requests there are") {
  const std::vector<Response> rows(101, response(0, 1)), fewer(60, response(0, 1)),
      one(1, response(0, 1));
  const auto check = [](const std::vector<Response>& theirs, const std::vector<Response>& mine,
                        const Comparing& options, const std::string& sentence) {
    CHECK_THROWS_WITH(compare(drive_of(theirs), model_of(mine), options),
                      Catch::StartsWith(sentence));
  };
  check(rows, rows, {.from = 102},
        "the drive's result has 101 requests, so that there is no request 102;");
  check(rows, rows, {.to = 102},
        "the drive's result has 101 requests, so that there is no request 102;");
  check(rows, rows, {.from = 50, .to = 9999},
        "the drive's result has 101 requests, so that there is no request 9999; give --from and "
        "--to from 1 "
        "to 101");
  check(rows, rows, {.from = 300, .to = 200}, "the drive's result has 101 requests");
  check(rows, rows, {.from = 0},
        "the drive's result has 101 requests, so that there is no request 0;");
  check(rows, rows, {.from = 9, .to = 8}, "no request lies from 9 to 8;");
  check(one, one, {.half = Half::first},
        "the drive's result has 1 request, which has no first half");
  check(rows, fewer, {.from = 61}, "the result of  has 60 requests, none from 61 to 101;");
}

TEST_CASE("a part of results that are not of the same requests has its demerit all the same") {
  const Comparison comparison = compare(drive_of({response(0, 1), response(9, 5), response(5, 3)}),
                                        model_of({response(0, 1), response(7, 4)}),
                                        {.half = Half::second});
  CHECK(of_class(comparison, "all").n_drive == 2);
  CHECK(of_class(comparison, "all").n_model == 1);
  CHECK(of_class(comparison, "all").demerit_ms == Approx(1));
  CHECK_FALSE(of_class(comparison, "all").paired);
}

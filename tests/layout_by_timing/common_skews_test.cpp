// Runs whose skews differ by the noise of their ends.
#include "layout_by_timing/common_skews.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catch.h"
#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

double farthest_rev(const Run& a, const Run& b) {
  return std::max(std::abs(statistics::wrap_rev(a.start_rev - b.start_rev)),
                  std::abs(statistics::wrap_rev(a.track_start_rev(a.tracks - 1) -
                                                b.track_start_rev(b.tracks - 1))));
}

}  // namespace

TEST_CASE("runs take the skew that others have, and no track moves by more than two thousandths") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> end_error_rev(0, 0.0003);
  const std::vector<double> skews{0.0, 30.0 / 384, 120.0 / 384, 0.49999, 0.7};
  std::vector<Run> truth, measured;
  for (std::size_t i = 0; i < 3000; ++i) {
    Run run;
    run.slots = 500;
    run.tracks = i % 7 == 0 ? 40 : 300;
    run.skew_rev = skews[i % skews.size()];
    if (i > 0)
      run.start_rev = statistics::turn_rev(truth.back().track_start_rev(truth.back().tracks) +
                                           (i % 3 == 0 ? 0.25 : 0.1));
    truth.push_back(run);
    const double first = end_error_rev(random), last = end_error_rev(random);
    run.start_rev += first;
    run.skew_rev = statistics::turn_rev(run.skew_rev + (last - first) / (run.tracks - 1));
    measured.push_back(run);
  }
  std::vector<Run> common = measured;
  take_common_skews(common);
  std::set<std::pair<std::uint32_t, double>> distinct;
  std::set<long> between;  // in steps of 1e-9
  double before = 0, after = 0;
  for (std::size_t i = 0; i < common.size(); ++i) {
    distinct.emplace(common[i].tracks, common[i].skew_rev);
    CHECK(farthest_rev(common[i], measured[i]) < 0.00201);
    if (i > 0)
      between.insert(std::lround(
          1e9 * statistics::turn_rev(common[i].start_rev -
                                     common[i - 1].track_start_rev(common[i - 1].tracks))));
    before += farthest_rev(measured[i], truth[i]);
    after += farthest_rev(common[i], truth[i]);
  }
  CHECK(distinct.size() <= 24);
  CHECK(between.size() < 400);  // each time that it was about to lead away there is another
  CHECK(after < before);
}

TEST_CASE("a skew that no other run has stays") {
  std::vector<Run> runs(kFewestForCommonSkews);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].slots = 500, runs[i].tracks = 201;
    runs[i].skew_rev = 0.1 + 0.0005 * static_cast<double>(i % 5);
  }
  runs[77].skew_rev = 0.10025;
  runs[78].tracks = 1, runs[78].skew_rev = 0.1000001;
  std::vector<Run> common = runs;
  take_common_skews(common);
  CHECK(common[77].skew_rev == runs[77].skew_rev);
  CHECK(common[78].skew_rev == runs[78].skew_rev);
}

TEST_CASE("of a map of few runs each keeps the skew that was measured") {
  std::vector<Run> runs(kFewestForCommonSkews - 1);
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].tracks = 300, runs[i].skew_rev = 0.1 + 1e-8 * static_cast<double>(i);
  std::vector<Run> common = runs;
  take_common_skews(common);
  for (std::size_t i = 0; i < runs.size(); ++i) CHECK(common[i].skew_rev == runs[i].skew_rev);
}

}  // namespace platter::layout_by_timing

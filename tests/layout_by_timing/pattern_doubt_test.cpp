#include "layout_by_timing/pattern_doubt.h"

#include "catch.h"

using namespace platter;
using namespace platter::layout_by_timing;

namespace {

constexpr std::size_t kPeriod = 40;
constexpr Nanoseconds kLearning_ns = 10'000'000'000, kBand_ns = 100'000'000;

struct Sweep {
  PatternDoubt doubt{};
  std::size_t runs = 100;
  Nanoseconds now_ns = 0;

  Sweep() { doubt.learnt(runs, kLearning_ns); }
  // After how many of so many bands it is due; so many: it is not.
  std::size_t bands(std::size_t most, double wrong) {
    for (std::size_t band = 0; band < most; ++band) {
      ++runs, now_ns += kBand_ns;
      if (doubt.is_due(wrong, runs, kPeriod, now_ns)) return band;
    }
    return most;
  }
};

}  // namespace

TEST_CASE("a pattern that was right and is wrong for longer than learning takes is learnt anew") {
  Sweep sweep;
  CHECK(sweep.bands(400, 0.001) == 400);
  CHECK(sweep.bands(1000, 0.1) == 300);
  sweep.doubt.learnt(sweep.runs, kLearning_ns);
  CHECK(sweep.bands(1000, 0.1) == 600);  // that did not help: it has twice as long
  sweep.doubt.learnt(sweep.runs, kLearning_ns);
  CHECK(sweep.bands(400, 0.001) == 400);
  CHECK(sweep.bands(1000, 0.1) == 300);
}

TEST_CASE("a pattern that soon is right again, or of a drive that never was, is not learnt anew") {
  Sweep never;
  CHECK(never.bands(5000, 0.1) == 5000);
  Sweep sweep;
  sweep.bands(400, 0.001);
  for (int times = 0; times < 20; ++times) {
    CHECK(sweep.bands(250, 0.1) == 250);
    CHECK(sweep.bands(1, 0.03) == 1);
    CHECK(sweep.bands(10, 0.001) == 10);
  }
}

#include "estimate/estimates.h"

#include <algorithm>
#include <set>

#include "catch.h"

using namespace platter;
using namespace platter::estimate;

namespace {

// Reads of one sector, one behind each turn of 6 ms.
Samples reads(std::size_t count) {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.experiment = Experiment::rotation;
    sample.completed_ns = static_cast<Nanoseconds>(6'000'000 * (i + 1));
    sample.issued_ns = sample.completed_ns - 5'900'000;
    samples.push_back(sample);
  }
  return samples;
}

Samples writes(std::initializer_list<std::uint32_t> blocks) {
  Samples samples;
  for (const std::uint32_t size : blocks) {
    Sample sample;
    sample.write = true;
    sample.blocks = size;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("estimates: each figure has a row of its own, behind what it needs") {
  std::set<std::string_view> names;
  for (std::size_t figure = 0; figure < kFigures; ++figure) {
    CAPTURE(figure);
    CHECK(names.insert(kEstimates[figure].name).second);
    CHECK(kEstimates[figure].function != nullptr);
    CHECK(kEstimates[figure].needs >> figure == 0);
  }
  CHECK(static_cast<std::size_t>(Figure::write_seeks) + 1 == kFigures);
}

TEST_CASE("estimates: a figure is made when it is asked for, of the samples alone") {
  const Samples samples = reads(64);
  const model::Parameter period =
      Estimates(samples, nullptr, {}).of<Figure::rotation>().rotation.period;
  REQUIRE(period);
  CHECK(*period.value == Approx(6e6));
  // Without a map no access tells a passage, and no figure that needs one is there.
  model::Rotation rotation;
  rotation.numerator_ns = 6'000'000;
  Estimates made(samples, nullptr, rotation);
  CHECK_FALSE(made.of<Figure::same_track>().of(false, false));
  CHECK(made.of<Figure::seeks>().seek.points.empty());
  CHECK(made.of<Figure::overheads>().read_miss_after_read.reason == "the layout is not known");
}

TEST_CASE("evidence: the smallest writes, whatever else there is") {
  const auto unit = [](const Samples& samples) {
    return Evidence(samples, nullptr, {}).write_unit();
  };
  CHECK(unit(reads(3)) == 1);
  CHECK(unit(writes({16, 8, 32})) == 8);
  CHECK(unit(writes({1})) == 1);
  CHECK_FALSE(Evidence(Samples{}, nullptr, {}).has_writes());
}

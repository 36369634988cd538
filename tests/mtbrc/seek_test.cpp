#include "mtbrc/seek.h"

#include <cmath>
#include <sstream>

#include "catch.h"
#include "estimate/estimates.h"
#include "mtbrc/rotation.h"
#include "plain_disk.h"
#include "plain_run.h"
#include "scsi/drive.h"
#include "statistics/robust.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

TEST_CASE("seeks: the curve of a noisy disk, with honest errors") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const plain::Shape shape = plain::small_shape();
    plain::Disk disk(shape, seed);
    plain::Run run(disk, seed);
    Context& context = run.context;
    const Nanoseconds start = run.drive.now_ns();
    const model::Seek seek = measure_seeks(context).seek;
    const double seconds = to_ms(run.drive.now_ns() - start) * 1e-3;
    REQUIRE(seek.points.size() > 20);
    double squares = 0, worst_ms = 0, mean_ms = 0;
    for (const auto& point : seek.points) {
      const double truth = shape.seek_a_ms + shape.seek_b_ms * std::sqrt(point.cylinders);
      const double error = point.time_ms - truth;
      squares += std::pow(error / *point.error_ms, 2);
      worst_ms = std::max(worst_ms, std::abs(error));
      mean_ms += error / static_cast<double>(seek.points.size());
    }
    const double deviation = std::sqrt(squares / static_cast<double>(seek.points.size()));
    INFO(seek.points.size() << " points, z " << deviation << ", worst " << worst_ms << " ms, mean "
                            << mean_ms << " ms, " << seconds << " s of drive time");
    CHECK(seek.points.back().cylinders == 1499);
    CHECK(deviation < 2.5);  // a shared error of the same-track constant is in all of them
    CHECK(worst_ms < 0.06);
    CHECK(std::abs(mean_ms) < 0.025);
    CHECK(seconds < 70);
  }
}

namespace {

// A curve's errors at every distance, linear between its points, and the time that it took.
struct Judged {
  model::Seek seek;
  double mean_ms = 0, worst_ms = 0, seconds = 0;
  std::uint32_t worst_at = 0;
};

Judged judged(const plain::Shape& shape, std::uint64_t seed) {
  plain::Disk disk(shape, seed);
  plain::Run run(disk, seed);
  Context& context = run.context;
  const Nanoseconds start = run.drive.now_ns();
  Judged result;
  result.seek = measure_seeks(context).seek;
  result.seconds = to_ms(run.drive.now_ns() - start) * 1e-3;
  const auto& points = result.seek.points;
  std::uint32_t distances = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    for (std::uint32_t d = points[i - 1].cylinders; d < points[i].cylinders; ++d, ++distances) {
      const double share = static_cast<double>(d - points[i - 1].cylinders) /
                           (points[i].cylinders - points[i - 1].cylinders);
      const double error = points[i - 1].time_ms +
                           share * (points[i].time_ms - points[i - 1].time_ms) -
                           disk.mean_seek_ms(d);
      result.mean_ms += std::abs(error);
      if (std::abs(error) <= result.worst_ms) continue;
      result.worst_ms = std::abs(error);
      result.worst_at = d;
    }
  result.mean_ms /= std::max(distances, 1u);
  return result;
}

std::ostream& operator<<(std::ostream& out, const Judged& found) {
  return out << found.seek.points.size() << " points, mean " << found.mean_ms << " ms, worst "
             << found.worst_ms << " ms at " << found.worst_at << ", " << found.seconds
             << " s of drive time";
}

void judge_seeds(const plain::Shape& shape, std::uint64_t seeds, double most_seconds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Judged found = judged(shape, seed);
    INFO("seed " << seed << ": " << found);
    CHECK(found.worst_ms < 0.15);
    CHECK(found.seconds < most_seconds);
  }
}

}  // namespace

TEST_CASE("seeks: SEEK commands tell the curve in a small part of the time, where they are true") {
  plain::Shape shape = plain::small_shape();
  const auto seeks = GENERATE(plain::Seeks::real, plain::Seeks::at_once, plain::Seeks::half);
  shape.seeks = seeks;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Judged found = judged(shape, seed);
    INFO("kind of SEEK " << static_cast<int>(seeks) << ", seed " << seed << ": " << found << "; "
                         << found.seek.method);
    REQUIRE(found.seek.points.size() > 20);
    CHECK(found.worst_ms < 0.08);
    CHECK(found.mean_ms < 0.025);
    CHECK(found.seconds < (seeks == plain::Seeks::real ? 12 : 70));
  }
}

// Commands right behind one another would all find the next wedge equally far away.
TEST_CASE("seeks: an arm that arrives at servo wedges is seen at all of them") {
  plain::Shape shape = plain::small_shape();
  shape.seeks = plain::Seeks::real;
  shape.wedges = 30;
  shape.positioning_us = 2;
  shape.host_us = 1;
  constexpr int kSeeds = 8;
  std::vector<double> worst_ms;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Judged found = judged(shape, seed);
    INFO("seed " << seed << ": " << found);
    CHECK(found.seek.points.size() < 90);  // no bends where there are none
    CHECK(found.mean_ms < 0.02);
    CHECK(found.worst_ms < 0.1);
    worst_ms.push_back(found.worst_ms);
  }
  // One of the distances is met at few wedges now and then.
  CHECK(statistics::median(worst_ms) < 0.06);
}

TEST_CASE("seeks: a dip between the distances that are measured first is found") {
  plain::Shape shape = plain::small_shape();
  shape.seeks = plain::Seeks::real;
  shape.dip_at = 750;
  shape.dip_width = 40;
  shape.dip_ms = 1.5;
  judge_seeds(shape, 4, 15);
}

TEST_CASE("seeks: a SEEK command that was held up is in no point of the curve") {
  plain::Shape shape = plain::small_shape();
  shape.seeks = plain::Seeks::real;
  shape.outward_ms = 0.15;  // so that two commands one way are a point
  shape.late_seek_share = 0.03;
  shape.late_seek_ms = 2;
  judge_seeds(shape, 12, 20);
}

TEST_CASE("seeks: nothing measured is told as such") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  model::Rotation rotation;
  rotation.numerator_ns = 6'000'000;
  const Samples none;
  const model::Seek seek = Estimates(none, &map, rotation).of<Figure::seeks>().seek;
  CHECK(seek.points.empty());
  CHECK_FALSE(seek.reason.empty());
}

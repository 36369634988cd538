#include "mtbrc/seek.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "mtbrc/rotation.h"
#include "plain_disk.h"
#include "scsi/drive.h"

using namespace platter;
using namespace platter::mtbrc;

TEST_CASE("seeks: the curve of a noisy disk, with honest errors") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const plain::Shape shape = plain::small_shape();
    plain::Disk disk(shape, seed);
    scsi::Drive drive(disk, "plain disk");
    drive.identify();
    Context context(drive, seed);
    measure_rotation(context, 0);
    const engine::LayoutMap map(disk.layout(true));
    context.map = &map;
    const Nanoseconds start = drive.now_ns();
    const model::Seek seek = measure_seeks(context);
    const double seconds = to_ms(drive.now_ns() - start) * 1e-3;
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

TEST_CASE("seeks: nothing measured is told as such") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  model::Rotation rotation;
  rotation.numerator_ns = 6'000'000;
  const model::Seek seek = estimate_seeks({}, map, rotation);
  CHECK(seek.points.empty());
  CHECK_FALSE(seek.reason.empty());
}

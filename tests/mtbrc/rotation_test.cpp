#include "mtbrc/rotation.h"

#include <cmath>
#include <random>

#include "catch.h"
#include "plain_disk.h"
#include "scsi/drive.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

// Reads of one LBN: 32 in a row, then bursts with rests between, noise as given.
Samples synthetic(double period_ns, double noise_ns, int bursts, int reads, double rest_rev,
                  std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, noise_ns);
  std::uniform_real_distribution<double> rest(0.5 * rest_rev, rest_rev);
  Samples samples;
  double revolution = 17;
  for (int b = 0; b < bursts; ++b) {
    for (int i = 0; i < (b == 0 ? 32 : reads); ++i) {
      Sample sample;
      sample.experiment = Experiment::rotation;
      sample.lbn = 5;
      sample.completed_ns =
          static_cast<Nanoseconds>(revolution * period_ns + noise(random) +
                                   (std::bernoulli_distribution(0.02)(random)
                                        ? std::exponential_distribution<double>(1e-6)(random)
                                        : 0));
      samples.push_back(sample);
      revolution += std::bernoulli_distribution(0.05)(random) ? 2 : 1;
    }
    revolution += std::round(rest(random));
  }
  return samples;
}

}  // namespace

TEST_CASE("rotation: degenerate samples are told as such") {
  CHECK(estimate_rotation({}).outcome == RotationOutcome::too_few);
  Samples equal(20);
  for (Sample& s : equal) s.experiment = Experiment::rotation;
  CHECK(estimate_rotation(equal).outcome != RotationOutcome::measured);
  Samples hits(40);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    hits[i].experiment = Experiment::rotation;
    hits[i].completed_ns = static_cast<Nanoseconds>(i * 200'000);
  }
  CHECK(estimate_rotation(hits).outcome == RotationOutcome::cache_still_on);
}

TEST_CASE("rotation: the period and an honest error from 3600 to 15000 rpm") {
  std::mt19937_64 random(23);
  double squares = 0;
  const int cases = 200;
  for (int i = 0; i < cases; ++i) {
    const double rpm = std::uniform_real_distribution<double>(3600, 15000)(random);
    const double noise = std::uniform_real_distribution<double>(5e3, 60e3)(random);
    const double truth = 60e9 / rpm;
    const RotationEstimate found = estimate_rotation(synthetic(truth, noise, 30, 8, 40, random));
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double error = *found.rotation.period.value - truth;
    CHECK(std::abs(error) < 1e-4 * truth);
    squares += std::pow(error / *found.rotation.period.error, 2);
  }
  const double deviation = std::sqrt(squares / cases);
  CHECK(deviation > 0.7);
  CHECK(deviation < 1.3);
}

// As after a power cycle: another clock, another phase.
TEST_CASE("rotation: sessions are not counted into one another, and both tell the period") {
  std::mt19937_64 random(31);
  double squares = 0, error_of_one = 0, error_of_both = 0;
  constexpr int kCases = 200;
  for (int i = 0; i < kCases; ++i) {
    const double truth = 60e9 / std::uniform_real_distribution<double>(3600, 15000)(random);
    Samples samples = synthetic(truth, 20e3, 30, 8, 40, random);
    error_of_one += *estimate_rotation(samples).rotation.period.error;
    for (Sample& s : synthetic(truth, 20e3, 30, 8, 40, random)) {
      s.completed_ns += static_cast<Nanoseconds>(0.37 * truth);  // within the first session's time
      s.session = 1;
      samples.push_back(s);
    }
    const RotationEstimate found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    squares += std::pow((*found.rotation.period.value - truth) / *found.rotation.period.error, 2);
    error_of_both += *found.rotation.period.error;
  }
  CHECK(error_of_both < 0.95 * error_of_one);
  CHECK(std::sqrt(squares / kCases) > 0.6);
  CHECK(std::sqrt(squares / kCases) < 1.3);
}

TEST_CASE("rotation: sessions that differ by more than their errors make the error as large") {
  std::mt19937_64 random(37);
  constexpr double kPeriod_ns = 60e9 / 7200.0, kApart = 1e-4;
  Samples samples = synthetic(kPeriod_ns, 20e3, 30, 8, 40, random);
  for (Sample& s : synthetic(kPeriod_ns * (1 + kApart), 20e3, 30, 8, 40, random)) {
    s.session = 1;
    samples.push_back(s);
  }
  const RotationEstimate found = estimate_rotation(samples);
  CHECK(found.rotation.period.value ==
        Approx(kPeriod_ns * (1 + kApart / 2)).margin(kPeriod_ns * kApart / 2));
  CHECK(*found.rotation.period.error > 0.2 * kApart * kPeriod_ns);
}

// As while a layout is asked for, for minutes, soon after the first revolutions.
TEST_CASE("rotation: what lies behind a pause of many revolutions tells how many they were") {
  std::mt19937_64 random(29);
  constexpr double kPeriod_ns = 60e9 / 14980.0;
  constexpr double kPause_rev = 200'000;
  for (int i = 0; i < 20; ++i) {
    Samples samples = synthetic(kPeriod_ns, 15e3, 3, 4, 30, random);
    for (Sample later : synthetic(kPeriod_ns, 15e3, 60, 4, 400, random)) {
      later.completed_ns += static_cast<Nanoseconds>(std::llround(kPause_rev * kPeriod_ns));
      samples.push_back(later);
    }
    const RotationEstimate found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    CHECK(found.relative_error() < 1e-8);
    CHECK(std::abs(*found.rotation.period.value / kPeriod_ns - 1) < 2e-8);
  }
}

TEST_CASE("rotation: measured on a noisy disk to a tenth of a part per million") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    plain::Shape shape = plain::small_shape();
    plain::Disk disk(shape, seed);
    scsi::Drive drive(disk, "plain disk");
    drive.identify();
    Context context(drive, seed);
    const RotationEstimate found = measure_rotation(context, 0);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double error = *found.rotation.period.value / shape.period_ns - 1;
    INFO("error " << error * 1e6 << " ppm, claimed " << found.relative_error() * 1e6);
    CHECK(found.relative_error() < 1.5e-7);
    CHECK(std::abs(error) < 4 * found.relative_error());
    CHECK(context.rotation.numerator_ns > 0);
    // The same again from the samples alone.
    CHECK(*estimate_rotation(context.samples).rotation.period.value ==
          *found.rotation.period.value);
  }
}

TEST_CASE("rotation: a cache that was not turned off is noticed") {
  plain::Shape shape = plain::small_shape();
  shape.cached = true;
  plain::Disk disk(shape);
  scsi::Drive drive(disk, "plain disk");
  drive.identify();
  Context context(drive);
  CHECK(measure_rotation(context, 0).outcome == RotationOutcome::cache_still_on);
  CHECK(context.rotation.numerator_ns == 0);
}

TEST_CASE(
    "rotation: bursts of many and of two completions tell one period, whatever the host's tail") {
  std::mt19937_64 random(31);
  std::normal_distribution<double> gauss(0, 1);
  const double period = 6e6;
  const int cases = 200;
  double sum = 0, squares = 0;
  for (int i = 0; i < cases; ++i) {
    Samples samples;
    double revolution = 10;
    const auto read = [&] {
      Sample sample;
      sample.experiment = Experiment::rotation;
      sample.lbn = 77;
      sample.blocks = 1;
      sample.completed_ns =
          static_cast<Nanoseconds>(revolution * period + 6e3 * std::exp(0.7 * gauss(random)));
      sample.issued_ns = sample.completed_ns - 4'000'000;
      samples.push_back(sample);
      ++revolution;
    };
    for (int first = 0; first < 64; ++first) read();
    for (int burst = 0; burst < 40; ++burst) {
      revolution += 20 + 8 * burst;
      read();
      read();
    }
    const RotationEstimate found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double z = (*found.rotation.period.value - period) / *found.rotation.period.error;
    sum += z / cases;
    squares += z * z / cases;
  }
  INFO("mean " << sum << ", deviation " << std::sqrt(squares));
  CHECK(std::abs(sum) < 0.35);
  CHECK(std::sqrt(squares) < 1.25);
  CHECK(std::sqrt(squares) > 0.6);
}

TEST_CASE("rotation: anchors of a long run, whose spindle wanders, and an honest error") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> host(std::log(6e3), 0.69);
  std::uniform_real_distribution<double> phase(0, 2 * M_PI);
  constexpr double kPeriod_ns = 60e9 / 10025;
  double squares = 0, within = 0;
  constexpr int kCases = 200;
  for (int i = 0; i < kCases; ++i) {
    const double at = phase(random);
    Samples samples;
    const auto burst = [&](double from_s, int reads) {
      double revolution = std::ceil(from_s * 1e9 / kPeriod_ns);
      for (int k = 0; k < reads; ++k, ++revolution) {
        const double time = revolution * kPeriod_ns;
        Sample sample;
        sample.experiment = Experiment::anchor;
        sample.lbn = 5;
        // 5 ppm of speed, to and fro in 7 s.
        sample.completed_ns = static_cast<Nanoseconds>(
            time + 5.6e3 * std::sin(2 * M_PI * time / 7e9 + at) + host(random));
        samples.push_back(sample);
      }
    };
    burst(0, 32);
    for (double t = 0.4; t < 2; t += 0.2) burst(t, 6);
    for (double t = 4; t < 16; t += 0.7) burst(t, 4);
    burst(22, 2);
    burst(60, 12);
    const RotationEstimate found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double off = (*found.rotation.period.value - kPeriod_ns) / *found.rotation.period.error;
    squares += off * off / kCases;
    within += std::abs(off) < 1.96 ? 1.0 / kCases : 0;
  }
  INFO("RMS " << std::sqrt(squares) << ", within " << within);
  CHECK(std::sqrt(squares) < 1.15);
  CHECK(std::sqrt(squares) > 0.8);
  CHECK(within > 0.91);
}

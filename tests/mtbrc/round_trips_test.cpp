#include "mtbrc/round_trips.h"

#include "catch.h"
#include "estimate/host.h"
#include "estimate/samples.h"

namespace platter::mtbrc {
namespace {

estimate::Sample round_trip(Nanoseconds issued_ns, Nanoseconds completed_ns) {
  return {.experiment = estimate::Experiment::round_trip,
          .blocks = 0,
          .issued_ns = issued_ns,
          .completed_ns = completed_ns};
}

}  // namespace

TEST_CASE("A round trip takes the one stamp that lies in it") {
  estimate::Samples samples = {round_trip(1'000'300, 1'060'300), round_trip(1'070'000, 1'130'000),
                               round_trip(1'140'000, 1'200'000), round_trip(1'210'000, 1'270'000),
                               round_trip(1'280'700, 1'299'600)};
  const std::vector<scsi::Stamp> stamps = {
      {900'000, 950'000},                              // a command before
      {1'012'000, 1'050'000},                          // the first one's
      {1'060'000, 1'090'000},                          // begins before the second
      {1'150'000, 1'160'000}, {1'170'000, 1'190'000},  // two in the third
      {1'220'000, 1'280'000},                          // ends after the fourth
      {1'280'000, 1'300'000},                          // rounded, of the fifth
  };
  take_stamps(samples, stamps);
  CHECK(samples[0].dispatched_ns == 1'012'000);
  CHECK(samples[0].returned_ns == 1'050'000);
  for (const std::size_t other : {1, 2, 3}) CHECK_FALSE(samples[other].stamped());
  CHECK(samples[4].dispatched_ns == samples[4].issued_ns);
  CHECK(samples[4].returned_ns == samples[4].completed_ns);
  take_stamps(samples, {});
}

TEST_CASE("The kernel's share is of the stamped round trips alone") {
  estimate::Samples samples;
  for (Nanoseconds i = 0; i < 100; ++i) {
    estimate::Sample sample = round_trip(i * 1'000'000, i * 1'000'000 + 60'000);
    if (i % 4 > 0) {
      sample.dispatched_ns = sample.issued_ns + 8'000 + 1;
      sample.returned_ns = sample.issued_ns + 48'000 + 1;
    }
    samples.push_back(sample);
  }
  samples[5].experiment = estimate::Experiment::disturbed;
  const auto shares = estimate::host_shares(samples);
  REQUIRE(shares);
  CHECK(shares->above.samples() == 74);
  CHECK(shares->above.median_ms() == Approx(0.02));
  CHECK(shares->behind.median_ms() == Approx(0.04));
  CHECK(shares->behind.quantile_ms(0.99) == Approx(0.04));
  samples.resize(16);
  CHECK_FALSE(estimate::host_shares(samples));
}

}  // namespace platter::mtbrc

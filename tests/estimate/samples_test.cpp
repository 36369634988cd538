#include "estimate/samples.h"

#include "catch.h"
#include "estimate/kept.h"

using namespace platter::estimate;
using namespace platter::estimate;

TEST_CASE("samples: written and read again they are the same") {
  Samples samples(2);
  samples[0] = {Experiment::seek, -17,  false, 1ull << 40,     1, 123456789012345,
                123456789912345,  true, 77,    123456789000000};
  samples[1].experiment = Experiment::head_switch;
  samples[1].write = true;
  samples[1].blocks = 64;
  const Samples again = kept_and_read(samples);
  REQUIRE(again.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(again[i].experiment == samples[i].experiment);
    CHECK(again[i].group == samples[i].group);
    CHECK(again[i].write == samples[i].write);
    CHECK(again[i].lbn == samples[i].lbn);
    CHECK(again[i].blocks == samples[i].blocks);
    CHECK(again[i].issued_ns == samples[i].issued_ns);
    CHECK(again[i].completed_ns == samples[i].completed_ns);
    CHECK(again[i].after_write == samples[i].after_write);
    CHECK(again[i].after_lbn == samples[i].after_lbn);
    CHECK(again[i].after_completed_ns == samples[i].after_completed_ns);
  }
}

TEST_CASE("samples: a stamp lies within its command, and stays when it is kept") {
  Samples samples = {{.experiment = Experiment::round_trip,
                      .blocks = 0,
                      .issued_ns = 1000,
                      .completed_ns = 5000,
                      .dispatched_ns = 2000,
                      .returned_ns = 4000}};
  CHECK(kept_and_read(samples)[0].stamped());
  CHECK(kept_and_read(samples)[0].dispatched_ns == 2000);
  CHECK(kept_and_read(samples)[0].returned_ns == 4000);
  for (const auto& [dispatched_ns, returned_ns] :
       {std::pair(999, 4000), {2000, 5001}, {4000, 3999}}) {
    samples[0].dispatched_ns = dispatched_ns;
    samples[0].returned_ns = returned_ns;
    CHECK_THROWS(kept_and_read(samples));
  }
}

TEST_CASE("samples: fields that are no sample's are refused, other payloads are left alone") {
  using platter::samples::Line;
  CHECK_THROWS(sample_of(Line{2, "timing", {{"experiment", "seek"}}}));
  CHECK_THROWS(sample_of(Line{2, "timing", {{"experiment", "dance"}}}));
  CHECK_FALSE(sample_of(Line{2, "cache_probe", {{"experiment", "seek"}}}));
}

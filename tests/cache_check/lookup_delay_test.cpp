// When a drive looks into its cache, from blocks that are asked for as they pass the heads.
#include "cache_check/lookup_delay.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "cache_check/check.h"
#include "cache_probe/probed_record.h"
#include "catch.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::cache_check;
using namespace platter::cache_probe;
using testing::record_of;

namespace {

constexpr double kHost_ms = 0.012, kError_ms = 0.001;
constexpr double kStep_ms = 0.002;  // of the delays that are tried

// As the other stages measure it: what passes before a command arrives is in its overhead.
model::DriveModel measured_without(const model::DriveModel& truth, double host_ms) {
  model::DriveModel found = truth;
  model::Overheads& o = found.overheads;
  for (model::Parameter* command :
       {&o.read_hit_after_read, &o.read_hit_after_write, &o.read_miss_after_read,
        &o.read_miss_after_write, &o.write_hit_after_read, &o.write_hit_after_write,
        &o.write_miss_after_read, &o.write_miss_after_write}) {
    command->value = *command->value + host_ms;
    command->error = kError_ms;
  }
  o.per_request = {};
  found.cache.almost_read_hits = {};
  found.cache.almost_read_hits.reason = "not tested";
  return found;
}

}  // namespace

TEST_CASE("how late the cache is looked into, and whether what is just being read counts as held") {
  // Also where a block takes so long to pass that a command behind it is soon in time for the next
  // turn.
  int told = 0;
  for (const std::string drive : {"cache-base", "cache-large", "random-331"}) {
    const std::string name = fmt::format("virtual:{}?imperfections=default&seed=2", drive);
    CAPTURE(drive);
    const model::DriveModel truth = virtual_drive::virtual_model(name);
    const Record record = record_of(truth, name);
    model::DriveModel found = measured_without(truth, kHost_ms);
    const double before_ms = *found.overheads.read_miss_after_read.value;
    estimate_lookup_delay(record, found);

    const model::Parameter& late = found.overheads.per_request;
    if (!late) continue;
    ++told;
    CHECK(late.samples >= 24);
    REQUIRE(late.error);
    CHECK(*late.error < 0.006);
    CHECK(std::abs(*late.value - kHost_ms) < kStep_ms + 4 * *late.error);
    CHECK(*found.overheads.read_miss_after_read.value + *late.value == Approx(before_ms));

    REQUIRE(found.overheads.read_hit_after_read.error);
    CHECK(*found.overheads.read_hit_after_read.error == Approx(std::hypot(kError_ms, *late.error)));

    const model::Parameter& almost = found.cache.almost_read_hits;
    REQUIRE(almost);
    CHECK(*almost.value == truth.cache.almost_read_hits.value.value_or(0));
    CHECK(*almost.error < 0.02);
    CHECK(*almost.error > 1e-6);
    CHECK(almost.reason.empty());
  }
  CHECK(told >= 2);
}

// There both shift the edge: a delay of a block's time must not be made of it. The blocks' lengths
// differ little, so that it is told of some drives only, and wrongly of few.
TEST_CASE(
    "where read-ahead ends with the track, blocks of two lengths tell a delay from what counts as "
    "held") {
  int right = 0, wrong = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const std::string name = fmt::format(
        "virtual:cache-read-ahead-next-track?imperfections=default&seed={}", seed);
    const model::DriveModel truth = virtual_drive::virtual_model(name);
    model::DriveModel found = measured_without(truth, kHost_ms);
    estimate_lookup_delay(record_of(truth, name), found);
    CHECK(found.overheads.per_request.value.has_value() ==
          found.cache.almost_read_hits.value.has_value());
    if (!found.overheads.per_request) {
      CHECK(found.cache.almost_read_hits.reason.ends_with("did not decide it"));
      continue;
    }
    const bool held = *found.cache.almost_read_hits.value == 1;
    ++(held ? right : wrong);
    if (held) CHECK(std::abs(*found.overheads.per_request.value - kHost_ms) < 0.01);
  }
  CHECK(right >= 2);
  CHECK(wrong <= 2 + right / 4);
}

// Its blocks take 10 us, and commands 12 us until it looks: requests in random order, to which no
// delay is tried, are all for what counts as held.
// What is told there is wrong in a third of the runs, by more than its error says: no more than
// that.
TEST_CASE("what a delay of a block's time explains as well is no proven policy") {
  int surely_wrong = 0, told = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const std::string name = fmt::format("virtual:random-102?imperfections=default&seed={}", seed);
    const model::DriveModel truth = virtual_drive::virtual_model(name);
    const Record record = record_of(truth, name);
    model::DriveModel found = measured_without(truth, kHost_ms);
    estimate_lookup_delay(record, found);
    choose_lookup(record, found);
    choose_open_policies(record, found);
    const model::Parameter& almost = found.cache.almost_read_hits;
    const model::Parameter& late = found.overheads.per_request;
    told += almost || late;
    if (almost) {
      REQUIRE(almost.error);
      CHECK(*almost.error <= 0.5);  // what is likelier wrong than right is no figure
      const double off = std::abs(*almost.value - truth.cache.almost_read_hits.value.value_or(0));
      surely_wrong += off > 4 * *almost.error;
    } else if (late) {
      CHECK(std::abs(*late.value - kHost_ms) < kStep_ms + 4 * *late.error);
    }
  }
  CHECK(told >= 8);
  CHECK(surely_wrong <= told / 2);
}

// The exercise explains either: with a delay, or with blocks that count as held.
TEST_CASE(
    "where the pairs leave open which of the two moves the edge, the exercise helps, and the delay "
    "is told with it") {
  struct Case {
    const char* drive;
    bool held;
  };
  for (const Case& one : {Case{"cache-read-ahead-next-track", true}, Case{"random-3000", false}}) {
    int settled = 0, right = 0, wrong = 0;
    for (int seed = 1; seed <= 8; ++seed) {
      CAPTURE(one.drive, seed);
      const std::string name = fmt::format("virtual:{}?imperfections=default&seed={}", one.drive,
                                           seed);
      const model::DriveModel truth = virtual_drive::virtual_model(name);
      REQUIRE((truth.cache.almost_read_hits.value.value_or(0) == 1) == one.held);
      const Record record = record_of(truth, name);
      model::DriveModel found = measured_without(truth, kHost_ms);
      estimate_lookup_delay(record, found);
      if (found.overheads.per_request) continue;
      choose_lookup(record, found);
      const model::Parameter& late = found.overheads.per_request;
      if (!late) continue;
      ++settled;
      const bool as_it_is = (found.cache.almost_read_hits.value.value_or(0) == 1) == one.held;
      ++(as_it_is ? right : wrong);
      if (as_it_is) CHECK(std::abs(*late.value - kHost_ms) < kStep_ms + 4 * *late.error);
    }
    // (Of the second the pairs leave few open.)
    CHECK(right >= (one.held ? 3 : 1));
    CHECK(wrong <= 1);
  }
}

TEST_CASE("a drive that looks up its cache at once, and one whose answers do not show when") {
  SECTION("commands that need no time on their way") {
    const std::string name = "virtual:cache-base?imperfections=default&seed=2";
    model::DriveModel truth = virtual_drive::virtual_model(name);
    truth.imperfections->host_delay_median_us = truth.imperfections->host_delay_p99_us = 0;
    model::DriveModel found = measured_without(truth, 0);
    estimate_lookup_delay(record_of(truth, name), found);
    CHECK(found.overheads.per_request.value.value_or(0) < 0.005);
    CHECK(found.cache.almost_read_hits.value.value_or(0) == 1);
  }
  SECTION("the next command waits for all of read-ahead") {
    const std::string name = "virtual:cache-no-abort?imperfections=default&seed=2";
    const model::DriveModel truth = virtual_drive::virtual_model(name);
    model::DriveModel found = measured_without(truth, kHost_ms);
    estimate_lookup_delay(record_of(truth, name), found);
    CHECK_FALSE(found.overheads.per_request);
    CHECK(found.overheads.per_request.reason.empty());
    CHECK_FALSE(found.cache.almost_read_hits);
  }
}

TEST_CASE("a command's time below zero leaves no room for a delay") {
  const std::string name = "virtual:cache-base?imperfections=default&seed=2";
  const model::DriveModel truth = virtual_drive::virtual_model(name);
  model::DriveModel found = measured_without(truth, kHost_ms);
  found.overheads.write_hit_after_write.value = -0.01;
  estimate_lookup_delay(record_of(truth, name), found);
  CHECK_FALSE(found.overheads.per_request);
  CHECK_FALSE(found.cache.almost_read_hits);
}

TEST_CASE(
    "where nobody asked when the cache is looked into, the overheads' errors hold that time") {
  const std::string name = "virtual:cache-base?imperfections=default&seed=2";
  const model::DriveModel truth = virtual_drive::virtual_model(name);
  CHECK_FALSE(asked_about_lookup(Record{}));
  CHECK(asked_about_lookup(record_of(truth, name)));
  for (const double host_ms : {0.0, 0.028, 0.07}) {
    model::DriveModel found = measured_without(truth, host_ms);
    hold_untold_delay(found.overheads);
    const model::Parameter& hit = found.overheads.read_hit_after_read;
    CAPTURE(host_ms, *hit.error);
    CHECK(std::abs(*hit.value - *truth.overheads.read_hit_after_read.value) <= 2 * *hit.error);
    CHECK(*hit.error < *hit.value);
    CHECK_FALSE(found.overheads.per_request);
  }
}

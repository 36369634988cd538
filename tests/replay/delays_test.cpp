// The host's delays around a model: drawn as they were measured, and none where they are not told.
#include "replay/delays.h"

#include <algorithm>
#include <vector>

#include "catch.h"
#include "replay/replay_model.h"
#include "replay/small_drive.h"
#include "statistics/robust.h"

using namespace platter;
using namespace platter::replay;
using namespace platter::replay::testing;

namespace {

constexpr double kLookup_ms = 0.03;

// From 20 us less than the median to 60 us more, a cache that is looked into 30 us behind the
// start.
model::DriveModel with_delays(double lookup_ms = kLookup_ms) {
  model::DriveModel model = drive_model(true);
  model.overheads.per_request.value = lookup_ms;
  model.delay_spread =
      model::DelaySpread{.quantiles = {{0, -0.02}, {0.5, 0}, {0.9, 0.02}, {1, 0.06}}};
  return model;
}

// One block again and again: all but the first are hits.
trace::Trace rereads(std::uint64_t requests = 2000) {
  trace::Trace trace{.kind = trace::Kind::closed, .requests = {}};
  for (std::uint64_t i = 0; i < requests; ++i)
    trace.requests.push_back({.think_ns = 100'000, .lbn = 7});
  return trace;
}

std::vector<double> hit_times_ms(const model::DriveModel& model, std::uint64_t seed) {
  const Result result = replay_on_model(model, rereads(),
                                        {.reference_reads = 0, .delay_seed = seed});
  std::vector<double> ms;
  for (std::size_t i = 1; i < result.requests.size(); ++i) {
    CHECK(result.requests[i].media == false);
    CHECK(result.requests[i].issue_ns == result.requests[i - 1].completion_ns() + 100'000);
    ms.push_back(static_cast<double>(result.requests[i].response_ns) * 1e-6);
  }
  return ms;
}

}  // namespace

TEST_CASE("hits take as long as always, more or less what the host's delay spreads by") {
  // Where the median delay does not fit in front of the cache, the overheads hold the rest.
  for (const double lookup_ms : {kLookup_ms, 0.02, 0.004}) {
    CAPTURE(lookup_ms);
    const model::DriveModel model = with_delays(lookup_ms);
    const double always_ms = hit_times_ms(model, 0).front();
    const std::vector<double> found_ms = hit_times_ms(model, 5);
    for (const model::DelayQuantile& quantile : model.delay_spread->quantiles)
      CHECK(statistics::quantile_of(found_ms, quantile.share) - always_ms ==
            Approx(quantile.ms).margin(quantile.share == 1 ? 0.004 : 0.0015));
  }
}

TEST_CASE("half of a delay is on the way there, but for what would be there before it was sent") {
  Delays plenty(with_delays());
  for (int i = 0; i < 1000; ++i) {
    const OnTheWay delay = plenty.draw();
    CHECK(delay.there_ns >= 0);
    CHECK(delay.back_ns - delay.there_ns >= 0);
    CHECK(delay.back_ns - delay.there_ns <= 1);
    CHECK(delay.there_ns + delay.back_ns <= 80'000);
  }
  Delays scarce(with_delays(0.004));  // of 20 us
  bool at_once = false;
  for (int i = 0; i < 1000; ++i) {
    const OnTheWay delay = scarce.draw();
    const Nanoseconds half_ns = (delay.there_ns + delay.back_ns) / 2;
    CHECK(delay.there_ns == std::max<Nanoseconds>(0, half_ns - 16'000));
    at_once |= delay.there_ns == 0;
  }
  CHECK(at_once);
}

TEST_CASE("draws are those of their seed") {
  const model::DriveModel model = with_delays();
  CHECK(hit_times_ms(model, 3) == hit_times_ms(model, 3));
  CHECK(hit_times_ms(model, 3) != hit_times_ms(model, 4));
  const std::vector<double> always = hit_times_ms(model, 0);
  CHECK(std::ranges::all_of(always, [&](double ms) { return ms == always.front(); }));
}

TEST_CASE("nothing is drawn where the delays are not told, at depth, or in a drive's own times") {
  const model::DriveModel model = with_delays();
  const auto drawn = [](const model::DriveModel& subject, const ModelReplay& how) {
    ModelReplay other = how;
    other.delay_seed = 2;
    const Result found = replay_on_model(subject, rereads(50), other);
    return found.delay_seed != 0 ||
           found.requests != replay_on_model(subject, rereads(50), how).requests;
  };
  CHECK(drawn(model, {.reference_reads = 0}));
  CHECK_FALSE(drawn(model, {.depth = 2, .reference_reads = 0}));
  const Result drive = replay_on_model(model, rereads(50), {.reference_reads = 0});
  CHECK_FALSE(drawn(model, {.reference_reads = 0, .like = &drive}));
  model::DriveModel silent = model;
  silent.overheads.per_request = {};
  CHECK_FALSE(drawn(silent, {.reference_reads = 0}));
  silent = model;
  silent.delay_spread.reset();
  CHECK_FALSE(drawn(silent, {.reference_reads = 0}));
}

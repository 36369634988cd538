#include <random>
#include <sstream>

#include "catch.h"
#include "replay/model_run.h"
#include "replay/small_drive.h"
#include "trace/think_times.h"

using namespace platter;
using namespace platter::replay;
using namespace platter::replay::testing;

namespace {

// As a drive like `model` serves it, with its service times.
trace::Trace measured_on(const model::DriveModel& model, std::size_t requests) {
  std::mt19937_64 random(1);
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  for (std::size_t i = 0; i < requests; ++i)
    trace.requests.push_back({.think_ns = static_cast<Nanoseconds>(random() % 30'000'000),
                              .lbn = random() % kBlocks,
                              .write = random() % 3 == 0});
  const Result result = replay_on_model(model, trace, {.reference_reads = 0});
  for (std::size_t i = 0; i < requests; ++i)
    trace.requests[i].service_ns = result.requests[i].response_ns;
  return trace;
}

// Each think time in front of its request, as some recorders wrote them.
trace::Trace written_in_front(trace::Trace trace) {
  for (std::size_t i = trace.requests.size(); i-- > 1;)
    trace.requests[i].think_ns = trace.requests[i - 1].think_ns;
  trace.requests[0].think_ns = 0;
  return trace;
}

PlacedThinkTimes place_think_times(const model::DriveModel& model, const trace::Trace& trace) {
  std::stringstream text;
  trace::write_trace(text, trace, trace::Format::validate);
  auto reader = trace::open_trace(trace::memory_source(text.str()), "written",
                                  {.format = trace::Format::validate});
  return replay::place_think_times(subject_of(model), std::move(reader));
}

}  // namespace

TEST_CASE("a model that knows the platter tells where the think times belong") {
  const model::DriveModel model = drive_model();
  for (const std::size_t requests : {400u, 10'500u}) {
    const trace::Trace behind = measured_on(model, requests);
    PlacedThinkTimes told = place_think_times(model, behind);
    CHECK_FALSE(told.think_in_front);
    CHECK(told.share_behind > 0.9);
    CHECK(told.share_in_front < 0.2);
    CHECK(trace::read_trace(*told.trace).requests.size() == requests);

    told = place_think_times(model, written_in_front(behind));
    CHECK(told.think_in_front);
    CHECK(told.share_in_front > 0.9);
    const trace::Trace read = trace::read_trace(*told.trace);
    REQUIRE(read.requests.size() == requests);
    for (std::size_t i = 0; i + 1 < requests; ++i)
      REQUIRE(std::abs(read.requests[i].think_ns - behind.requests[i].think_ns) <= 1000);
  }
}

TEST_CASE("a model that does not know the platter leaves think times as the format has them") {
  const trace::Trace behind = measured_on(drive_model(), 1000);
  model::DriveModel lost = drive_model();
  std::mt19937_64 random(4);
  for (model::LayoutNode& zone : lost.layout.zones)
    zone.angle_step_rev = 0.001 * static_cast<double>(random() % 1000);
  CHECK_FALSE(place_think_times(lost, behind).think_in_front);
  CHECK_FALSE(place_think_times(lost, written_in_front(behind)).think_in_front);
}

TEST_CASE("a trace without service times, or a short one, is not asked") {
  trace::Trace trace = measured_on(drive_model(), 300);
  trace.requests[7].service_ns.reset();
  PlacedThinkTimes told = place_think_times(drive_model(), trace);
  CHECK(told.share_behind == 0);
  CHECK(trace::read_trace(*told.trace).requests.size() == 300);
  trace = measured_on(drive_model(), 20);
  told = place_think_times(drive_model(), trace);
  CHECK(told.share_behind == 0);
  CHECK(trace::read_trace(*told.trace).requests.size() == 20);
}

#include <cmath>

#include "catch.h"
#include "engine/engine.h"
#include "model/error.h"
#include "replay/compare.h"
#include "replay/replay_drive.h"
#include "replay/replay_model.h"
#include "replay/small_drive.h"
#include "replay/summary.h"
#include "scsi/drive.h"
#include "trace/workload.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::replay;
using namespace platter::replay::testing;

namespace {

trace::Trace workload(bool reads_only, std::uint64_t requests = 300) {
  return trace::generate({.profile = trace::profile("mixed"),
                          .blocks = kBlocks,
                          .requests = requests,
                          .seed = 3,
                          .reads_only = reads_only});
}

trace::Trace closed(std::vector<Nanoseconds> thinks) {
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  for (const Nanoseconds think : thinks)
    trace.requests.push_back({.think_ns = think, .lbn = 40 + 97 * trace.requests.size()});
  return trace;
}

scsi::Permission all_writes() { return {.writes = {{0, kBlocks - 1}}}; }

// A virtual drive whose platter stands elsewhere than its model says.
model::DriveModel with_phase(model::DriveModel model, std::uint64_t seed) {
  model.imperfections = model::Imperfections{};
  model.imperfections->random_phase = true;
  model.imperfections->seed = seed;
  return model;
}

}  // namespace

TEST_CASE("closed: the next request is issued a think time after the model's own completion") {
  const trace::Trace trace = closed({1'000'000, 2'500'000, 0});
  const Result result = replay_on_model(drive_model(), trace, {.reference_reads = 0});
  REQUIRE(result.requests.size() == 3);
  CHECK(result.requests[0].issue_ns == 0);
  CHECK(result.requests[1].issue_ns == result.requests[0].completion_ns() + 1'000'000);
  CHECK(result.requests[2].issue_ns == result.requests[1].completion_ns() + 2'500'000);
  CHECK(result.period_ns == 10'000'000.0);
}

TEST_CASE("open: requests are issued when due, later only while the depth is used up") {
  trace::Trace trace;
  for (std::uint64_t i = 0; i < 4; ++i)
    trace.requests.push_back({.arrival_ns = 1000 * static_cast<Nanoseconds>(i), .lbn = 800 * i});
  const Result one = replay_on_model(drive_model(), trace, {.reference_reads = 0});
  for (std::size_t i = 1; i < 4; ++i)
    CHECK(one.requests[i].issue_ns == one.requests[i - 1].completion_ns());
  const Result four = replay_on_model(drive_model(), trace, {.depth = 4, .reference_reads = 0});
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(four.requests[i].issue_ns == 1000 * static_cast<Nanoseconds>(i));
  CHECK(four.requests[3].completion_ns() <= one.requests[3].completion_ns());
}

TEST_CASE("a replay begins with reference reads, all of them from the media") {
  const Result result = replay_on_model(drive_model(true), workload(false),
                                        {.reference_reads = 16});
  REQUIRE(result.reference.size() == 16);
  for (const Response& reference : result.reference) CHECK(reference.media == true);
  CHECK(result.requests.front().issue_ns == 16 * kReferencePause_ns);
}

TEST_CASE("with the caches off every request goes to the media") {
  const Result result = replay_on_model(drive_model(true), workload(false),
                                        {.caches = Caches::off});
  for (const Response& request : result.requests) CHECK(request.media == true);
  const Result cached = replay_on_model(drive_model(true), workload(false));
  std::size_t hits = 0;
  for (const Response& request : cached.requests) hits += request.media == false;
  CHECK(hits > 30);
}

TEST_CASE("a trace past the model's end is refused") {
  trace::Trace trace;
  trace.requests.push_back({.lbn = kBlocks});
  CHECK_THROWS_AS(replay_on_model(drive_model(), trace), Error);
}

TEST_CASE("a virtual drive and its own model agree to the nanosecond once the phase is found") {
  const bool cache = GENERATE(false, true);
  const bool is_closed = GENERATE(false, true);
  const std::uint64_t seed = GENERATE(1, 2, 3);
  const model::DriveModel model = drive_model(cache);
  virtual_drive::VirtualDevice device(with_phase(model, seed));
  const trace::Trace trace = is_closed ? trace::converted(workload(false), trace::Kind::closed)
                                       : workload(false);
  const Result drive = replay_on_drive(device, all_writes(), trace);
  const Result mine = replay_on_model(model, trace, {.like = &drive});
  const Comparison comparison = compare(drive, mine);
  CHECK(comparison.same_issue_times);
  CHECK(comparison.phase_from == "reference reads");
  const ClassMetrics& all = comparison.classes.front();
  CHECK(all.n_drive == 300);
  CHECK(all.paired->max_ms < 0.001);
  CHECK(all.demerit_ms < 0.001);
  CHECK(all.folded_phase_share == 1.0);
  CHECK(all.folded_phase_share_reanchored == 1.0);
}

TEST_CASE("without reference reads the phase comes from the first media accesses") {
  const model::DriveModel model = drive_model();
  virtual_drive::VirtualDevice device(with_phase(model, 5));
  const trace::Trace trace = workload(true);
  const Result drive = replay_on_drive(device, {}, trace, {.reference_reads = 0});
  const Result mine = replay_on_model(model, trace, {.like = &drive});
  const Comparison comparison = compare(drive, mine);
  CHECK(comparison.phase_from == "first 100 media accesses");
  CHECK(comparison.classes.front().paired->max_ms < 0.001);
}

TEST_CASE("a model whose period is 100 ppm off loses the position, and keeps it when re-anchored") {
  const model::DriveModel model = drive_model();
  model::DriveModel slow = model;
  slow.rotation.numerator_ns += 1000;
  virtual_drive::VirtualDevice device(model);
  const trace::Trace trace = workload(true, 3000);
  const Result drive = replay_on_drive(device, {}, trace);
  const Comparison comparison = compare(drive, replay_on_model(slow, trace, {.like = &drive}));
  const ClassMetrics& all = comparison.classes.front();
  CHECK(*all.folded_phase_share < 0.3);  // 108 s drift by 10.8 ms, a whole revolution
  CHECK(*all.folded_phase_share_reanchored > 0.95);
}

TEST_CASE("a write outside the permission is refused with what to pass, and nothing is sent") {
  virtual_drive::VirtualDevice device(drive_model());
  trace::Trace trace;
  trace.name = "t";
  trace.requests.push_back({.lbn = 50, .blocks = 4, .write = true});
  trace.requests.push_back({.lbn = 90, .blocks = 8, .write = true});
  try {
    replay_on_drive(device, {.writes = {{50, 60}}}, trace);
    FAIL("written");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::refused);
    CHECK(std::string(error.what()).find("--allow-writes 50-97") != std::string::npos);
  }
  CHECK(device.clock().now_ns() == 0);
}

TEST_CASE(
    "a request that is longer than the drive takes is refused in a sentence, and nothing is sent") {
  auto model = drive_model();
  if (!model.firmware) model.firmware.emplace();
  model.firmware->scsi_level = "SPC-3";
  model.firmware->most_transfer_blocks = 8;
  virtual_drive::VirtualDevice device(model);
  trace::Trace trace;
  trace.name = "the trace";
  trace.requests = {{.lbn = 0, .blocks = 8}, {.lbn = 100, .blocks = 9}};
  const auto before_ns = device.clock().now_ns();
  CHECK(most_blocks_of(device) == 8);
  CHECK_THROWS_WITH(
      replay_on_drive(device, {}, trace),
      Catch::Contains("the trace: request 2 is of 9 blocks") && Catch::Contains("takes 8"));
  CHECK(device.clock().now_ns() - before_ns < 50 * kMillisecond);
  trace.requests.pop_back();
  CHECK(replay_on_drive(device, {}, trace).requests.size() == 1);
}

TEST_CASE("sectors that will be written are known before the timed run") {
  virtual_drive::VirtualDevice device(drive_model());
  trace::Trace trace;
  trace.requests.push_back({.lbn = 50, .blocks = 4, .write = true});
  trace.requests.push_back({.arrival_ns = 1, .lbn = 52, .blocks = 8, .write = true});
  trace.requests.push_back({.arrival_ns = 2, .lbn = 90, .blocks = 1, .write = true});
  std::vector<std::pair<std::uint64_t, std::size_t>> learned;
  const auto note = [&](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    learned.emplace_back(lbn, bytes.size());
  };
  replay_on_drive(device, all_writes(), trace, {.before_writes = note});
  CHECK(learned == std::vector<std::pair<std::uint64_t, std::size_t>>{{50, 10 * 512}, {90, 512}});
}

TEST_CASE("a model takes no more at once than its queue, and the result says so") {
  model::DriveModel model = drive_model();
  model.queue.depth = engine::testing::value(2);
  trace::Trace trace;
  trace.requests.resize(6);
  CHECK(replay_on_model(model, trace, {.depth = 4}).depth == 2);
  ModelReplay deep{.depth = 100};
  deep.queue = engine::QueueSettings{};
  CHECK(replay_on_model(model, trace, deep).depth == engine::kMaxOutstanding);
}

TEST_CASE("one at a time and through the queue the engine gives the same answers") {
  const bool cache = GENERATE(false, true);
  trace::Trace trace = trace::converted(workload(false), trace::Kind::closed);
  const Result one = replay_on_model(drive_model(cache), trace, {.reference_reads = 0});
  engine::Engine engine(drive_model(cache));
  for (const Response& row : one.requests) {
    engine::Request request;
    request.lbn = row.lbn;
    request.blocks = row.blocks;
    request.write = row.write;
    REQUIRE(engine.submit(request, row.issue_ns));
    const engine::Completion completion = *engine.next_completion();
    CHECK(completion.completion_ns == row.completion_ns());
    CHECK(completion.media_access == row.media);
  }
}

TEST_CASE(
    "a closed trace at depth: drive and model run the same loops, in the order of the queue") {
  model::DriveModel model = drive_model(true);
  model.queue.depth = engine::testing::value(16);
  const trace::Trace trace = trace::converted(workload(false), trace::Kind::closed);
  virtual_drive::VirtualDevice device(model);
  const Result drive = replay_on_drive(device, all_writes(), trace,
                                       {.depth = 8, .reference_reads = 0});
  const Result mine = replay_on_model(model, trace, {.depth = 8, .like = &drive});
  CHECK(drive.depth == 8);
  CHECK(mine.depth == 8);
  CHECK(compare(drive, mine).classes.front().paired->p99_ms < 0.001);

  ModelReplay how{.depth = 8, .reference_reads = 0};
  how.queue = engine::QueueSettings{engine::Scheduler::fcfs, 0, 0};
  const trace::Trace busy = [&] {
    trace::Trace copy = trace;
    for (trace::Request& request : copy.requests) request.think_ns = 0;
    return copy;
  }();
  const Result fcfs = replay_on_model(drive_model(), busy, how);
  how.queue->scheduler = engine::Scheduler::sptf;
  const Result sptf = replay_on_model(drive_model(), busy, how);
  CHECK(fcfs.scheduler == "fcfs");
  CHECK(sptf.scheduler == "sptf");
  CHECK(summary_of(sptf).seconds < 0.9 * summary_of(fcfs).seconds);
  // All eight loops start at once.
  for (std::size_t i = 0; i < 8; ++i) CHECK(sptf.requests[i].issue_ns == 0);
  CHECK(sptf.requests[8].issue_ns > 0);
}

TEST_CASE("an open replay at depth keeps its deadlines") {
  model::DriveModel model = drive_model();
  model.queue.depth = engine::testing::value(32);
  virtual_drive::VirtualDevice device(model);
  trace::Trace trace = workload(true);
  for (trace::Request& request : trace.requests) request.arrival_ns /= 2;  // mean 18 ms: some wait
  const Result drive = replay_on_drive(device, {}, trace, {.depth = 32});
  CHECK(summary_of(drive).lateness.host.max_ms == 0);
  std::size_t overlapping = 0;
  for (std::size_t i = 1; i < drive.requests.size(); ++i)
    overlapping += drive.requests[i].issue_ns < drive.requests[i - 1].completion_ns();
  CHECK(overlapping > 30);
  const Comparison comparison = compare(drive, replay_on_model(model, trace, {.like = &drive}));
  CHECK(comparison.classes.front().paired->p99_ms < 0.001);
}

TEST_CASE("cache settings of the drive are brought back") {
  virtual_drive::VirtualDevice device(drive_model(true));
  const trace::Trace trace = workload(true, 50);
  const Result off = replay_on_drive(device, {}, trace, {.caches = Caches::off});
  CHECK(off.caches == "off");
  for (const Response& request : off.requests) CHECK(request.response_ns > 300'000);
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "d");
  drive.identify();
  CHECK_FALSE(drive.settings().cache_page()->read_cache_disabled);
}

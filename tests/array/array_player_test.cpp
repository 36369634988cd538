#include <algorithm>

#include "../replay/small_drive.h"
#include "array/replay_array.h"
#include "catch.h"
#include "model/error.h"
#include "replay/schedule.h"
#include "trace/trace.h"

using namespace platter;
using array::ArrayPlan;
using array::Level;

namespace {

replay::Subject member() { return replay::subject_of(replay::testing::drive_model()); }

trace::Trace random_trace(std::uint64_t blocks, std::uint32_t count, bool writes) {
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  std::uint64_t state = 5;
  for (std::uint32_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    trace.requests.push_back({.lbn = (state >> 33) % (blocks / 8) * 8,
                              .blocks = 8,
                              .write = writes && (state >> 20) % 2 == 0});
  }
  return trace;
}

replay::Result on_array(const ArrayPlan& plan, std::uint32_t members, const trace::Trace& trace,
                        std::uint32_t depth = 1) {
  const std::vector<replay::Subject> subjects(members, member());
  replay::Result result;
  replay::IntoResult rows(result);
  const auto reader = trace::reader_of(trace);
  static_cast<replay::ResultHead&>(result) = array::replay_on_array(
      plan, subjects, *reader, {.depth = depth, .reference_reads = 0}, rows);
  return result;
}

ArrayPlan plan_of(Level level) {
  return {.level = level, .chunk_bytes = 4096, .stripes = 16, .phase_seed = 0};
}

}  // namespace

TEST_CASE("a mirror that has one member left answers as the drive alone") {
  const trace::Trace trace = random_trace(4096, 200, true);
  const replay::Result alone = replay::replay_on_model(member(), trace, {.reference_reads = 0});
  ArrayPlan plan = plan_of(Level::raid1);
  plan.missing = 1;
  CHECK(on_array(plan, 2, trace).requests == alone.requests);
}

TEST_CASE("mirrors of one phase write as the drive alone, of other phases longer") {
  trace::Trace trace = random_trace(4096, 200, false);
  for (trace::Request& request : trace.requests) request.write = true;
  const replay::Result alone = replay::replay_on_model(member(), trace, {.reference_reads = 0});
  ArrayPlan plan = plan_of(Level::raid1);
  CHECK(on_array(plan, 3, trace).requests == alone.requests);
  plan.phase_seed = 1;
  const replay::Result apart = on_array(plan, 3, trace);
  Nanoseconds longer = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i)
    longer += apart.requests[i].response_ns - alone.requests[i].response_ns;
  CHECK(longer > 0);
}

TEST_CASE("RAID 5 writes data and parity when both old ones are read, on drives of one phase") {
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  trace.requests.push_back({.lbn = 0, .blocks = 8, .write = true});
  const replay::Result result = on_array(plan_of(Level::raid5), 5, trace);
  engine::Engine engine(member().tables);
  engine::Request old;
  old.blocks = 8;
  engine::Request changed = old;
  changed.write = true;
  const Nanoseconds end_ns =
      engine.service(changed, engine.service(old, 0).completion_ns).completion_ns;
  CHECK(result.requests.at(0).response_ns == end_ns);
  CHECK(result.array->commands == 4);
}

TEST_CASE("a write of a whole row of chunks reads nothing") {
  trace::Trace trace;
  trace.requests.push_back({.lbn = 0, .blocks = 32, .write = true});
  CHECK(on_array(plan_of(Level::raid5), 5, trace).array->commands == 5);
}

TEST_CASE("every request ends, whatever the array lacks and however few stripes it keeps") {
  const Level level = GENERATE(Level::raid1, Level::raid5);
  const int state = GENERATE(0, 1, 2);
  ArrayPlan plan = plan_of(level);
  if (state == 1) plan.missing = 2;
  if (state == 2) plan.rebuild = 0;
  const std::uint64_t blocks =
      array::setup_of(plan, {member(), member(), member()}).geometry.blocks();
  trace::Trace trace = random_trace(blocks, 1500, true);
  for (std::size_t i = 0; i < trace.requests.size(); i += 3)
    trace.requests[i].blocks =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(1 + i, blocks - trace.requests[i].lbn));
  const replay::Result result = on_array(plan, 3, trace, 8);
  REQUIRE(result.requests.size() == trace.requests.size());
  for (const replay::Response& row : result.requests) REQUIRE(row.response_ns >= 0);
  if (state == 2) CHECK(result.array->rebuilt_blocks == blocks / (level == Level::raid5 ? 2 : 1));
}

TEST_CASE("a rebuild writes all superblocks at its begin and after each sixteenth of the member") {
  ArrayPlan plan = plan_of(Level::raid1);
  plan.rebuild = 2;
  plan.merge_bytes = 64 * 1024;
  const std::uint64_t blocks =
      array::setup_of(plan, {member(), member(), member()}).geometry.blocks();
  const trace::Trace trace = random_trace(blocks, 2000, false);
  const replay::Result result = on_array(plan, 3, trace);
  REQUIRE(result.array->rebuilt_blocks == blocks);
  const std::uint64_t copies = (blocks + 127) / 128;
  std::uint64_t checkpoints = 0;
  for (std::uint64_t at = 0, last = 0; at < blocks; at += 128)
    if (at - last > blocks / 16) {
      ++checkpoints;
      last = at;
    }
  REQUIRE(checkpoints > 2);
  CHECK(result.array->commands == trace.requests.size() + 2 * copies + 3 * (1 + checkpoints));
}

TEST_CASE(
    "what was rebuilt before the last checkpoint is read from the member, what was not is not") {
  ArrayPlan plan = plan_of(Level::raid5);
  plan.rebuild = 0;
  plan.merge_bytes = 4096;  // each page a command
  const array::ArraySetup setup = array::setup_of(plan, {member(), member(), member()});
  const std::uint64_t pages = setup.geometry.blocks() / 8;
  // The rebuild begins with the first request and ends before the last.
  const auto commands_with = [&](std::uint64_t page, Nanoseconds time_ns) {
    trace::Trace trace;
    trace.kind = trace::Kind::open;
    trace.requests.push_back({.lbn = 8, .blocks = 8});
    trace.requests.push_back({.arrival_ns = time_ns, .lbn = page * 8, .blocks = 8});
    trace.requests.push_back({.arrival_ns = 1'000'000'000'000, .lbn = 8, .blocks = 8});
    const replay::Result result = on_array(plan, 3, trace);
    CHECK(result.array->rebuilt_blocks == setup.geometry.member_blocks);
    return result.array->commands;
  };
  const auto page_of_lost = [&](std::uint64_t from) {
    std::vector<array::Piece> pieces;
    for (std::uint64_t page = from;; ++page) {
      array::pieces_of(setup.geometry, page * 8, 8, pieces);
      if (pieces.front().member == 0) return page;
    }
  };
  const std::uint64_t near = page_of_lost(pages / 8), far = page_of_lost(pages * 7 / 8);
  constexpr Nanoseconds kHalfDone = 3'000'000'000;
  CHECK(commands_with(near, kHalfDone) + 1 == commands_with(far, kHalfDone));
  CHECK(commands_with(near, 1'000'000) == commands_with(far, 1'000'000));
}

TEST_CASE("what no array can be is refused in a sentence, with status 2") {
  const auto refused = [](const ArrayPlan& plan, std::vector<replay::Subject> members) {
    try {
      array::setup_of(plan, members);
    } catch (const Error& error) {
      return error.status() == ExitStatus::usage;
    }
    return false;
  };
  CHECK(refused(plan_of(Level::raid5), {member()}));
  CHECK(refused(plan_of(Level::raid1), {member()}));
  CHECK(refused(plan_of(Level::raid0), {member()}));
  CHECK(refused(plan_of(Level::raid5), {member(), member()}));
  replay::Subject other = member();
  other.block_bytes = 4096;
  CHECK(refused(plan_of(Level::raid0), {member(), other}));
  ArrayPlan plan = plan_of(Level::raid5);
  plan.missing = 3;
  CHECK(refused(plan, {member(), member(), member()}));
  plan.missing = 0;
  CHECK_FALSE(refused(plan, {member(), member(), member()}));
  plan.rebuild = 1;
  CHECK(refused(plan, {member(), member(), member()}));
  plan = plan_of(Level::raid0);
  plan.missing = 0;
  CHECK(refused(plan, {member(), member()}));
  plan = plan_of(Level::raid5);
  plan.chunk_bytes = 6 * 1024;
  CHECK(refused(plan, {member(), member(), member()}));
}

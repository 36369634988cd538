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

// A state copied back is the state: what follows is the same to the nanosecond. And time that has
// gone on for long has not moved the platter.

#include <cmath>
#include <vector>

#include "catch.h"
#include "engine/engine.h"
#include "engine/int128.h"
#include "engine/random_layout.h"
#include "engine/small_drive.h"
#include "engine/state.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

model::DriveModel drive_with_random_cache(std::mt19937_64& random) {
  model::DriveModel drive = testing::small_drive();
  drive.layout = testing::random_layout(random);
  if (random() % 3 != 0) {
    drive.cache = testing::small_cache();
    drive.cache.segments = value(double(1 + random() % 6));
    drive.cache.separate_write_segment = value(double(random() % 2));
    drive.cache.read_ahead = value(double(random() % 5));
    drive.cache.read_free_blocks = value(double(random() % 2));
    drive.cache.write_back_level = value(double(random() % 3));
    drive.cache.zero_latency_read = value(double(random() % 2));
    drive.cache.almost_read_hits = value(double(random() % 2));
    if (random() % 2) {
      drive.cache.destage_behind = value(1);
      drive.cache.destage_idle = value(double(random() % 10));
      drive.cache.replacement = value(double(random() % 3));
      drive.cache.read_ahead_resumes = value(double(random() % 2));
      drive.cache.destage_in_passing = value(double(random() % 2));
      if (random() % 3 == 0) drive.cache.segments = value(double(33 + random() % 40));
      if (random() % 3 == 0) drive.cache.buffer_blocks = value(double(20 + random() % 100));
      if (random() % 2) {
        drive.cache.read_ahead_streams = value(double(random() % 17));
        drive.cache.read_ahead_on_hit = value(double(random() % 2));
        drive.cache.read_ahead_fixed_end = value(double(random() % 2));
        drive.cache.segments_grow = value(double(random() % 2));
      }
      if (random() % 3 == 0) {
        drive.cache.adaptive_min_segments = value(1);
        // Short ones: a rollback goes back over a division, or over two.
        drive.cache.adaptive_window_requests =
            value(4 + std::fmod(drive.cache.segments.value.value_or(0), 13));
      }
      if (random() % 3 == 0) drive.cache.written_blocks = value(double(1 + random() % 60));
      if (random() % 4 == 0) drive.cache.written_persist = value(1);
    }
  }
  return drive;
}

// Something that a host may do, and all that the engine says to it.
struct Act {
  int kind = 0;
  Request request;
  Nanoseconds after_ns = 0;
};

std::vector<Act> random_acts(std::mt19937_64& random, std::uint64_t blocks, int count) {
  std::vector<Act> acts;
  for (int i = 0; i < count; ++i) {
    Act act;
    act.kind = static_cast<int>(random() % 16);
    act.request.blocks = 1 + static_cast<std::uint32_t>(random() % 12);
    if (act.request.blocks > blocks) act.request.blocks = 1;
    const std::uint64_t range = random() % 2 ? blocks : std::min<std::uint64_t>(blocks, 100);
    act.request.lbn = random() % range;
    if (act.request.lbn + act.request.blocks > blocks)
      act.request.lbn = blocks - act.request.blocks;
    act.request.write = random() % 3 == 0;
    act.request.tag = static_cast<std::uint32_t>(i);
    act.after_ns = static_cast<Nanoseconds>(random() % 3 == 0 ? random() % 20'000'000
                                                              : random() % 300'000);
    acts.push_back(act);
  }
  return acts;
}

// `now` is a part of what is rolled back, as it is in the host.
void act(Engine& engine, const Act& what, Nanoseconds& now, std::size_t depth,
         std::vector<Completion>& said) {
  now += what.after_ns;
  if (what.kind < 9) {
    const Nanoseconds arrival = what.kind == 0 ? now - std::min(now, 90 * kMicrosecond) : now;
    if (engine.outstanding() < depth && engine.submit(what.request, arrival)) return;
  }
  if (what.kind == 14) {
    engine.advance(now);
  } else if (what.kind == 15 && engine.outstanding() == 0) {
    now = std::max(now, engine.synchronize(now));
  } else if (const auto done = engine.next_completion()) {
    said.push_back(*done);
    now = std::max(now, done->completion_ns);
  }
}

}  // namespace

TEST_CASE("after any rollback the rest is identical") {
  std::mt19937_64 random(10000);
  std::size_t outstanding = 0, deepest = 0;
  for (int round = 0; round < 10'000; ++round) {
    const model::DriveModel drive = drive_with_random_cache(random);
    Engine engine(drive);
    engine.set_queue({static_cast<Scheduler>(random() % 5), 0, random() % 2 ? 0.2 : 0});
    const std::size_t depth = 1 + random() % 32;
    Nanoseconds now = 0;
    std::vector<Completion> before, first, second, detour;
    for (const Act& a :
         random_acts(random, engine.blocks(), static_cast<int>(depth + 12 + random() % 20)))
      act(engine, a, now, depth, before);
    const auto bytes = engine.checkpoint();
    const std::vector<std::byte> kept(bytes.begin(), bytes.end());
    const Nanoseconds then = now;
    outstanding += engine.outstanding();
    deepest = std::max(deepest, engine.outstanding());

    const auto suffix = random_acts(random, engine.blocks(), 25);
    for (const Act& a : suffix) act(engine, a, now, depth, first);
    while (const auto done = engine.next_completion()) first.push_back(*done);
    for (const Act& a : random_acts(random, engine.blocks(), 5)) act(engine, a, now, depth, detour);
    engine.roll_back(kept);
    now = then;
    for (const Act& a : suffix) act(engine, a, now, depth, second);
    while (const auto done = engine.next_completion()) second.push_back(*done);
    REQUIRE(first == second);
  }
  CHECK(outstanding > 40'000);
  CHECK(deepest >= 30);
}

TEST_CASE("a state is small, and the same checkpoint serves another engine over equal tables") {
  const model::DriveModel drive = [] {
    model::DriveModel d = testing::small_drive();
    d.cache = testing::small_cache();
    d.cache.segments = value(32);
    return d;
  }();
  Engine one(drive), other(drive);
  CHECK(one.checkpoint().size() <= 16 * 1024);
  Request request;
  for (std::uint64_t i = 0; i < 20; ++i) {
    request.lbn = 100 * i;
    one.submit(request, static_cast<Nanoseconds>(i) * 1000);
  }
  one.next_completion();
  other.roll_back(one.checkpoint());
  while (const auto done = one.next_completion()) REQUIRE(*other.next_completion() == *done);
  REQUIRE_FALSE(other.next_completion());
}

TEST_CASE("after 10^9 seconds the angle is exact by the period's ratio") {
  std::mt19937_64 random(9);
  for (const std::uint64_t denominator : {5400u, 7200u, 10025u, 10033u, 15000u, 999'983u}) {
    model::DriveModel drive = testing::small_drive();
    drive.rotation.denominator = denominator;
    drive.rotation.numerator_ns = denominator < 100'000 ? 60'000'000'000
                                                        : denominator * 6'000'000 + 12'345;
    const Engine engine(drive);
    for (int i = 0; i < 1000; ++i) {
      const Nanoseconds now = 1'000'000'000 * kSecond +
                              static_cast<Nanoseconds>(random() % 1'000'000'000);
      const Uint128 turned = Uint128(now) * denominator % drive.rotation.numerator_ns;
      const auto expected = static_cast<Angle>((turned << 64) / drive.rotation.numerator_ns);
      REQUIRE(engine.angle_at(now) == expected);
    }
  }
}

TEST_CASE("a trace 10^9 seconds later takes the same times") {
  const model::DriveModel drive = testing::small_drive();
  Engine early(drive), late(drive);
  const Nanoseconds revolutions =  // whole ones, about 10^9 s
      1'000'000'000 * kSecond / static_cast<Nanoseconds>(drive.rotation.numerator_ns) *
      static_cast<Nanoseconds>(drive.rotation.numerator_ns);
  late.reset(revolutions);
  std::mt19937_64 random(3);
  Nanoseconds now = 0;
  for (int i = 0; i < 2000; ++i) {
    Request request;
    request.lbn = random() % (early.blocks() - 30);
    request.blocks = 1 + static_cast<std::uint32_t>(random() % 30);
    request.write = random() % 3 == 0;
    const Completion expected = early.service(request, now);
    const Completion got = late.service(request, now + revolutions);
    REQUIRE(got.completion_ns - revolutions == expected.completion_ns);
    now = expected.completion_ns + static_cast<Nanoseconds>(random() % 5'000'000);
  }
}

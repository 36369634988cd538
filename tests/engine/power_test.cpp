// Drives with power conditions: what a rest costs the request behind it.

#include <random>
#include <vector>

#include "catch.h"
#include "engine/arms.h"
#include "engine/engine.h"
#include "engine/small_drive.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace power_conditions {
namespace {

// idle_a after 1 s, idle_b after 4 s, standby_z after 100 s; idle_c by command alone.
model::DriveModel restful(model::Cache cache = {}) {
  model::DriveModel drive = testing::small_drive();
  drive.cache = std::move(cache);
  drive.power.emplace();
  drive.power->idle_a = value(20);
  drive.power->idle_b = value(500);
  drive.power->idle_c = value(3000);
  drive.power->standby_z = value(9000);
  drive.identity.power_timers = {{"idle_a", 1000}, {"idle_b", 4000}, {"standby_z", 100'000}};
  return drive;
}

model::DriveModel awake(model::DriveModel drive) {
  drive.power.reset();
  return drive;
}

Request read(std::uint64_t lbn, std::uint32_t tag = 0) {
  Request built;
  built.lbn = lbn;
  built.tag = tag;
  return built;
}

// When a read of another track is served `rest_ns` behind the first, which ends at `end`.
struct Behind {
  Nanoseconds end_ns, first_end_ns;
};
Behind read_behind(Engine& engine, Nanoseconds rest_ns) {
  const Nanoseconds first_ns = engine.service(read(5), 0).completion_ns;
  return {engine.service(read(2000), first_ns + rest_ns).completion_ns, first_ns};
}

// The drive as it is without power conditions, whose media are free at that time.
Nanoseconds awake_read(Nanoseconds media_ns) {
  const model::DriveModel drive = awake(restful());
  Engine engine(drive);
  engine.service(read(5), 0);
  return engine.service(read(2000), media_ns).completion_ns;
}

}  // namespace

TEST_CASE("behind a rest the media are there as late as the deepest condition that has come") {
  struct Row {
    double rest_s, wake_ms;
  };
  for (const auto& [rest_s, wake_ms] : {Row{0.5, 0},
                                        {0.999, 0},
                                        {1, 20},
                                        {3.9, 20},
                                        {4, 500},
                                        {99, 500},
                                        {100, 9000},
                                        {5000, 9000}}) {
    CAPTURE(rest_s);
    Engine engine(restful());
    const auto rest_ns = static_cast<Nanoseconds>(rest_s * 1e9);
    const Behind behind = read_behind(engine, rest_ns);
    // The command is decoded meanwhile: 0.3 ms that an awake drive has to add to the media's time.
    const Nanoseconds ready_ns = behind.first_end_ns + rest_ns + from_ms(wake_ms) -
                                 (wake_ms > 0 ? from_ms(0.3) : 0);
    CHECK(behind.end_ns == awake_read(ready_ns));
    // It is awake now.
    const Nanoseconds again_ns = engine.service(read(5), behind.end_ns).completion_ns;
    CHECK(again_ns - behind.end_ns < 30 * kMillisecond);
  }
}

TEST_CASE(
    "without timers, or without times, a drive with power conditions answers as one without") {
  model::DriveModel no_timers = restful();
  no_timers.identity.power_timers.clear();
  model::DriveModel no_times = restful();
  no_times.power = model::Power{};
  for (const model::DriveModel& drive : {no_timers, no_times}) {
    Engine engine(drive), other(awake(drive));
    Nanoseconds now_ns = 0, other_ns = 0;
    std::mt19937_64 random(5);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t lbn = random() % engine.blocks();
      const auto rest_ns = static_cast<Nanoseconds>(random() % (200 * kSecond));
      now_ns = engine.service(read(lbn), now_ns + rest_ns).completion_ns;
      other_ns = other.service(read(lbn), other_ns + rest_ns).completion_ns;
      REQUIRE(now_ns == other_ns);
    }
  }
  CHECK(Tables(no_times).power.present == 0);
}

TEST_CASE("what the buffer has is sent at once, and wakes the drive") {
  Engine engine(restful(testing::small_cache()));
  const Nanoseconds first_ns = engine.service(read(5), 0).completion_ns;
  const Nanoseconds later_ns = first_ns + 5 * kSecond;
  const Completion hit = engine.service(read(5), later_ns);
  CHECK(hit.cache_hit);
  CHECK(hit.completion_ns - later_ns < kMillisecond);
  const Completion miss = engine.service(read(3000), hit.completion_ns);
  CHECK(miss.completion_ns - later_ns > 500 * kMillisecond);
  CHECK(miss.completion_ns - later_ns < 530 * kMillisecond);
}

TEST_CASE("commands without media hold the timers off, and leave a rest as it is") {
  Engine engine(restful());
  const Nanoseconds end_ns = engine.service(read(5), 0).completion_ns;
  for (int i = 1; i <= 10; ++i) engine.note_command(end_ns + i * 500 * kMillisecond);
  CHECK(engine.rest_at(end_ns + 5900 * kMillisecond) == 0);
  CHECK(engine.rest_at(end_ns + 6000 * kMillisecond) == 1);
  engine.note_command(end_ns + 6000 * kMillisecond);
  CHECK(engine.rest_at(end_ns + 6001 * kMillisecond) == 1);
  CHECK(engine.rest_at(end_ns + 10'000 * kMillisecond) == 2);
  const Nanoseconds now_ns = end_ns + 6001 * kMillisecond;
  CHECK(engine.service(read(5), now_ns).completion_ns - now_ns > 20 * kMillisecond);
}

TEST_CASE("a drive goes to rest, and back to work, as it is told; timers can be others") {
  Engine engine(restful());
  const Nanoseconds end_ns = engine.service(read(5), 0).completion_ns;
  CHECK(engine.go_to_rest(3, end_ns + 1000) == end_ns + 1000);
  CHECK(engine.rest_at(end_ns + 2000) == 3);
  CHECK(engine.rest_at(end_ns + 150 * kSecond) == 5);  // by its timer, from idle_c
  CHECK(engine.go_to_rest(0, end_ns + 2000) == end_ns + 2000 + 3 * kSecond);
  CHECK(engine.rest_at(end_ns + 4 * kSecond) == 0);
  const std::vector<Nanoseconds> timers{0, 0, 2 * kSecond, 0, 0};
  engine.set_power_timers(std::span<const Nanoseconds, 5>(timers.data(), 5), end_ns + 4 * kSecond);
  CHECK(engine.rest_at(end_ns + 5900 * kMillisecond) == 0);
  CHECK(engine.rest_at(end_ns + 6000 * kMillisecond) == 3);
  Engine copy(engine);
  engine.reset(end_ns + 7 * kSecond);
  CHECK(engine.rest_at(end_ns + 8 * kSecond) == 0);
  CHECK(copy.rest_at(end_ns + 8 * kSecond) == 3);
}

TEST_CASE("a wake is taken back with the request that it was for") {
  Engine engine(restful()), in_time(restful());
  const auto send = [](Engine& to, std::uint64_t lbn, std::uint32_t tag, Nanoseconds time_ns) {
    REQUIRE(to.submit(read(lbn, tag), time_ns));
  };
  for (Engine* each : {&engine, &in_time}) {
    send(*each, 5, 1, 0);
    REQUIRE(each->next_completion());
  }
  const Nanoseconds late_ns = 5 * kSecond, early_ns = 4900 * kMillisecond;
  send(engine, 2000, 2, late_ns);
  CHECK(*engine.next_completion_time() > late_ns + 500 * kMillisecond);
  send(engine, 4000, 3, early_ns);  // it woke the drive before
  send(in_time, 4000, 3, early_ns);
  send(in_time, 2000, 2, late_ns);
  for (int i = 0; i < 2; ++i) CHECK(engine.next_completion() == in_time.next_completion());
  CHECK(engine.late_arrivals() == 0);
}

TEST_CASE("several arms rest, and wake, together") {
  model::DriveModel drive = restful();
  drive.layout.zones[1].cylinder = 0;
  drive.layout.zones[1].head = 4;
  const std::uint64_t blocks = 60 * 4 * 20, all = blocks + 40 * 4 * 16;
  drive.arms = model::Arms{.ranges = {{0, blocks - 1, 0}, {blocks, all - 1, 1}},
                           .interference = value(0)};
  Engine engine(drive);
  const Nanoseconds end_ns = engine.service(read(5), 0).completion_ns;
  const Nanoseconds now_ns = end_ns + 5 * kSecond;
  const Nanoseconds woken_ns = engine.service(read(blocks + 9), now_ns).completion_ns;
  CHECK(woken_ns > now_ns + 500 * kMillisecond);
  const Nanoseconds other_ns = engine.service(read(700), now_ns + kMillisecond).completion_ns;
  CHECK(other_ns > now_ns + 500 * kMillisecond);  // for the spindle is the same
  CHECK(other_ns < now_ns + 530 * kMillisecond);  // and woke once
  CHECK(engine.service(read(9), woken_ns + 100 * kMillisecond).completion_ns <
        woken_ns + 130 * kMillisecond);
}

}  // namespace power_conditions

#include "engine/engine.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "engine/mechanics.h"
#include "engine/platter.h"
#include "engine/random_layout.h"
#include "engine/seek_table.h"
#include "engine/small_drive.h"
#include "model/error.h"

using namespace platter;
using namespace platter::engine;
using testing::small_cache;
using testing::small_drive;
using testing::value;

namespace {

constexpr Nanoseconds kUs = 1'000;

Request read_of(std::uint64_t lbn, std::uint32_t blocks = 1) {
  Request request;
  request.lbn = lbn;
  request.blocks = blocks;
  return request;
}

Request write_of(std::uint64_t lbn, std::uint32_t blocks = 1) {
  Request request = read_of(lbn, blocks);
  request.write = true;
  return request;
}

}  // namespace

TEST_CASE("one read from rest: overhead, seek, latency, transfer, bus, by hand") {
  Engine engine(small_drive());
  // LBN 85: cylinder 1, head 0, sector 5; its track begins at angle 0.3 + 0.3 = 0.6, the sector at
  // 0.85. Overhead 0.3 ms and seek 1 ms: on track at 1.3 ms, the sector begins at 8.5 ms and lasts
  // 0.5 ms; then 0.02 ms on the bus.
  const auto done = engine.service(read_of(85), 0);
  REQUIRE(done.completion_ns == 9020 * kUs);
  REQUIRE(done.media_access);
  REQUIRE_FALSE(done.cache_hit);
}

TEST_CASE("a sector that has just passed costs a revolution; one that is about to pass does not") {
  auto drive = small_drive();
  drive.overheads.read_miss_after_read = value(0);
  // Sector 4 of track 0 begins at 2.0 ms.
  REQUIRE(Engine(drive).service(read_of(4), 2000 * kUs).completion_ns == 2520 * kUs);
  REQUIRE(Engine(drive).service(read_of(4), 2000 * kUs + 10).completion_ns == 12520 * kUs);
}

TEST_CASE("writes settle only if the arm or the head moved") {
  auto drive = small_drive();
  drive.bus.block_transfer = value(0.0);
  Engine same(drive);
  // On track 0: overhead 0.35 ms, next boundary: sector 1 at 0.5 ms.
  REQUIRE(same.service(write_of(1), 0).completion_ns == 1000 * kUs);
  // Head 1 begins at 0.1: overhead 0.35 + head switch 0.5 + settle 0.25 = 1.1 ms; sector 0 at 1.0
  // ms has passed, sector 1 begins at 1.5 ms.
  REQUIRE(Engine(drive).service(write_of(21), 0).completion_ns == 2000 * kUs);
  REQUIRE(Engine(drive).service(write_of(20), 0).completion_ns == 11500 * kUs);
}

TEST_CASE("a seek inward may take longer than one outward") {
  auto drive = small_drive();
  drive.inward_seek_delta = value(0.3);
  const Tables tables(drive);
  REQUIRE(first_move_ns(tables, {10, 0}, {20, 0}, false) == 1750 * kUs);
  REQUIRE(first_move_ns(tables, {20, 0}, {10, 0}, false) == 1150 * kUs);
  REQUIRE(first_move_ns(tables, {20, 0}, {20, 1}, false) == 500 * kUs);
  REQUIRE(move_ns(tables, {10, 0}, {20, 0}, false) == 1450 * kUs);  // within a run
  drive.inward_seek_delta = value(2);
  REQUIRE(first_move_ns(Tables(drive), {20, 0}, {10, 0}, false) == 0);
}

TEST_CASE("seeks inward, outward and of writes by curves of their own") {
  auto drive = small_drive();  // 1 ms + 50 us a cylinder
  drive.outward_seek.emplace();
  drive.outward_seek->points = {{1, 2.0, {}, 0}, {99, 2.0, {}, 0}};
  const Tables reads(drive);
  REQUIRE(move_ns(reads, {10, 0}, {20, 0}, false) == 1450 * kUs);
  REQUIRE(move_ns(reads, {20, 0}, {10, 0}, false) == 2000 * kUs);
  REQUIRE(move_ns(reads, {20, 0}, {10, 0}, true) == 2250 * kUs);  // and the settle
  REQUIRE(move_ns(reads, {20, 0}, {20, 1}, true) == 750 * kUs);
  REQUIRE(move_ns(reads, {20, 0}, {20, 0}, true) == 0);
  drive.write_seek.emplace();
  drive.write_seek->points = {{1, 1.1, {}, 0}, {51, 4.6, {}, 0}};  // 1.1 ms + 70 us a cylinder
  const Tables all(drive);
  REQUIRE(move_ns(all, {10, 0}, {20, 0}, false) == 1450 * kUs);
  REQUIRE(move_ns(all, {10, 0}, {20, 0}, true) == 1730 * kUs);
  REQUIRE(move_ns(all, {10, 0}, {70, 0}, true) == 5230 * kUs);
  REQUIRE(move_ns(all, {20, 0}, {10, 0}, true) == 2280 * kUs);  // as much more as reads take
  REQUIRE(move_ns(all, {20, 0}, {20, 1}, true) == 750 * kUs);
  drive.head_switch = value(3);
  REQUIRE(move_ns(Tables(drive), {10, 0}, {20, 1}, true) == 3250 * kUs);  // the longer of the two
  drive.head_switch = value(0.5);
  drive.outward_seek.reset();
  drive.write_seek->points = {{1, 1.25, {}, 0}, {99, 6.15, {}, 0}};  // what seek and settle make
  const Tables same(drive);
  const Tables plain(small_drive());
  for (const std::uint32_t to : {0U, 9U, 10U, 11U, 40U, 99U})
    for (const std::uint32_t head : {0U, 2U})
      for (const bool write : {false, true})
        REQUIRE(move_ns(same, {10, 0}, {to, head}, write) ==
                move_ns(plain, {10, 0}, {to, head}, write));
}

TEST_CASE("the overhead depends on the previous command") {
  auto drive = small_drive();
  drive.rotation.numerator_ns = 100'000;  // so fast that only the overheads show
  drive.seek.points = {{1, 0.0, {}, 0}, {99, 0.0, {}, 0}};
  drive.head_switch = drive.write_settle = value(0);
  drive.bus.block_transfer = value(0);
  const auto response = [&](bool first_write, bool second_write) {
    Engine engine(drive);
    engine.service(first_write ? write_of(0) : read_of(0), 0);
    const Nanoseconds now = 50'000'000;
    const auto done = engine.service(second_write ? write_of(500) : read_of(500), now);
    return done.completion_ns - now;
  };
  const auto within = [](Nanoseconds took, Nanoseconds overhead) {
    return took >= overhead && took <= overhead + 200 * kUs;
  };
  REQUIRE(within(response(false, false), 300 * kUs));
  REQUIRE(within(response(true, false), 400 * kUs));
  REQUIRE(within(response(false, true), 350 * kUs));
  REQUIRE(within(response(true, true), 450 * kUs));
  REQUIRE(response(true, true) != response(false, true));
}

TEST_CASE("a run over tracks pays the head switch and waits for the skew") {
  Engine engine(small_drive());
  // 40 sectors from LBN 0, arriving just before the platter's zero: track 0 ends at 10 ms, track 1
  // (angle 0.1) begins at 11 ms, after a head switch of 0.5 ms, and ends at 21 ms.
  const auto done = engine.service(read_of(0, 40), 9'700 * kUs);
  REQUIRE(done.completion_ns == 31'020 * kUs);
}

TEST_CASE("a watermark is that of the request where the size of a segment is not known") {
  auto drive = small_drive();
  REQUIRE_FALSE(drive.cache.segment_blocks);
  drive.bus.high_read_watermark = value(1);
  // As above, eight sectors: the last ends at 12.5 ms, then all eight go over the bus.
  REQUIRE(Engine(drive).service(read_of(85, 8), 0).completion_ns == 12660 * kUs);
  drive.bus.high_read_watermark = value(0);
  REQUIRE(Engine(drive).service(read_of(85, 8), 0).completion_ns == 12520 * kUs);
}

TEST_CASE("what is sent in portions ends with the last of them") {
  auto drive = small_drive();
  drive.bus.watermark_by_request_size = value(4);
  // As above: of ten sectors from 8.5 ms on, two are the last portion, there at 13.5 ms.
  REQUIRE(Engine(drive).service(read_of(85, 10), 0).completion_ns == 13540 * kUs);
  REQUIRE(Engine(drive).service(read_of(85, 8), 0).completion_ns == 12580 * kUs);
  // A slow bus: the first portion is there at 10.5 ms, then all goes over it without a pause.
  drive.bus.block_transfer = value(2);
  REQUIRE(Engine(drive).service(read_of(85, 10), 0).completion_ns == 30500 * kUs);
}

TEST_CASE("zero-latency reads take the sectors as they come") {
  auto drive = small_drive();
  drive.cache.zero_latency_read = value(1);
  drive.bus.block_transfer = value(0);
  // Whole track 0, landing at 0.3 ms: sector 1 begins at 0.5 ms; one turn later everything is
  // there.
  REQUIRE(Engine(drive).service(read_of(0, 20), 0).completion_ns == 10'500 * kUs);
  // Without it the track's first sector must come round: 10 ms, and a turn.
  drive.cache.zero_latency_read = value(0);
  REQUIRE(Engine(drive).service(read_of(0, 20), 0).completion_ns == 20'000 * kUs);
  // Landing outside of the wanted part, both are the same.
  drive.cache.zero_latency_read = value(1);
  REQUIRE(Engine(drive).service(read_of(10, 5), 0).completion_ns == 7'500 * kUs);
}

TEST_CASE("cache: hit after read-ahead, partial hit, miss, and how far read-ahead got") {
  auto drive = small_drive();
  drive.cache = small_cache();
  Engine engine(drive);
  const auto first = engine.service(read_of(0, 2), 0);  // waits for the next turn: ends at 11.02
  REQUIRE(first.completion_ns == 11'020 * kUs);         // the first block was sent meanwhile
  // The media were done at 11 ms; at 13.2 ms read-ahead has sectors 2..5 whole (6 * 0.5 = 13.0).
  Engine hit = engine;
  const auto whole = hit.service(read_of(2, 4), 13'200 * kUs);
  REQUIRE(whole.cache_hit);
  REQUIRE(whole.completion_ns == 13'200 * kUs + 100 * kUs + 4 * 20 * kUs);
  // One sector more is still under the head: it arrives at 13.5 ms.
  Engine partial = engine;
  const auto more = partial.service(read_of(2, 5), 13'200 * kUs);
  REQUIRE_FALSE(more.cache_hit);
  REQUIRE(more.completion_ns == 13'520 * kUs);
  // Behind what was read ahead: a miss that loses the turn.
  Engine miss = engine;
  REQUIRE(miss.service(read_of(6, 1), 13'200 * kUs).completion_ns > 23'000 * kUs);
  // Read-ahead ends 30 blocks behind the request: LBN 31 is there much later, LBN 32 is not.
  Engine late = engine;
  REQUIRE(late.service(read_of(31), 1'000'000 * kUs).cache_hit);
  Engine beyond = engine;
  REQUIRE_FALSE(beyond.service(read_of(32), 1'000'000 * kUs).cache_hit);
}

TEST_CASE("cache: of a read larger than a segment its last blocks stay, as many as fit") {
  auto drive = small_drive();
  drive.cache = small_cache();  // segments of 40 blocks
  drive.cache.read_ahead = value(0);
  Engine engine(drive);
  engine.service(read_of(0, 50), 0);
  const auto held = [&](std::uint64_t lbn) {
    return Engine(engine).service(read_of(lbn), 1'000'000 * kUs).cache_hit;
  };
  REQUIRE_FALSE(held(9));
  REQUIRE(held(10));
  REQUIRE(held(49));
}

TEST_CASE("cache: the least recently used segment is replaced") {
  auto drive = small_drive();
  drive.cache = small_cache();
  Engine engine(drive);
  Nanoseconds now = 0;
  const auto at = [&](std::uint64_t lbn) {
    now += 200'000 * kUs;
    return engine.service(read_of(lbn), now).cache_hit;
  };
  REQUIRE_FALSE(at(0));
  REQUIRE_FALSE(at(1000));
  REQUIRE_FALSE(at(2000));
  REQUIRE(at(0));           // 1000 is now the oldest of the three
  REQUIRE_FALSE(at(3000));  // takes its place
  REQUIRE(at(0));
  REQUIRE(at(2000));
  REQUIRE_FALSE(at(1000));
}

TEST_CASE("write-back completes on receipt; the media work delays what comes next") {
  auto drive = small_drive();
  drive.cache = small_cache();
  Engine engine(drive);
  const auto done = engine.service(write_of(500, 2), 0);
  REQUIRE(done.cache_hit);
  REQUIRE(done.completion_ns == 120 * kUs + 2 * 20 * kUs);
  Engine wait = engine;
  const Nanoseconds clean = wait.synchronize(1'000 * kUs);
  REQUIRE(clean > 1'000 * kUs);
  REQUIRE(wait.synchronize(clean) == clean);
  // A read of the written blocks hits once they are on the media, a second write waits for that.
  Engine again = engine;
  REQUIRE(again.service(read_of(500, 2), clean + 1).cache_hit);
  Engine second = engine;
  const auto late = second.service(write_of(2000), 1'000 * kUs);
  REQUIRE(late.completion_ns == clean + 20 * kUs);
  REQUIRE((late.cache_hit && late.media_access));
  REQUIRE_FALSE(done.media_access);
  // An appended write is taken at once.
  Engine appended = engine;
  REQUIRE(appended.service(write_of(502, 2), 1'000 * kUs).completion_ns ==
          1'000 * kUs + 170 * kUs + 40 * kUs);
}

TEST_CASE("FUA and switched-off caches go to the media") {
  auto drive = small_drive();
  drive.cache = small_cache();
  Engine engine(drive);
  auto fua = write_of(500);
  fua.force_unit_access = true;
  REQUIRE(engine.service(fua, 0).media_access);
  engine.service(read_of(0), 1'000'000 * kUs);
  engine.set_cache({false, false, false}, 2'000'000 * kUs);
  REQUIRE(engine.service(read_of(0), 2'000'000 * kUs).media_access);
  REQUIRE(engine.service(read_of(0), 3'000'000 * kUs).media_access);
  REQUIRE(engine.service(write_of(0), 4'000'000 * kUs).media_access);
}

TEST_CASE("an extra disconnect delays a write that follows a write elsewhere, and only that") {
  auto drive = small_drive();
  drive.overheads.extra_write_disconnect = value(1);
  drive.overheads.extra_disconnect_command = value(0.6);
  drive.overheads.extra_disconnect_inter = value(1.4);
  drive.bus.block_transfer = value(0);
  drive.bus.write_block_transfer = value(0.05);
  const auto response = [&](bool write_before, std::uint64_t before, std::uint64_t lbn) {
    Engine engine(drive);
    engine.service(write_before ? write_of(before) : read_of(before), 0);
    // All on track 0: only overheads and data tell when the next sector can be taken.
    return engine.service(write_of(lbn), 1'000'000'000).completion_ns - 1'000'000'000;
  };
  // At 0.35 + 0.05 ms the data are there: sector 1, from 0.5 ms, is the first to catch.
  REQUIRE(response(false, 5, 1) == 1'000 * kUs);
  REQUIRE(response(true, 0, 1) == 1'000 * kUs);  // carries on the write before
  // Behind the extra disconnect the data come at 0.6 + 1.4 + 0.05 ms: sector 5, from 2.5 ms.
  REQUIRE(response(true, 9, 5) == 3'000 * kUs);
  REQUIRE(response(true, 9, 4) == 12'500 * kUs);
}

TEST_CASE("the angle is exact after a long time and for any period") {
  // 10025 rpm: 60e9/10025 ns. After k whole revolutions the angle is the same, for any k.
  const Platter platter(60'000'000'000, 10025);
  const std::int64_t thousand_million_s = 1'000'000'000'000'000'000;
  const Angle at = platter.angle_at(thousand_million_s);
  // 1e18 * 10025 / 6e10 = 167083333333 revolutions and a third.
  REQUIRE(rev_from_angle(at) == Approx(1.0 / 3.0).margin(1e-12));
  REQUIRE(platter.angle_at(-1) == Angle{0} - platter.angle_at(1));
}

TEST_CASE("next_passage is the first passage, and exact") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t denominator = 1 + random() % 20'000;
    const Platter platter(
        denominator * (2'000'000 + random() % 20'000'000) + random() % denominator, denominator);
    const auto now = static_cast<Nanoseconds>(random() % 1'000'000'000'000'000);
    const Angle angle = random();
    const Nanoseconds passage = platter.next_passage(angle, now);
    REQUIRE(passage >= now);
    REQUIRE(passage <= now + platter.period_ns() + 1);
    const double off = std::remainder(
                           rev_from_angle(platter.angle_at(passage)) - rev_from_angle(angle), 1.0) *
                       static_cast<double>(platter.period_ns());
    REQUIRE(std::abs(off) <= Platter::kSlack + 1.0);
  }
}

TEST_CASE("seek times are linear between the points and beyond") {
  model::Seek seek;
  seek.points = {{1, 1.0, {}, 0}, {10, 2.8, {}, 0}, {100, 4.6, {}, 0}};
  const SeekTable table(seek);
  REQUIRE(table.time_ns(0) == 0);
  REQUIRE(table.time_ns(1) == 1'000'000);
  REQUIRE(table.time_ns(2) == 1'200'000);
  REQUIRE(table.time_ns(10) == 2'800'000);
  REQUIRE(table.time_ns(55) == 3'700'000);
  REQUIRE(table.time_ns(150) == 5'600'000);
  seek.points = {{5, 1.0, {}, 0}, {5, 2.0, {}, 0}};
  REQUIRE_THROWS_AS(SeekTable(seek), Error);
  seek.points = {};
  REQUIRE_THROWS_AS(SeekTable(seek), Error);
}

TEST_CASE("a copy is a checkpoint: after rollback the same future follows") {
  std::mt19937_64 random(7);
  auto drive = small_drive();
  drive.cache = small_cache();
  Engine engine(drive);
  const auto next = [&](Nanoseconds& now, std::mt19937_64& draw) {
    now += static_cast<Nanoseconds>(draw() % 20'000'000);
    Request request = read_of(draw() % 7'000, 1 + static_cast<std::uint32_t>(draw() % 60));
    request.write = draw() % 3 == 0;
    return request;
  };
  Nanoseconds now = 0;
  for (int round = 0; round < 300; ++round) {
    const Engine checkpoint = engine;
    const Nanoseconds then = now;
    const std::uint64_t seed = random();
    std::vector<Nanoseconds> futures[2];
    for (auto& future : futures) {
      engine = checkpoint;
      now = then;
      std::mt19937_64 draw(seed);
      for (int i = 0; i < 10; ++i) {
        const Request request = next(now, draw);
        future.push_back(engine.service(request, now).completion_ns);
      }
    }
    REQUIRE(futures[0] == futures[1]);
  }
}

TEST_CASE("several outstanding: first come, first served, completions in order of time") {
  auto drive = small_drive();
  Engine queued(drive), single(drive);
  std::vector<Nanoseconds> expected;
  Nanoseconds now = 0;
  std::mt19937_64 random(9);
  for (std::uint32_t i = 0; i < 20; ++i) {
    auto request = read_of(random() % 7'000);
    request.tag = i;
    now += 1'000'000;
    REQUIRE(queued.submit(request, now));
    expected.push_back(single.service(request, now).completion_ns);
  }
  std::sort(expected.begin(), expected.end());
  std::set<std::uint32_t> tags;
  for (const Nanoseconds time : expected) {
    REQUIRE(queued.next_completion_time() == time);
    const auto done = queued.next_completion();
    REQUIRE(done->completion_ns == time);
    tags.insert(done->tag);
  }
  REQUIRE(tags.size() == 20);
  REQUIRE_FALSE(queued.next_completion());
}

TEST_CASE("a model that lacks what an engine needs is refused") {
  auto drive = small_drive();
  drive.seek.points.clear();
  REQUIRE_THROWS_AS(Engine(drive), Error);
  drive = small_drive();
  drive.rotation.numerator_ns = 0;
  REQUIRE_THROWS_AS(Engine(drive), Error);
  drive = small_drive();
  drive.layout.zones.clear();
  REQUIRE_THROWS_AS(Engine(drive), Error);
}

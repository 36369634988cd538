// What the buffer does beyond DiskSim's policies, one policy after the other, and what must hold
// whatever they are.

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "catch.h"
#include "engine/engine.h"
#include "engine/small_drive.h"
#include "engine/state.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

model::DriveModel drive_with(const model::Cache& cache) {
  model::DriveModel drive = testing::small_drive();
  drive.cache = cache;
  return drive;
}

// Without read-ahead, so that what is cached is what was asked for.
model::Cache plain_cache(int segments, int blocks) {
  model::Cache cache = testing::small_cache();
  cache.segments = value(segments);
  cache.segment_blocks = value(blocks);
  cache.read_ahead = value(0);
  cache.write_back_level = value(0);
  return cache;
}

// A cache that keeps written data for a good moment.
model::Cache behind_cache(int segments, double idle_ms) {
  model::Cache cache = plain_cache(segments, 40);
  cache.write_back_level = value(2);
  cache.destage_behind = value(1);
  cache.destage_idle = value(idle_ms);
  return cache;
}

// A host that waits for each completion, and then a while.
class Host {
 public:
  explicit Host(const model::DriveModel& model) : engine(model) {}
  explicit Host(const model::Cache& cache) : Host(drive_with(cache)) {}

  Completion ask(std::uint64_t lbn, std::uint32_t blocks, bool write, bool fua = false) {
    Request request;
    request.lbn = lbn;
    request.blocks = blocks;
    request.write = write;
    request.force_unit_access = fua;
    const Completion done = engine.service(request, now);
    now = done.completion_ns;
    return done;
  }
  Completion read(std::uint64_t lbn, std::uint32_t blocks = 4) { return ask(lbn, blocks, false); }
  Completion write(std::uint64_t lbn, std::uint32_t blocks = 4) { return ask(lbn, blocks, true); }
  bool hits(std::uint64_t lbn, std::uint32_t blocks = 4) { return read(lbn, blocks).cache_hit; }
  void wait_ms(double ms) { now += from_ms(ms); }
  const State& state() const { return *reinterpret_cast<const State*>(engine.checkpoint().data()); }
  std::uint32_t dirty() const { return state().core.dirty; }

  Engine engine;
  Nanoseconds now = kSecond;
};

}  // namespace

TEST_CASE("replacement: least recently used, first in first out, random") {
  model::Cache cache = plain_cache(3, 40);
  const auto survivor_after = [&](double policy) {
    cache.replacement = value(policy);
    Host host(cache);
    for (const std::uint64_t lbn : {100, 200, 300, 100, 400}) host.read(lbn), host.wait_ms(100);
    return host.hits(100);
  };
  CHECK(survivor_after(0));        // used again before the fourth came
  CHECK_FALSE(survivor_after(1));  // it was the first in

  // Random: of many contents that are pushed out by one more, each of the three places goes about
  // as often, and the same way again.
  cache.replacement = value(2);
  std::vector<int> lost(3);
  std::vector<bool> story;
  for (const int repeat : {0, 1}) {
    Host host(cache);
    std::vector<bool> now;
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t at = 100 + (i % 20) * 200;
      now.push_back(host.hits(at));
      host.wait_ms(20);
    }
    if (repeat == 1) CHECK(now == story);
    story = now;
  }
  Host host(cache);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint64_t> before;
    for (const Segment& s : host.state().segments()) before.push_back(s.first);
    host.read(100 + (i % 29) * 200);
    for (std::size_t s = 0; s < 3; ++s) lost[s] += host.state().segments()[s].first != before[s];
  }
  for (const int count : lost) CHECK(std::abs(count - 100) < 45);  // 5.5 standard deviations of 8.2
}

TEST_CASE("least recently used and first in first out, against a list that is kept by hand") {
  std::mt19937_64 random(5);
  for (const double policy : {0.0, 1.0}) {
    for (const int segments : {1, 3, 12, 60, 200}) {
      model::Cache cache = plain_cache(segments, 10);
      cache.replacement = value(policy);
      Host host(cache);
      std::deque<std::uint64_t> kept;  // next to go in front
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t lbn = random() % (segments * 2 + 1) * 10;
        const auto at = std::find(kept.begin(), kept.end(), lbn);
        const bool there = at != kept.end();
        INFO(policy << " " << segments << " " << i);
        REQUIRE(host.hits(lbn, 5) == there);
        if (there && policy == 0) kept.erase(at), kept.push_back(lbn);
        if (!there) kept.push_back(lbn);
        if (kept.size() > static_cast<std::size_t>(segments)) kept.pop_front();
        host.wait_ms(20);
      }
    }
  }
}

TEST_CASE("segments take what they need of a common buffer") {
  model::Cache cache = plain_cache(20, 40);
  cache.buffer_blocks = value(80);
  Host host(cache);
  for (std::uint64_t i = 0; i < 20; ++i) host.read(100 * i, 4), host.wait_ms(50);  // 80 in all
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(host.hits(100 * i, 4));
  host.read(2500, 40);  // takes the room of the ten that were used longest ago
  host.wait_ms(50);
  for (std::uint64_t i = 10; i < 20; ++i) CHECK(host.hits(100 * i, 4));
  CHECK(host.hits(2500, 40));
  CHECK_FALSE(host.hits(900, 4));
  CHECK(host.state().core.used_blocks <= 80);
}

TEST_CASE("the number of segments follows the number of streams") {
  model::Cache cache = plain_cache(16, 20);
  cache.adaptive_min_segments = value(2);
  cache.read_ahead = value(3);
  Host host(cache);
  CHECK(host.state().core.segments == 16);
  const auto read_streams = [&](std::uint64_t streams) {
    for (std::uint64_t i = 0; i < 65; ++i) host.read(i % streams * 300 + i / streams * 4);
    return host.state().core.segments;
  };
  CHECK(read_streams(1) == 2);
  CHECK(host.state().core.segment_blocks == 160);
  CHECK(read_streams(3) == 4);
  CHECK(read_streams(7) == 8);
  CHECK(read_streams(17) == 16);
  CHECK(host.state().core.segment_blocks == 20);
}

TEST_CASE("the buffer is divided anew after so many requests as the model says") {
  for (const std::uint64_t window : {0, 4, 5, 16, 31, 48, 100, 1000, 1024}) {
    CAPTURE(window);
    model::Cache cache = plain_cache(16, 20);
    cache.adaptive_min_segments = value(2);
    if (window > 0) cache.adaptive_window_requests = value(double(window));
    const std::uint64_t each = window > 0 ? window : 32;
    Host host(cache);
    // A stream: divided before the first request behind a window, and not before.
    for (std::uint64_t i = 0; i < each; ++i) {
      host.read(100 + 4 * i);
      REQUIRE(host.state().core.segments == 16);
    }
    host.read(100 + 4 * each);
    CHECK(host.state().core.segments == 2);
    // Four streams in turn, the request before being one that goes on: as many segments as streams.
    for (std::uint64_t i = 1; i < each; ++i) {
      host.read(i % 4 * 1000 + i / 4 * 4);
      REQUIRE(host.state().core.segments == 2);
    }
    host.read(500);
    CHECK(host.state().core.segments == (each < 5 ? 4 : 8));
    // Whatever came before this window does not count: the first stream has ended.
    for (std::uint64_t i = 1; i <= each; ++i) host.read(504 + 4 * i);
    CHECK(host.state().core.segments == 2);
  }
}

TEST_CASE("how far a drive reads on: ceiling, share of the request, long requests, only streams") {
  model::Cache cache = plain_cache(3, 200);
  cache.read_ahead = value(3);
  const auto read_on = [&](std::uint32_t blocks) {
    Host host(cache);
    host.read(1000, blocks);
    host.wait_ms(200);
    host.read(3000, 1);
    std::uint64_t end = 0;
    for (const Segment& s : host.state().segments())
      if (s.first <= 1000 && s.end > 1000) end = s.end;
    return end - 1000 - blocks;
  };
  cache.read_ahead_max_blocks = value(50);
  CHECK(read_on(4) == 50);
  cache.read_ahead_ceiling_blocks = value(30);
  CHECK(read_on(4) == 30);
  cache.read_ahead_ceiling_blocks = value(100);
  cache.read_ahead_max_blocks = value(6);
  cache.read_ahead_by_request = value(1);
  CHECK(read_on(4) == 24);
  CHECK(read_on(20) == 100);
  cache.read_ahead_longest_request_blocks = value(10);
  CHECK(read_on(10) == 60);
  CHECK(read_on(11) == 0);
  cache.read_ahead_after_sequential = value(1);
  CHECK(read_on(4) == 0);
  Host host(cache);
  host.read(1000, 4);
  host.read(1004, 4);
  host.wait_ms(200);
  CHECK(host.hits(1008, 4));
}

TEST_CASE("a read-ahead may be broken off at once, behind its minimum, or not at all") {
  model::Cache cache = plain_cache(3, 100);
  cache.read_ahead = value(3);
  cache.read_ahead_max_blocks = value(60);
  struct Told {
    std::uint64_t read_on;
    Nanoseconds response;
  };
  // 20 sectors of 0.5 ms a track: 60 blocks take three turns and two switches.
  const auto then_far = [&] {
    Host host(cache);
    host.read(0, 4);
    const Nanoseconds before = host.now;
    host.read(3000, 1);
    const auto& first = host.state().segments()[0];
    return Told{first.end - 4, host.now - before};
  };
  const Told at_once = then_far();
  CHECK(at_once.read_on < 4);
  cache.read_ahead_min_blocks = value(25);
  const Told behind_minimum = then_far();
  CHECK(behind_minimum.read_on == 25);
  CHECK(behind_minimum.response > at_once.response);
  cache.read_ahead_abort = value(0);
  const Told not_at_all = then_far();
  CHECK(not_at_all.read_on == 60);
  CHECK(not_at_all.response > behind_minimum.response);
  CHECK(not_at_all.response > 25 * kMillisecond);
}

TEST_CASE("a read-ahead that was broken off goes on when the drive has nothing else to do") {
  model::Cache cache = plain_cache(3, 100);
  cache.read_ahead = value(3);
  cache.read_ahead_max_blocks = value(60);
  cache.read_hit_on_written = value(0);
  for (const double resumes : {0.0, 1.0}) {
    cache.read_ahead_resumes = value(resumes);
    Host host(cache);
    host.read(0, 4);
    host.write(3000, 4);  // breaks it off
    host.wait_ms(200);
    CHECK(host.hits(50, 4) == (resumes == 1));
  }
}

TEST_CASE("a read's positioning takes its least time, also on the track where the arm is") {
  model::DriveModel drive = testing::small_drive();
  Host at_once(drive);
  // Sector 4 begins 1.5 ms behind the end of sector 0; the command takes 0.3 ms.
  drive.overheads.minimum_read_seek_delay = value(1.1);
  Host in_time(drive);
  drive.overheads.minimum_read_seek_delay = value(2);
  Host too_late(drive);
  for (Host* host : {&at_once, &in_time, &too_late}) host->engine.seek(0, 0), host->now = kSecond;
  Nanoseconds done[3];
  int i = 0;
  for (Host* host : {&at_once, &in_time, &too_late}) {
    host->wait_ms(8.5);  // sector 0 comes round 1.5 ms later
    done[i++] = host->read(0, 1).completion_ns;
  }
  CHECK(done[0] == done[1]);
  CHECK(done[2] - done[0] == 10 * kMillisecond);  // a revolution
}

TEST_CASE("a write into what was read drops it, or is put there, too") {
  model::Cache cache = plain_cache(3, 100);
  cache.read_ahead = value(3);
  cache.read_ahead_max_blocks = value(60);
  for (const double updates : {0.0, 1.0}) {
    cache.write_updates_segments = value(updates);
    Host host(cache);
    host.read(1000, 4);
    host.wait_ms(100);  // 60 blocks more
    host.write(1010, 4);
    CHECK(host.hits(1020, 4) == (updates == 1));
  }
}

TEST_CASE("written data wait for an idle time, and can be read meanwhile") {
  Host host(behind_cache(6, 10));
  const Completion done = host.write(1000);
  CHECK(done.cache_hit);
  CHECK_FALSE(done.media_access);
  CHECK(done.completion_ns - done.arrival_ns < kMillisecond);
  CHECK(host.dirty() == 1);
  CHECK(host.hits(1000));
  CHECK(host.dirty() == 1);
  host.wait_ms(9.9);
  CHECK(host.hits(1002, 2));  // which begins the idle time anew
  CHECK(host.dirty() == 1);
  host.wait_ms(60);
  CHECK(host.hits(1000));
  CHECK(host.dirty() == 0);
}

TEST_CASE("what waits is written when there is no room for more") {
  model::Cache cache = behind_cache(6, 1e5);
  cache.write_segments = value(2);
  Host host(cache);
  CHECK(host.write(1000).completion_ns - kSecond < kMillisecond);
  Nanoseconds before = host.now;
  host.write(2000);
  CHECK(host.now - before < kMillisecond);
  before = host.now;
  host.write(3000);  // waits until the first is on the media
  CHECK(host.now - before > kMillisecond);
  CHECK(host.dirty() == 2);
  // One level less: only one may wait.
  cache.write_back_level = value(1);
  Host limited(cache);
  limited.write(1000);
  before = limited.now;
  limited.write(1004);  // carries on, and joins it
  CHECK(limited.now - before < kMillisecond);
  limited.write(3000);
  CHECK(limited.dirty() == 1);
}

TEST_CASE("no more waits than the drive lets") {
  model::Cache cache = behind_cache(6, 1e5);
  cache.written_blocks = value(10);
  Host host(cache);
  const auto waits = [&](std::uint64_t lbn, std::uint32_t blocks) {
    const Completion done = host.write(lbn, blocks);
    CHECK(done.media_access == (done.completion_ns - done.arrival_ns > kMillisecond));
    CHECK(host.state().core.unwritten_blocks <= 10);
    return done.media_access;
  };
  CHECK_FALSE(waits(1000, 4));
  CHECK_FALSE(waits(2000, 4));
  CHECK_FALSE(waits(1000, 4));  // the same blocks: no more of them
  CHECK_FALSE(waits(2004, 2));  // joins what waits
  CHECK(host.state().core.unwritten_blocks == 10);
  CHECK(waits(2006, 1));  // the oldest has to go
  CHECK(host.state().core.unwritten_blocks == 7);
  CHECK(host.hits(2000, 7));
  host.wait_ms(1000);
  // More than may wait at all: the last part comes in when the first is on the media.
  const Completion large = host.write(4000, 30);
  CHECK(large.cache_hit);
  CHECK(large.media_access);
  host.wait_ms(1000);
  host.now = host.engine.synchronize(host.now);
  CHECK(host.state().core.unwritten_blocks == 0);

  // One write at a time on its way to the media.
  cache.destage_behind = value(0);
  Host one(cache);
  CHECK_FALSE(one.write(1000, 10).media_access);
  one.wait_ms(1000);
  CHECK(one.write(1000, 11).media_access);
}

TEST_CASE("written data that are safe in the cache: neither FUA nor SYNCHRONIZE CACHE waits") {
  for (const bool persist : {false, true}) {
    for (const double behind : {0.0, 1.0}) {
      model::Cache cache = behind_cache(6, 1e5);
      cache.destage_behind = value(behind);
      cache.written_persist = value(persist);
      cache.synchronize = value(0.3);
      Host host(cache);
      CHECK(host.engine.synchronize(host.now) == host.now + from_ms(0.3));  // nothing waits
      host.wait_ms(10);
      const Completion forced = host.ask(1000, 4, true, true);
      CHECK(forced.cache_hit == persist);
      CHECK((forced.completion_ns - forced.arrival_ns < kMillisecond) == persist);
      host.wait_ms(1000);
      host.write(5000);
      const Nanoseconds done = host.engine.synchronize(host.now);
      CHECK((done == host.now + from_ms(0.3)) == persist);
      CHECK((host.dirty() == 0) == (!persist || behind == 0));
      // What would be lost with the power: nothing of a cache that keeps it.
      host.write(3000);
      CHECK(host.engine.unwritten(host.now).empty() == persist);
    }
  }
}

TEST_CASE("other policies from now on: what waited is written, the buffer begins empty") {
  Host host(behind_cache(6, 1e5));
  host.read(3000);
  host.write(1000);
  CHECK(host.dirty() == 1);
  model::Cache other = behind_cache(2, 0);
  other.segment_blocks = value(120);
  Request queued;
  queued.lbn = 2000;
  queued.blocks = 4;
  queued.tag = 7;
  REQUIRE(host.engine.submit(queued, host.now));
  host.engine.change_cache(compile_cache(other), host.now);
  CHECK(host.engine.tables().cache == compile_cache(other));
  const auto done = host.engine.next_completion();  // of before
  REQUIRE(done);
  CHECK(done->tag == 7);
  CHECK(host.dirty() == 0);
  host.now = done->completion_ns;
  CHECK_FALSE(host.hits(3000));
  CHECK_FALSE(host.hits(1000));
  CHECK(host.hits(3000));
  CHECK(host.read(6000, 120).media_access);
  CHECK(host.hits(6000, 120));
}

TEST_CASE("adjacent and overlapping writes wait together") {
  model::Cache cache = behind_cache(6, 1e5);
  Host host(cache);
  host.write(1000, 8);
  host.write(1008, 8);  // behind
  host.write(992, 8);   // in front
  host.write(1002, 4);  // over
  CHECK(host.dirty() == 1);
  CHECK(host.hits(992, 24));
  host.write(1016, 24);  // together they would be too large: both wait
  CHECK(host.dirty() == 2);
  host.write(1012, 8);  // over both, and one of them takes it
  CHECK(host.dirty() <= 2);
  host.write(990, 32);  // over all of one: its data are never written
  CHECK(host.dirty() <= 2);
  cache.combine_sequential_writes = value(0);
  Host apart(cache);
  apart.write(1000, 8);
  apart.write(1008, 8);
  CHECK(apart.dirty() == 2);
}

TEST_CASE("written data leave by age or by LBN, and in passing") {
  model::Cache cache = behind_cache(8, 5);
  const auto first_written = [&](double order) {
    cache.destage_order = value(order);
    Host host(cache);
    host.write(4000);
    host.write(100);
    host.write(2000);
    host.wait_ms(5.05);  // the first has just begun
    host.read(2000);     // a hit
    std::uint64_t leaves = 0;
    for (const Segment& s : host.state().segments())
      if (s.content == Segment::Content::leaving) leaves = s.first;
    return leaves;
  };
  CHECK(first_written(0) == 4000);
  CHECK(first_written(1) == 100);

  cache.destage_idle = value(1e5);
  for (const double passing : {0.0, 1.0}) {
    cache.destage_in_passing = value(passing);
    Host host(cache);
    host.write(1000);  // cylinder 12
    host.write(3000);
    host.read(1030);  // the same cylinder
    host.wait_ms(100);
    host.read(1030);
    CHECK(host.dirty() == (passing == 1 ? 1 : 2));
  }
}

TEST_CASE("by LBN, what lies just behind the arm is the last, and is found") {
  for (const int segments : {6, 40}) {
    model::Cache cache = behind_cache(segments, 1e5);
    cache.destage_order = value(1);
    cache.write_segments = value(2);
    Host host(cache);
    host.read(3000, 1);  // the arm is behind LBN 3000
    host.write(3000, 1);
    host.write(100, 1);
    host.write(2000, 1);  // one has to go: that at 100
    CHECK(host.dirty() == 2);
    CHECK(host.hits(3000, 1));
    const Nanoseconds before = host.now;
    CHECK(host.engine.synchronize(host.now) > before);
    CHECK(host.dirty() == 0);
    host.read(3000, 1), host.write(3000, 1);  // alone
    host.engine.synchronize(host.now);
    CHECK(host.dirty() == 0);
  }
}

TEST_CASE("what waits is on the media before anything goes around it") {
  SECTION("SYNCHRONIZE CACHE waits for all of it") {
    Host host(behind_cache(20, 1e5));
    for (std::uint64_t i = 0; i < 10; ++i) host.write(100 + 300 * i);
    CHECK(host.dirty() == 10);
    const Nanoseconds clean = host.engine.synchronize(host.now);
    CHECK(clean - host.now > 10 * kMillisecond);  // ten accesses
    CHECK(host.dirty() == 0);
    CHECK(host.engine.synchronize(clean) == clean);
  }
  SECTION("a read with FUA goes to the media behind it") {
    Host host(behind_cache(6, 1e5));
    host.write(1000);
    CHECK(host.ask(1000, 4, false, true).media_access);
    CHECK(host.dirty() == 0);
  }
  SECTION("a read that is only partly there") {
    Host host(behind_cache(6, 1e5));
    host.write(1000, 4);
    CHECK_FALSE(host.hits(996, 8));
    CHECK(host.dirty() == 0);
  }
  SECTION("a write with FUA replaces what it covers, and writes the rest first") {
    Host host(behind_cache(6, 1e5));
    host.write(1000, 4);
    CHECK(host.ask(1000, 4, true, true).media_access);
    CHECK(host.dirty() == 0);
    host.write(1000, 8);
    const Nanoseconds before = host.now;
    host.ask(1004, 8, true, true);
    CHECK(host.now - before > 10 * kMillisecond);  // a turn between the two
    CHECK(host.dirty() == 0);
  }
  SECTION("page 08h: the write cache is turned off") {
    Host host(behind_cache(6, 1e5));
    host.write(1000);
    host.write(3000);
    host.engine.set_cache({true, false, true}, host.now);
    CHECK(host.dirty() == 0);
    CHECK(host.write(1000).media_access);
    host.engine.set_cache({true, true, true}, host.now);
    CHECK_FALSE(host.write(1000).media_access);
  }
  SECTION("page 08h: only the read cache is turned off") {
    Host host(behind_cache(6, 1e5));
    host.write(1000);
    host.engine.set_cache({false, true, true}, host.now);
    CHECK(host.dirty() == 1);
    CHECK(host.read(1000).media_access);
    CHECK(host.dirty() == 0);
  }
}

TEST_CASE("a hit that carries on from the command before has an overhead of its own") {
  model::Cache cache = plain_cache(3, 200);
  cache.write_back_level = value(2);
  cache.read_ahead = value(3);
  model::DriveModel drive = drive_with(cache);
  Host plain(drive);
  drive.overheads.sequential_read_hit_delta = value(-0.02);
  drive.overheads.sequential_write_hit_delta = value(0.05);
  drive.overheads.sequential_read_hit_within = value(50);
  Host host(drive);
  // How much longer it takes than on a drive without; a pause in front.
  const auto longer = [&](std::uint64_t lbn, bool write, double pause_ms) {
    plain.now = host.now = std::max(plain.now, host.now) + from_ms(pause_ms);
    const Completion a = plain.ask(lbn, 4, write), b = host.ask(lbn, 4, write);
    CHECK(a.cache_hit == b.cache_hit);
    return (b.completion_ns - b.arrival_ns) - (a.completion_ns - a.arrival_ns);
  };
  CHECK(longer(1000, false, 100) == 0);
  CHECK(longer(1004, false, 40) == from_ms(-0.02));
  CHECK(longer(1008, false, 60) == 0);  // too late
  CHECK(longer(1016, false, 40) == 0);  // leaves four out
  CHECK(longer(5000, true, 100) == 0);
  CHECK(longer(5004, true, 100) == from_ms(0.05));
  CHECK(longer(5008, false, 100) == 0);  // another kind
}

TEST_CASE("a write that finds no room in the buffer says that it waited for the media") {
  for (const double behind : {0.0, 1.0}) {
    model::Cache cache = behind_cache(2, 1e5);
    cache.destage_behind = value(behind);
    Host host(cache);
    CHECK_FALSE(host.write(1000, 40).media_access);
    host.wait_ms(1000);
    Completion done = host.write(3000, 400);  // ten segments
    CHECK(done.cache_hit);
    CHECK(done.media_access);
    CHECK(done.completion_ns - done.arrival_ns > 10 * kMillisecond);
    host.wait_ms(1000);
    for (int i = 0; i < 2; ++i) host.write(1000 + 500 * i, 4);
    done = host.write(4000, 4);
    CHECK(done.media_access);
  }
}

TEST_CASE("a drive without segments of its own for writes may fill with them, reads then pass by") {
  model::Cache cache = behind_cache(2, 1e5);
  Host host(cache);
  host.write(1000);
  host.write(2000);
  CHECK(host.read(3000).media_access);
  CHECK_FALSE(host.hits(3000));
  CHECK(host.dirty() == 2);
  cache.separate_write_segment = value(1);
  Host own(cache);
  own.write(1000);
  own.write(2000);
  CHECK(own.dirty() == 1);
  own.read(3000);
  CHECK(own.hits(3000));
}

TEST_CASE("a cache of thousands of segments keeps thousands of places") {
  model::DriveModel drive = testing::small_drive();
  drive.layout.zones = {testing::head_first_zone(0, 4000, 4, 200, 0.1, 0.3, 0.0)};
  drive.seek.points = {{1, 1.0, {}, 0}, {3999, 9.0, {}, 0}};
  drive.cache = plain_cache(8192, 64);
  drive.cache.read_ahead = value(0);
  Host host(drive);
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> places;
  for (int i = 0; i < 8192; ++i) places.push_back(static_cast<std::uint64_t>(i) * 300);
  std::shuffle(places.begin(), places.end(), random);
  for (const std::uint64_t lbn : places) REQUIRE_FALSE(host.hits(lbn, 8));
  for (const std::uint64_t lbn : places) REQUIRE(host.hits(lbn + 2, 4));
  host.read(2'900'000, 8);  // the one used longest ago goes
  CHECK_FALSE(host.hits(places[0], 8));
  CHECK(host.hits(places[2], 8));
}

// ---------------------------------------------------------------- whatever the policies are

namespace {

void check_books(const State& state, const CacheTable& table) {
  std::uint32_t dirty = 0;
  std::uint64_t used = 0, waiting = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten;
  for (const Segment& s : state.segments()) {
    if (s.content == Segment::Content::empty) continue;
    REQUIRE(s.first <= s.end);
    REQUIRE(s.end - s.first <= s.size);
    REQUIRE(s.size <= state.core.segment_blocks);
    used += s.size;
    if (!holds_unwritten(s)) continue;
    ++dirty;
    waiting += s.end - s.first;
    unwritten.emplace_back(s.first, s.end);
  }
  REQUIRE(dirty == state.core.dirty);
  REQUIRE(waiting == state.core.unwritten_blocks);
  if (table.pooled()) {
    REQUIRE(used == state.core.used_blocks);
    REQUIRE(used <= table.buffer_blocks);
  }
  std::sort(unwritten.begin(), unwritten.end());
  for (std::size_t i = 1; i < unwritten.size(); ++i)
    REQUIRE(unwritten[i - 1].second <= unwritten[i].first);
}

}  // namespace

TEST_CASE("no block waits twice, nothing is larger than its room, and the books are right") {
  std::mt19937_64 random(77);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    model::Cache cache = behind_cache(static_cast<int>(1 + below(5) * below(20)),
                                      0.1 * double(below(300)));
    cache.segment_blocks = value(double(4 + below(60)));
    cache.read_ahead = value(double(below(5)));
    cache.replacement = value(double(below(3)));
    cache.write_segments = value(double(1 + below(8)));
    cache.write_back_level = value(double(1 + below(2)));
    if (below(3) == 0) cache.buffer_blocks = value(double(10 + below(300)));
    if (below(4) == 0) cache.adaptive_min_segments = value(double(1 + below(3)));
    if (round % 3 == 0) cache.written_blocks = value(double(4 + round % 60));
    for (model::Parameter* flag :
         {&cache.separate_write_segment, &cache.read_hit_on_written,
          &cache.combine_sequential_writes, &cache.destage_order, &cache.destage_in_passing,
          &cache.read_ahead_resumes, &cache.read_ahead_abort, &cache.write_hit_stops_read_ahead,
          &cache.read_free_blocks, &cache.read_ahead_after_sequential})
      *flag = value(double(below(2)));
    const model::DriveModel drive = drive_with(cache);
    const Tables tables(drive);
    Host host(drive);
    for (int i = 0; i < 150; ++i) {
      const auto blocks = static_cast<std::uint32_t>(1 + below(30));
      const std::uint64_t lbn = below(2) ? 1000 + below(150) : below(6000);
      const bool write = below(2) == 0;
      const Nanoseconds before = host.now;
      switch (below(12)) {
        case 0:
          host.now = host.engine.synchronize(host.now);
          REQUIRE(host.dirty() == 0);
          break;
        case 1:
          host.engine.set_cache({below(3) > 0, below(3) > 0, below(2) == 0}, host.now);
          break;
        default:
          host.ask(lbn, blocks, write, below(15) == 0);
      }
      REQUIRE(host.now >= before);
      check_books(host.state(), tables.cache);
      if (below(3) == 0) host.wait_ms(static_cast<double>(below(40)));
      // What was just written is read back from the cache, or from the media behind its destage.
      if (write && below(4) == 0) {
        const Completion back = host.read(lbn, blocks);
        REQUIRE((back.cache_hit || back.media_access));
        check_books(host.state(), tables.cache);
      }
    }
    const Nanoseconds clean = host.engine.synchronize(host.now);
    REQUIRE(clean >= host.now);
    REQUIRE(host.dirty() == 0);
  }
}

TEST_CASE("the cache is looked into when the command has come, per_request behind its arrival") {
  // A block that is read ahead is found or costs a revolution: by when it was asked for.
  constexpr Nanoseconds kLate = 40'000, kStep = 1'000;
  const auto first_caught = [](Nanoseconds late) {
    model::DriveModel model = drive_with(testing::small_cache());
    const double ms = static_cast<double>(late) * 1e-6;
    model.overheads.per_request = value(ms);
    for (model::Parameter* command :
         {&model.overheads.read_hit_after_read, &model.overheads.read_miss_after_read})
      command->value = *command->value - ms;
    for (Nanoseconds rest = 0;; rest += kStep) {
      Engine engine(model);
      Request request;
      request.lbn = 100;
      request.blocks = 1;
      const Nanoseconds done = engine.service(request, 0).completion_ns;
      request.lbn = 101;
      const Nanoseconds asked = done + rest;
      if (engine.service(request, asked).completion_ns - asked < engine.period_ns() / 2)
        return rest;
    }
  };
  const Nanoseconds at_once = first_caught(0), later = first_caught(kLate);
  CHECK(at_once > 2 * kLate);
  CHECK(at_once - later == kLate);
}

TEST_CASE("a stream that the media feed never falls behind the platter by what is rounded") {
  // 128 of 1744 sectors at 7206 rpm take 611,111.6 ns: each request rounds up by 0.4 ns.
  model::LayoutNode track;
  track.sectors = 1744;
  track.count = 8;
  track.cylinder_step = 1;
  model::DriveModel drive = testing::small_drive();
  drive.layout = {};
  drive.layout.zones = {track};
  drive.rotation.numerator_ns = 600'000'000'000;
  drive.rotation.denominator = 72060;
  drive.cache = plain_cache(1, 1024);
  drive.cache.read_ahead = value(3);
  drive.cache.almost_read_hits = value(1);
  drive.bus.block_transfer = value(0.001);
  drive.overheads.read_hit_after_read = value(0.01);
  Host host(drive);
  host.read(0, 16);
  for (std::uint64_t lbn = 16; lbn + 128 < 1744; lbn += 128) {
    const Nanoseconds asked = host.now;
    CHECK(host.read(lbn, 128).completion_ns - asked < from_ms(1));
  }
}

namespace {

// Behind the segment that holds the block; 0: none does.
std::uint64_t end_at(const Host& host, std::uint64_t lbn) {
  for (const Segment& s : host.state().segments())
    if (s.content != Segment::Content::empty && s.first <= lbn && s.end > lbn) return s.end;
  return 0;
}

model::Cache cache_with_streams(double streams) {
  model::Cache cache = plain_cache(8, 400);
  cache.read_ahead = value(3);
  cache.read_ahead_max_blocks = value(60);
  cache.read_ahead_on_hit = value(1);
  cache.read_ahead_streams = value(streams);
  return cache;
}

constexpr double kAllRead_ms = 500;

}  // namespace

TEST_CASE("a hit moves read-ahead on in the streams that are remembered") {
  const auto end_after_others = [](double streams, int others) {
    Host host(cache_with_streams(streams));
    host.read(1000), host.wait_ms(kAllRead_ms);
    for (int i = 1; i <= others; ++i)
      host.read(1000 + 1000 * static_cast<std::uint64_t>(i)), host.wait_ms(kAllRead_ms);
    CHECK(host.hits(1040));
    host.wait_ms(kAllRead_ms);
    host.read(7000);  // brings the read-ahead up to now
    return end_at(host, 1000);
  };
  CHECK(end_after_others(1, 0) == 1104);
  CHECK(end_after_others(1, 1) == 1064);
  CHECK(end_after_others(3, 2) == 1104);
  CHECK(end_after_others(3, 3) == 1064);
  CHECK(end_after_others(0, 4) == 1104);  // any segment
}

TEST_CASE("a hit in no remembered stream leaves the read-ahead alone") {
  for (const double streams : {0, 1}) {
    Host host(cache_with_streams(streams));
    host.read(1000), host.wait_ms(kAllRead_ms);
    host.read(5000);
    CHECK(host.hits(1000));
    host.wait_ms(kAllRead_ms);
    host.read(7000);
    CHECK((end_at(host, 5000) == 5064) == (streams == 1));
  }
}

TEST_CASE("streams that were broken off go on when the drive is idle, the newest first") {
  const auto read_on = [](double streams) {
    model::Cache cache = cache_with_streams(streams);
    cache.read_ahead_resumes = value(1);
    Host host(cache);
    for (const std::uint64_t lbn : {1000, 2000, 3000, 4000}) host.read(lbn);
    host.wait_ms(4 * kAllRead_ms);
    host.read(7000);
    int count = 0;
    for (const std::uint64_t lbn : {1000, 2000, 3000, 4000}) count += end_at(host, lbn) == lbn + 64;
    return count;
  };
  CHECK(read_on(4) == 4);
  CHECK(read_on(3) == 3);
  CHECK(read_on(1) == 1);
  CHECK(read_on(0) == 1);
}

TEST_CASE("the end of read-ahead may stay where it was, whatever hits come meanwhile") {
  for (const double fixed : {0, 1}) {
    model::Cache cache = cache_with_streams(0);
    cache.read_ahead_on_hit = value(0);
    cache.read_ahead_fixed_end = value(fixed);
    cache.almost_read_hits = value(1);
    Host host(cache);
    host.read(1000), host.wait_ms(10);
    CHECK(host.hits(1004));
    host.wait_ms(kAllRead_ms);
    host.read(7000);
    CHECK(end_at(host, 1000) == (fixed == 1 ? 1064 : 1068));
  }
}

TEST_CASE("segments grow with their streams, as far as one buffer goes") {
  const auto stream_held = [](double grows, double buffer, std::uint64_t requests) {
    model::Cache cache = cache_with_streams(1);
    cache.buffer_blocks = value(buffer);
    cache.segments_grow = value(grows);
    cache.almost_read_hits = value(1);
    Host host(cache);
    host.read(6000, 20);
    for (std::uint64_t i = 0; i < requests; ++i) host.read(1000 + 20 * i, 20);
    host.wait_ms(kAllRead_ms);
    host.read(7000);
    std::uint64_t most = 0;
    for (const Segment& s : host.state().segments())
      if (s.first < 5000) most = std::max(most, s.end - s.first);
    CHECK(static_cast<double>(host.state().core.used_blocks) <= buffer);
    return most;
  };
  CHECK(stream_held(1, 1000, 8) == 160 + 60);
  CHECK(stream_held(1, 1000, 40) == 400);  // the longest
  CHECK(stream_held(1, 180, 40) <= 180);
  CHECK(stream_held(0, 1000, 8) == 80);  // a request and what is read ahead of it
}

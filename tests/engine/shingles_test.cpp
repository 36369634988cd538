// A shingled drive's requests are served where their blocks are, and its bands come home when it is
// idle, or when it must.
#include "engine/shingles.h"

#include <random>
#include <vector>

#include "catch.h"
#include "engine/engine.h"
#include "engine/small_drive.h"
#include "model/validate.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

model::DriveModel small_shingled(bool when_idle) {
  model::DriveModel drive = testing::small_drive();
  drive.identity.blocks = model::count_blocks(drive.layout);
  model::Shingling& shingling = drive.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.band_blocks = value(100);
  shingling.media_cache_blocks = value(200);
  shingling.map_entries = value(10);
  shingling.cleans_when_idle = value(when_idle ? 1 : 0);
  shingling.idle_threshold = value(500);
  shingling.band_cleaning = value(250);
  return drive;
}

constexpr std::uint64_t kFar = 6000;

struct Host {
  Engine drive;
  Nanoseconds now_ns = 0;

  // How long it took.
  Nanoseconds send(std::uint64_t lbn, std::uint32_t blocks, bool write) {
    const Nanoseconds start_ns = now_ns;
    now_ns = drive
                 .service({.lbn = lbn, .blocks = blocks, .write = write, .disturbance = {}}, now_ns)
                 .completion_ns;
    return now_ns - start_ns;
  }
  void rest(Nanoseconds time_ns) { now_ns += time_ns; }
};

// An engine that knows places alone, and the times of reads on it.
Nanoseconds angle_of_read(Host& host, std::uint64_t lbn) {
  host.send(lbn, 1, false);
  return host.now_ns % 10'000'000;
}

}  // namespace

TEST_CASE("the media cache has tracks of its own at the outer edge") {
  const model::DriveModel drive = small_shingled(true);
  const Engine engine(drive);
  CHECK(engine.blocks() == drive.identity.blocks);
  const LayoutMap plain(drive.layout);
  const LayoutMap& map = engine.layout();
  CHECK(map.blocks() >= engine.blocks() + 200);
  const std::uint32_t more = map.pbn_of_lbn(0).cylinder;
  CHECK(more == 3);
  for (std::uint64_t lbn = 0; lbn < engine.blocks(); lbn += 37) {
    const Pbn with = map.pbn_of_lbn(lbn), without = plain.pbn_of_lbn(lbn);
    REQUIRE(with.cylinder == without.cylinder + more);
    REQUIRE(with.head == without.head);
  }
  CHECK(map.pbn_of_lbn(engine.blocks()).cylinder == 0);
}

TEST_CASE("a rewritten block is away until its band has been cleaned in idle time") {
  Host host{Engine(small_shingled(true))};
  const Nanoseconds home_ns = angle_of_read(host, kFar);
  host.send(100, 1, false);
  host.send(kFar, 1, true);
  host.send(100, 1, false);
  CHECK(angle_of_read(host, kFar) != home_ns);
  host.rest(650 * kMillisecond);  // the threshold and a part of the cleaning
  CHECK(angle_of_read(host, kFar) != home_ns);
  host.rest(700 * kMillisecond);  // the rest of it
  CHECK(angle_of_read(host, kFar) == home_ns);
}

TEST_CASE("a command that comes while a band is cleaned waits for the end of a step") {
  Host host{Engine(small_shingled(true))};
  host.send(kFar, 1, true);
  host.rest(510 * kMillisecond);
  const Nanoseconds waited_ns = host.send(100, 1, false);
  CHECK(waited_ns > 80 * kMillisecond);
  CHECK(waited_ns < 130 * kMillisecond);
}

TEST_CASE("a lazy drive cleans when the media cache is full, and never before") {
  Host host{Engine(small_shingled(false))};
  for (int i = 0; i < 10; ++i) {
    CHECK(host.send(600 * i, 1, true) < 30 * kMillisecond);
    host.rest(20 * kSecond);
  }
  CHECK(host.send(6500, 1, true) > 250 * kMillisecond);
}

TEST_CASE("parts of a read that lie apart are read where they are") {
  Host host{Engine(small_shingled(false))};
  const Nanoseconds together_ns = [&] {
    host.send(0, 1, false);
    return host.send(kFar, 8, false);
  }();
  host.send(kFar + 3, 1, true);
  host.send(0, 1, false);
  // From home to the media cache and back, 2.5 ms a way at least.
  CHECK(host.send(kFar, 8, false) > together_ns + 5 * kMillisecond);
}

TEST_CASE("queued requests go where blocks are, and all come back") {
  Engine drive(small_shingled(true));
  std::mt19937_64 random(3);
  Nanoseconds now_ns = 0;
  std::uint32_t sent = 0, back = 0;
  for (int i = 0; i < 3000; ++i) {
    now_ns += static_cast<Nanoseconds>(random() % (i % 40 == 0 ? 900'000'000 : 4'000'000));
    const Request request{.lbn = random() % 7000,
                          .blocks = 1 + static_cast<std::uint32_t>(random() % 20),
                          .write = random() % 2 == 0,
                          .tag = sent,
                          .disturbance = {}};
    if (drive.submit(request, now_ns)) ++sent;
    while (drive.next_completion_time() && *drive.next_completion_time() <= now_ns) {
      REQUIRE(drive.next_completion()->completion_ns <= now_ns);
      ++back;
    }
  }
  while (drive.next_completion()) ++back;
  CHECK(sent > 300);
  CHECK(back == sent);
}

TEST_CASE("a checkpoint holds where all blocks are") {
  Engine drive(small_shingled(true));
  std::mt19937_64 random(4);
  const auto go_on = [](Engine& engine, std::mt19937_64 with, Nanoseconds from_ns) {
    std::vector<Nanoseconds> times;
    for (int i = 0; i < 60; ++i) {
      from_ns += static_cast<Nanoseconds>(with() % (i % 9 == 0 ? 2'000'000'000 : 9'000'000));
      const Request request{.lbn = with() % 7000, .blocks = 8, .write = with() % 2 == 0};
      times.push_back(from_ns = engine.service(request, from_ns).completion_ns);
    }
    return times;
  };
  const auto first = go_on(drive, random, 0);
  const auto bytes = drive.checkpoint();
  const std::vector<std::byte> kept(bytes.begin(), bytes.end());
  random.discard(1000);
  const auto then = go_on(drive, random, first.back());
  CHECK(go_on(drive, random, then.back()) != then);
  drive.roll_back(kept);
  CHECK(go_on(drive, random, first.back()) == then);
  Engine copy(small_shingled(true));
  copy.roll_back(kept);
  CHECK(go_on(copy, random, first.back()) == then);
}

TEST_CASE("unwritten blocks are the host's, wherever they wait to be") {
  model::DriveModel model = small_shingled(true);
  model.cache = testing::small_cache();
  model.cache.destage_behind = value(1);
  model.cache.destage_idle = value(50);
  Engine drive(model);
  const auto done = drive.service({.lbn = kFar, .blocks = 4, .write = true, .disturbance = {}}, 0);
  const auto ranges = drive.unwritten(done.completion_ns);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges.front().first == kFar);
  CHECK(ranges.front().end == kFar + 4);
}

TEST_CASE("where bands or the media cache are not known nothing acts") {
  model::DriveModel model = small_shingled(true);
  model.shingling->media_cache_blocks = {};
  const Tables tables(model);
  CHECK_FALSE(tables.shingling.act());
  CHECK(tables.layout.blocks() == tables.blocks());
  Engine with(model), without(testing::small_drive());
  for (int i = 0; i < 50; ++i) {
    const Request request{.lbn = 131ULL * i, .blocks = 3, .write = i % 2 == 0};
    CHECK(with.service(request, i * kSecond) == without.service(request, i * kSecond));
  }
}

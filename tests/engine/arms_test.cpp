// Several arms on one spindle. The simple version of the same: for each arm a drive of one arm with
// the same map, which is sent that arm's requests alone.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "catch.h"
#include "engine/engine.h"
#include "engine/small_drive.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace several_arms {
namespace {

// The small drive's two zones, each with an arm of its own on the same cylinders.
model::DriveModel two_arms(double interference_ms = 0) {
  model::DriveModel drive = testing::small_drive();
  drive.layout.zones[1].cylinder = 0;
  drive.layout.zones[1].head = 4;
  drive.overheads = {};
  drive.overheads.read_miss_after_read = value(0.3);
  drive.bus = {};
  const std::uint64_t blocks = 60 * 4 * 20, all = blocks + 40 * 4 * 16;
  drive.arms = model::Arms{.ranges = {{0, blocks - 1, 0}, {blocks, all - 1, 1}},
                           .interference = value(interference_ms)};
  return drive;
}

std::uint64_t boundary(const model::DriveModel& drive) { return drive.arms->ranges[1].first_lbn; }

model::DriveModel one_arm_of(model::DriveModel drive) {
  drive.arms.reset();
  return drive;
}

Request request(std::uint64_t lbn, std::uint32_t blocks = 1, bool write = false,
                std::uint32_t tag = 0) {
  Request built;
  built.lbn = lbn;
  built.blocks = blocks;
  built.write = write;
  built.tag = tag;
  return built;
}

struct Arrival {
  Request request;
  Nanoseconds time_ns = 0;
};

// None of them lies in both ranges.
std::vector<Arrival> arrivals(std::mt19937_64& random, const model::DriveModel& drive, int count,
                              bool writes) {
  const Engine engine(drive);
  std::vector<Arrival> all;
  Nanoseconds now = 0;
  for (int i = 0; i < count; ++i) {
    now += 1 + static_cast<Nanoseconds>(random() % 12'000'000);  // no two at the same time
    Arrival arrival;
    arrival.request.blocks = 1 + static_cast<std::uint32_t>(random() % 8);
    do arrival.request.lbn = random() % (engine.blocks() - 8);
    while (arrival.request.lbn < boundary(drive) &&
           arrival.request.lbn + arrival.request.blocks > boundary(drive));
    arrival.request.write = writes && random() % 3 == 0;
    arrival.request.tag = static_cast<std::uint32_t>(i);
    arrival.time_ns = now;
    all.push_back(arrival);
  }
  return all;
}

std::map<std::uint32_t, Nanoseconds> ends_of(Engine& engine, const std::vector<Arrival>& all) {
  std::map<std::uint32_t, Nanoseconds> ends;
  for (const Arrival& arrival : all) {
    while (engine.outstanding() > 0 && *engine.next_completion_time() <= arrival.time_ns) {
      const auto done = engine.next_completion();
      ends[done->tag] = done->completion_ns;
    }
    REQUIRE(engine.submit(arrival.request, arrival.time_ns));
  }
  while (const auto done = engine.next_completion()) ends[done->tag] = done->completion_ns;
  return ends;
}

}  // namespace

TEST_CASE("each arm of a drive is a drive of one arm for its own requests") {
  std::mt19937_64 random(58);
  int both_at_once = 0;
  for (int round = 0; round < 150; ++round) {
    model::DriveModel drive = two_arms();
    const bool cached = round % 3 == 2;
    if (cached) drive.cache = testing::small_cache();
    if (round % 6 == 5) drive.cache.destage_behind = value(1);
    const QueueSettings queue{static_cast<Scheduler>(round % 5), 0, 0};
    const auto all = arrivals(random, drive, 50, true);
    Engine both(drive);
    both.set_queue(queue);
    const auto got = ends_of(both, all);
    std::map<std::uint32_t, Nanoseconds> expected;
    for (const bool second : {false, true}) {
      std::vector<Arrival> its;
      std::ranges::copy_if(all, std::back_inserter(its), [&](const Arrival& a) {
        return (a.request.lbn >= boundary(drive)) == second;
      });
      Engine alone(one_arm_of(drive));
      alone.set_queue(queue);
      expected.merge(ends_of(alone, its));
    }
    for (std::size_t i = 1; i < all.size(); ++i)
      both_at_once += got.at(all[i - 1].request.tag) > all[i].time_ns &&
                      (all[i].request.lbn < boundary(drive)) !=
                          (all[i - 1].request.lbn < boundary(drive));
    INFO("round " << round << " scheduler " << int(queue.scheduler));
    std::size_t apart = 0;
    for (const auto& [tag, end_ns] : expected) apart += got.at(tag) != end_ns;
    CHECK(apart == 0);
  }
  CHECK(both_at_once > 300);
}

TEST_CASE("a move beside a busy arm takes longer by the interference, and only there") {
  const Nanoseconds kLater = 150 * kMicrosecond;
  std::mt19937_64 random(7);
  int longer = 0;
  for (int round = 0; round < 200; ++round) {
    const model::DriveModel with = two_arms(0.15), without = two_arms(0);
    Engine disturbed(with), alone(without), beside(without);
    const std::uint64_t near = random() % boundary(with), far = boundary(with) + random() % 2000;
    const Request of_one = request(near, 1, false, 1), of_other = request(far, 1, false, 2);
    Request later = of_one;
    later.disturbance.positioning_ns = kLater;
    const bool moves = alone.layout().track_of_slot(alone.layout().slot_of_lbn(near)).cylinder > 0;
    if (!moves) continue;
    disturbed.submit(of_other, kSecond);
    disturbed.submit(of_one, kSecond + kMillisecond);
    alone.submit(of_one, kSecond + kMillisecond);
    beside.submit(later, kSecond + kMillisecond);
    std::map<std::uint32_t, Nanoseconds> ends;
    while (const auto done = disturbed.next_completion()) ends[done->tag] = done->completion_ns;
    CHECK(ends.at(1) == beside.next_completion()->completion_ns);
    longer += ends.at(1) != alone.next_completion()->completion_ns;
    // Once the other is at rest there is none.
    Engine at_rest(with), undisturbed(without);
    for (Engine* engine : {&at_rest, &undisturbed}) engine->service(of_other, kSecond);
    CHECK(at_rest.service(of_one, 2 * kSecond) == undisturbed.service(of_one, 2 * kSecond));
  }
  CHECK(longer > 0);
}

TEST_CASE("a request in both ranges is done when the later of its arms is") {
  std::mt19937_64 random(9);
  for (int round = 0; round < 100; ++round) {
    const model::DriveModel drive = two_arms();
    const std::uint64_t edge = boundary(drive);
    const auto before = 1 + static_cast<std::uint32_t>(random() % 6),
               behind = 1 + static_cast<std::uint32_t>(random() % 6);
    const Nanoseconds now = kSecond + static_cast<Nanoseconds>(random() % kSecond);
    Engine both(drive), first(drive), second(drive);
    const auto whole = both.service(request(edge - before, before + behind), now);
    const auto a = first.service(request(edge - before, before), now);
    const auto b = second.service(request(edge, behind), now);
    CHECK(whole.completion_ns == std::max(a.completion_ns, b.completion_ns));
    CHECK(whole.media_access);
  }
}

TEST_CASE("read-ahead ends with the arm's range") {
  model::DriveModel drive = two_arms();
  drive.cache = testing::small_cache();
  Engine engine(drive);
  const std::uint64_t edge = boundary(drive);
  engine.service(request(edge - 4, 2), kSecond);
  CHECK(engine.service(request(edge - 2, 2), 2 * kSecond).cache_hit);
  CHECK_FALSE(engine.service(request(edge, 2), 3 * kSecond).cache_hit);
}

TEST_CASE("arrivals that come to light late, and a rollback, of several arms") {
  std::mt19937_64 random(21);
  int taken_back = 0;
  for (int round = 0; round < 150; ++round) {
    model::DriveModel drive = two_arms(0.1);
    if (round % 2 == 1) drive.cache = testing::small_cache();
    const auto all = arrivals(random, drive, 40, true);
    Engine in_time(drive), late(drive);
    const auto expected = ends_of(in_time, all);
    std::map<std::uint32_t, Nanoseconds> got;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      // The second of two is told first, and what comes next is looked at before the other is told.
      while (late.outstanding() > 0 && *late.next_completion_time() <= all[i].time_ns) {
        const auto done = late.next_completion();
        got[done->tag] = done->completion_ns;
      }
      const auto kept = late.checkpoint();
      const std::vector<std::byte> checkpoint(kept.begin(), kept.end());
      late.submit(all[i + 1].request, all[i + 1].time_ns);
      late.advance(all[i + 1].time_ns);
      if (round % 4 == 3) {
        late.roll_back(checkpoint);
        REQUIRE(late.submit(all[i].request, all[i].time_ns));
        REQUIRE(late.submit(all[i + 1].request, all[i + 1].time_ns));
      } else {
        REQUIRE(late.submit(all[i].request, all[i].time_ns));
        ++taken_back;
      }
    }
    while (const auto done = late.next_completion()) got[done->tag] = done->completion_ns;
    INFO("round " << round);
    if (late.late_arrivals() == 0) CHECK(got == expected);
  }
  CHECK(taken_back > 1000);
}

TEST_CASE("what all arms hold unwritten is told, and a flush waits for all of them") {
  model::DriveModel drive = two_arms();
  drive.cache = testing::small_cache();
  drive.cache.destage_behind = value(1);
  drive.cache.destage_idle = value(1000);
  Engine engine(drive);
  const std::uint64_t edge = boundary(drive);
  engine.service(request(100, 4, true), kSecond);
  engine.service(request(edge + 100, 4, true), kSecond + kMillisecond);
  const auto held = engine.unwritten(kSecond + 10 * kMillisecond);
  REQUIRE(held.size() == 2);
  CHECK(held[0].first == 100);
  CHECK(held[1].first == edge + 100);
  const Nanoseconds clean = engine.synchronize(kSecond + 20 * kMillisecond);
  CHECK(engine.unwritten(clean).empty());
  CHECK(engine.busy_until_ns() >= clean);
}

TEST_CASE("arms that cannot be are refused") {
  const Tables tables(two_arms(0.1));
  const auto defect = [&](auto spoil) {
    TableSections sections = tables.sections();
    spoil(sections.arms);
    return sections_defect(sections).has_value();
  };
  CHECK_FALSE(defect([](ArmTable&) {}));
  CHECK(defect([](ArmTable& arms) { arms.count = 1; }));
  CHECK(defect([](ArmTable& arms) { arms.count = 5; }));
  CHECK(defect([](ArmTable& arms) { arms.ranges = 9; }));
  CHECK(defect([](ArmTable& arms) { arms.ends[0] = 0; }));
  CHECK(defect([](ArmTable& arms) { arms.ends[1] -= 1; }));
  CHECK(defect([](ArmTable& arms) { arms.arms[1] = 0; }));
  CHECK(defect([](ArmTable& arms) { arms.arms[1] = 2; }));
  CHECK(defect([](ArmTable& arms) { arms.interference_ns = -1; }));
}

}  // namespace several_arms

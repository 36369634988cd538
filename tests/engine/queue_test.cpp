// Several requests outstanding: which one is served next, arrivals that come to light late, depth.

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "catch.h"
#include "engine/engine.h"
#include "engine/random_layout.h"
#include "engine/small_drive.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

struct Arrival {
  Request request;
  Nanoseconds time_ns = 0;
};

// Without overheads and bus times a completion is the end of the media access: nothing but the
// order of service matters.
model::DriveModel bare_drive(std::mt19937_64& random) {
  model::DriveModel drive = testing::small_drive();
  drive.layout = testing::random_layout(random);
  drive.overheads = {};
  drive.bus = {};
  return drive;
}

std::vector<Arrival> random_arrivals(std::mt19937_64& random, std::uint64_t blocks, int count) {
  std::vector<Arrival> arrivals;
  Nanoseconds now = 0;
  for (int i = 0; i < count; ++i) {
    if (random() % 3 == 0) now += static_cast<Nanoseconds>(random() % 40'000'000);
    Arrival arrival;
    arrival.request.blocks = 1 + static_cast<std::uint32_t>(random() % 8);
    if (arrival.request.blocks > blocks) arrival.request.blocks = 1;
    arrival.request.lbn = random() % (blocks - arrival.request.blocks + 1);
    arrival.request.write = random() % 3 == 0;
    arrival.request.tag = static_cast<std::uint32_t>(i);
    arrival.time_ns = now;
    arrivals.push_back(arrival);
  }
  return arrivals;
}

// The textbook's loop: when the drive is free, the best of those that are there.
class NaiveQueue {
 public:
  NaiveQueue(const model::DriveModel& drive, Scheduler scheduler, double ageing)
      : drive_(drive), engine_(drive), scheduler_(scheduler), ageing_(ageing) {
    engine_.set_cache({false, false, false}, 0);
  }

  std::vector<Completion> run(std::vector<Arrival> todo) {
    std::vector<Completion> completions;
    Nanoseconds free = 0;
    while (!todo.empty()) {
      const Nanoseconds now = std::max(free, todo.front().time_ns);
      std::size_t best = 0;
      for (std::size_t i = 1; i < todo.size() && todo[i].time_ns <= now; ++i)
        if (todo[i].request.head_of_queue ||
            (!todo[best].request.head_of_queue && cost(todo[i], now) < cost(todo[best], now)))
          best = i;
      const Arrival chosen = todo[best];
      todo.erase(todo.begin() + static_cast<std::ptrdiff_t>(best));
      const Pbn place = engine_.layout().pbn_of_lbn(chosen.request.lbn);
      if (scheduler_ == Scheduler::look && place.cylinder != cylinder_)
        down_ = place.cylinder < cylinder_;
      Completion done = engine_.service(chosen.request, now);
      done.arrival_ns = chosen.time_ns;
      free = done.completion_ns;
      const Pbn last = engine_.layout().pbn_of_lbn(chosen.request.lbn + chosen.request.blocks - 1);
      cylinder_ = last.cylinder;
      head_ = last.head;
      completions.push_back(done);
    }
    return completions;
  }

 private:
  double cost(const Arrival& arrival, Nanoseconds now) const {
    const Pbn place = engine_.layout().pbn_of_lbn(arrival.request.lbn);
    const double way = double(place.cylinder) - double(cylinder_);
    switch (scheduler_) {
      case Scheduler::fcfs:
        return 0;  // the first of equals
      case Scheduler::sstf:
        return std::abs(way);
      case Scheduler::look:
        return (down_ ? -way : way) >= 0 ? std::abs(way) : 1e9 + std::abs(way);
      case Scheduler::c_look:
        return way >= 0 ? way : 1e9 + place.cylinder;
      case Scheduler::sptf:
        return positioning(arrival, place, now) - ageing_ * double(now - arrival.time_ns);
    }
    return 0;
  }

  double positioning(const Arrival& arrival, const Pbn& place, Nanoseconds now) const {
    const double distance = std::abs(double(place.cylinder) - double(cylinder_));
    const auto& points = drive_.seek.points;
    double move = distance == 0 ? 0
                                : points[0].time_ms + (distance - points[0].cylinders) *
                                                          (points[1].time_ms - points[0].time_ms) /
                                                          (points[1].cylinders - 1.0);
    if (place.head != head_) move = std::max(move, *drive_.head_switch.value);
    if (arrival.request.write && move > 0) move += *drive_.write_settle.value;
    const double there = double(now) + move * 1e6;
    const double period = double(drive_.rotation.numerator_ns) /
                          double(drive_.rotation.denominator);
    const double wanted = rev_from_angle(engine_.layout().angle_of_lbn(arrival.request.lbn));
    double wait = wanted - there / period;
    wait -= std::floor(wait + 1e-6);  // a sector that has just begun is not missed
    return there + std::max(0.0, wait) * period - double(now);
  }

  const model::DriveModel& drive_;
  Engine engine_;
  Scheduler scheduler_;
  double ageing_;
  std::uint32_t cylinder_ = 0, head_ = 0;
  bool down_ = false;
};

std::vector<Completion> take_all(Engine& engine) {
  std::vector<Completion> completions;
  while (const auto done = engine.next_completion()) completions.push_back(*done);
  return completions;
}

}  // namespace

TEST_CASE("every scheduler chooses as the textbook's loop over all that wait") {
  std::mt19937_64 random(5);
  for (const Scheduler scheduler :
       {Scheduler::fcfs, Scheduler::sstf, Scheduler::look, Scheduler::c_look, Scheduler::sptf}) {
    int different = 0, reordered = 0;
    for (int round = 0; round < 60; ++round) {
      const model::DriveModel drive = bare_drive(random);
      const double ageing = scheduler == Scheduler::sptf ? double(round % 3) * 0.3 : 0;
      Engine engine(drive);
      engine.set_cache({false, false, false}, 0);
      engine.set_queue({scheduler, 0, ageing});
      auto arrivals = random_arrivals(random, engine.blocks(), 40);
      for (Arrival& arrival : arrivals)
        arrival.request.head_of_queue = round % 2 == 1 && random() % 4 == 0;
      for (const Arrival& arrival : arrivals)
        REQUIRE(engine.submit(arrival.request, arrival.time_ns));
      const auto got = take_all(engine);
      const auto expected = NaiveQueue(drive, scheduler, ageing).run(arrivals);
      REQUIRE(got.size() == expected.size());
      if (!std::ranges::equal(got, expected)) ++different;
      for (std::size_t i = 1; i < got.size() && round % 2 == 0; ++i)
        reordered += got[i].tag < got[i - 1].tag;
    }
    INFO("scheduler " << int(scheduler));
    // Two positionings within rounding of each other may be taken the other way round.
    CHECK(different <= (scheduler == Scheduler::sptf ? 2 : 0));
    CHECK((reordered > 50) == (scheduler != Scheduler::fcfs));
  }
}

TEST_CASE(
    "shortest positioning first is quicker than first come first served, and ageing bounds the "
    "wait") {
  std::mt19937_64 random(8);
  const model::DriveModel drive = testing::small_drive();
  const auto longest_wait_and_end = [&](Scheduler scheduler, double ageing) {
    Engine engine(drive);
    engine.set_cache({false, false, false}, 0);
    engine.set_queue({scheduler, 0, ageing});
    std::mt19937_64 mine(17);
    Nanoseconds longest = 0, end = 0;
    for (int i = 0; i < 3000; ++i) {
      Request request;
      request.lbn = mine() % (engine.blocks() - 4);
      request.blocks = 4;
      if (i >= 32) {
        const Completion done = *engine.next_completion();
        longest = std::max(longest, done.completion_ns - done.arrival_ns);
        end = done.completion_ns;
      }
      REQUIRE(engine.submit(request, end));
    }
    return std::pair(longest, end);
  };
  const auto fcfs = longest_wait_and_end(Scheduler::fcfs, 0);
  const auto sptf = longest_wait_and_end(Scheduler::sptf, 0);
  const auto aged = longest_wait_and_end(Scheduler::sptf, 0.5);
  CHECK(sptf.second < fcfs.second * 2 / 3);
  CHECK(aged.first < sptf.first);
  CHECK(aged.second > sptf.second);
}

TEST_CASE("an arrival that comes to light late takes the place that it had in time") {
  std::mt19937_64 random(41);
  int rounds_with_late = 0, exact = 0;
  for (int round = 0; round < 400; ++round) {
    model::DriveModel drive = testing::small_drive();
    drive.layout = testing::random_layout(random);
    if (random() % 2 == 0) drive.cache = testing::small_cache();
    const QueueSettings queue{static_cast<Scheduler>(random() % 5), 0, 0};
    Engine in_time(drive), late(drive);
    in_time.set_queue(queue);
    late.set_queue(queue);
    constexpr Nanoseconds kLatest = 100 * kMicrosecond;
    std::vector<Arrival> arrivals;
    Nanoseconds now = 0;
    for (std::uint32_t i = 0; i < 60; ++i) {
      Arrival arrival;
      arrival.request.blocks = 1 + static_cast<std::uint32_t>(random() % 6);
      if (arrival.request.blocks > in_time.blocks()) arrival.request.blocks = 1;
      arrival.request.lbn = random() %
                            (std::min<std::uint64_t>(in_time.blocks(), random() % 2 ? 60 : ~0ull) -
                             arrival.request.blocks + 1);
      arrival.request.write = random() % 4 == 0;
      arrival.request.tag = i;
      now += static_cast<Nanoseconds>(random() % (random() % 4 == 0 ? 20'000'000 : 200'000));
      arrival.time_ns = now;
      arrivals.push_back(arrival);
    }
    std::vector<Completion> expected, got;
    for (const Arrival& arrival : arrivals) {
      while (in_time.outstanding() > 0 && *in_time.next_completion_time() <= arrival.time_ns)
        expected.push_back(*in_time.next_completion());
      REQUIRE(in_time.submit(arrival.request, arrival.time_ns));
    }
    // Each becomes known up to 100 us after it came; until then the engine is asked what comes
    // next.
    std::vector<std::pair<Nanoseconds, Arrival>> known;
    for (const Arrival& arrival : arrivals)
      known.push_back({arrival.time_ns + static_cast<Nanoseconds>(random() % kLatest), arrival});
    std::ranges::stable_sort(known, {}, [](const auto& k) { return k.first; });
    bool any_late = false;
    Nanoseconds newest = 0;
    for (const auto& [known_ns, arrival] : known) {
      while (late.outstanding() > 0 && *late.next_completion_time() <= known_ns - kLatest)
        got.push_back(*late.next_completion());
      late.advance(known_ns);
      any_late = any_late || arrival.time_ns < newest;
      newest = std::max(newest, arrival.time_ns);
      REQUIRE(late.submit(arrival.request, arrival.time_ns));
    }
    for (Engine* engine : {&in_time, &late})
      for (const Completion& done : take_all(*engine))
        (engine == &late ? got : expected).push_back(done);
    rounds_with_late += any_late;
    REQUIRE(std::ranges::is_sorted(expected, {}, &Completion::completion_ns));
    INFO("round " << round << " scheduler " << int(queue.scheduler));
    if (late.late_arrivals() == 0) {
      ++exact;
      REQUIRE(got == expected);
    } else {
      REQUIRE(got.size() == expected.size());
    }
  }
  REQUIRE(rounds_with_late > 100);
  REQUIRE(exact > 390);  // more than eight served within 100 us are rare
}

// A look far ahead lets requests arrive that, when one is cancelled, are still to come.
TEST_CASE("a cancel takes back what was only looked at, and those to come are still to come") {
  constexpr int kTakenBack = 8;
  std::mt19937_64 random(45);
  for (int round = 0; round < 300; ++round) {
    const model::DriveModel drive = bare_drive(random);
    Engine all(drive), without(drive);
    for (Engine* engine : {&all, &without}) {
      engine->set_cache({false, false, false}, 0);
      engine->set_queue({static_cast<Scheduler>(round % 5), 0, 0});
    }
    std::vector<Arrival> arrivals = random_arrivals(random, all.blocks(), kTakenBack);
    Nanoseconds time_ns = kSecond;
    for (Arrival& arrival : arrivals) {
      arrival.time_ns = time_ns;
      time_ns += static_cast<Nanoseconds>(random() % 6) * kMillisecond;
      REQUIRE(all.submit(arrival.request, arrival.time_ns));
    }
    all.advance(10 * kSecond);
    const Arrival last = arrivals.back();
    arrivals.pop_back();
    for (const Arrival& arrival : arrivals)
      REQUIRE(without.submit(arrival.request, arrival.time_ns));
    REQUIRE(all.cancel(last.request.tag, kSecond - 1));
    INFO("round " << round);
    REQUIRE(take_all(all) == take_all(without));
    REQUIRE(all.late_arrivals() == 0);
  }
}

TEST_CASE("a request that is cancelled while it waits was never there") {
  std::mt19937_64 random(43);
  for (int round = 0; round < 300; ++round) {
    const model::DriveModel drive = bare_drive(random);
    Engine all(drive), without(drive);
    for (Engine* engine : {&all, &without}) {
      engine->set_cache({false, false, false}, 0);
      engine->set_queue({static_cast<Scheduler>(round % 5), 0, 0});
    }
    std::vector<Arrival> arrivals = random_arrivals(random, all.blocks(), 24);
    for (Arrival& arrival : arrivals) {
      arrival.time_ns = kSecond;
      REQUIRE(all.submit(arrival.request, arrival.time_ns));
    }
    // The first is chosen at once, all others wait.
    Engine ahead(all);
    const std::uint32_t first = ahead.next_completion()->tag;
    std::set<std::uint32_t> cancelled;
    for (const Arrival& arrival : arrivals)
      if (arrival.request.tag != first && random() % 3 == 0) cancelled.insert(arrival.request.tag);
    for (int look = static_cast<int>(random() % 2); look > 0; --look) all.next_completion_time();
    for (const std::uint32_t tag : cancelled) {
      REQUIRE(all.cancel(tag, kSecond + kMicrosecond));
      REQUIRE_FALSE(all.cancel(tag, kSecond + kMicrosecond));
    }
    for (const Arrival& arrival : arrivals)
      if (!cancelled.contains(arrival.request.tag))
        REQUIRE(without.submit(arrival.request, arrival.time_ns));
    INFO("round " << round);
    REQUIRE(take_all(all) == take_all(without));
  }
}

TEST_CASE(
    "a request that was served when it is cancelled has no completion, and cannot be undone") {
  std::mt19937_64 random(44);
  for (int round = 0; round < 300; ++round) {
    const model::DriveModel drive = bare_drive(random);
    Engine engine(drive);
    const std::vector<Arrival> arrivals = random_arrivals(random, engine.blocks(), 24);
    for (const Arrival& arrival : arrivals)
      REQUIRE(engine.submit(arrival.request, arrival.time_ns));
    const Nanoseconds end_ns = arrivals.back().time_ns + 10 * kSecond;
    engine.advance(end_ns);
    const std::uint32_t tag = static_cast<std::uint32_t>(random() % arrivals.size());
    REQUIRE(engine.cancel(tag, end_ns));
    // What was served before it cannot be taken back any more, either.
    Request late = arrivals.front().request;
    late.tag = 1000;
    REQUIRE(engine.submit(late, arrivals.front().time_ns));
    const std::vector<Completion> got = take_all(engine);
    CHECK(got.size() == arrivals.size());
    CHECK(std::ranges::count(got, tag, &Completion::tag) == 0);
  }
}

TEST_CASE("what was handed out stands: an arrival before it counts as come now, and is counted") {
  Engine engine(testing::small_drive());
  engine.set_cache({false, false, false}, 0);
  Request far;
  far.lbn = 6000;
  REQUIRE(engine.submit(far, 1'000'000));
  const Completion first = *engine.next_completion();
  Request near;
  near.tag = 1;
  REQUIRE(engine.submit(near, 900'000));
  const Completion second = *engine.next_completion();
  CHECK(engine.late_arrivals() == 1);
  CHECK(second.arrival_ns == 900'000);
  CHECK(second.completion_ns > first.completion_ns);
}

TEST_CASE("one request outstanding at a time is served as by service") {
  std::mt19937_64 random(77);
  for (int round = 0; round < 60; ++round) {
    model::DriveModel drive = testing::small_drive();
    drive.layout = testing::random_layout(random);
    drive.cache = testing::small_cache();
    Engine one(drive), queued(drive);
    queued.set_queue({static_cast<Scheduler>(random() % 5), 0, 0});
    Nanoseconds now = 0;
    for (int i = 0; i < 100; ++i) {
      Request request;
      request.lbn = random() %
                    (random() % 2 ? one.blocks() : std::min<std::uint64_t>(80, one.blocks()));
      request.write = random() % 3 == 0;
      now += static_cast<Nanoseconds>(random() % 30'000'000);
      REQUIRE(queued.submit(request, now));
      const Completion expected = one.service(request, now);
      REQUIRE(*queued.next_completion() == expected);
      now = std::max(now, expected.completion_ns);
    }
  }
}

TEST_CASE("a read that is in the buffer overtakes those that wait for the arm") {
  model::DriveModel drive = testing::small_drive();
  drive.cache = testing::small_cache();
  drive.bus.block_transfer = value(0.001);
  Engine engine(drive);
  Request request;
  request.lbn = 100;
  request.blocks = 4;
  Nanoseconds now = engine.service(request, 0).completion_ns + 20 * kMillisecond;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    Request far;
    far.lbn = 1000 * i;
    far.tag = i;
    REQUIRE(engine.submit(far, now));
  }
  request.tag = 9;
  REQUIRE(engine.submit(request, now + 1000));
  const Completion first = *engine.next_completion();
  CHECK(first.tag == 9);
  CHECK(first.cache_hit);
  CHECK(first.completion_ns == now + 1000 + from_ms(0.1) + from_ms(0.004));
}

TEST_CASE(
    "where reads that are in the buffer do not overtake, they wait for the arm like all others") {
  model::DriveModel drive = testing::small_drive();
  drive.cache = testing::small_cache();
  drive.queue.hits_overtake = value(0);
  Engine engine(drive);
  Request request;
  request.lbn = 100;
  request.blocks = 4;
  const Nanoseconds now = engine.service(request, 0).completion_ns + 20 * kMillisecond;
  Request far;
  far.lbn = 3000;
  far.tag = 1;
  REQUIRE(engine.submit(far, now));
  request.tag = 9;
  REQUIRE(engine.submit(request, now + 1000));
  CHECK(engine.next_completion()->tag == 1);
  const Completion hit = *engine.next_completion();
  CHECK(hit.tag == 9);
  CHECK(hit.cache_hit);
}

TEST_CASE("preseeking: when the arm leaves for the next request") {
  // Two reads of a block on tracks of cylinders 0 and 1; the bus takes 4 ms for the first one's
  // ten blocks and 1 ms more for its completion. Overheads 0.3 ms, a seek 1 ms.
  model::DriveModel drive = testing::small_drive();
  drive.bus.block_transfer = value(0.4);
  drive.overheads.read_completion = value(1);
  Request first, second;
  first.blocks = 10;
  second.lbn = 80;
  second.tag = 1;
  const auto completions = [&](double level) {
    drive.queue.preseeking = value(level);
    Engine engine(drive);
    engine.set_cache({false, false, false}, 0);
    REQUIRE(engine.submit(first, 0));
    REQUIRE(engine.submit(second, 100'000));
    const Nanoseconds one = engine.next_completion()->completion_ns;
    return std::pair(one, engine.next_completion()->completion_ns);
  };
  // Sector 0 passes first at 10 ms, ten sectors of 0.5 ms: the media are done at 15 ms, the first
  // block is there at 10.5, the last one sent at 15.4 (the bus is quicker), complete at 16.4.
  // LBN 80 begins at angle 0.3 + 0.3 = 0.6: 16, 26 ms.
  for (const double level : {0.0, 1.0, 2.0}) CHECK(completions(level).first == 16'400'000);
  // On its track at 16.0 (level 2), 16.4 (level 1) or, with the overhead behind it, 17.7 (level 0).
  CHECK(completions(2).second == 16'000'000 + 500'000 + 400'000 + 1'000'000);
  CHECK(completions(1).second == 26'000'000 + 500'000 + 400'000 + 1'000'000);
  CHECK(completions(0).second == 26'000'000 + 500'000 + 400'000 + 1'000'000);
  // LBN 0 at 0.14, 80 at 0.85: the media are done at 6.4 ms, all is sent at 6.8, complete at 7.8.
  // The arm is there at 7.8 (level 1) or 9.1 (level 0), the sector at 8.5 and 18.5.
  drive.layout.zones[0].angle_rev = 0.14;
  drive.layout.zones[0].angle_step_rev = 0.71;
  CHECK(completions(1).first == 7'800'000);
  CHECK(completions(1).second == 8'500'000 + 500'000 + 400'000 + 1'000'000);
  CHECK(completions(0).second == 18'500'000 + 500'000 + 400'000 + 1'000'000);
}

TEST_CASE("blocks that the media have not delivered yet are no hit") {
  model::DriveModel drive = testing::small_drive();
  drive.cache = testing::small_cache();
  Request request;
  request.lbn = 3000;
  request.blocks = 8;
  Engine alone(drive);
  const Nanoseconds first = alone.service(request, 0).completion_ns;
  CHECK(alone.service(request, 100'000).completion_ns > first);
  Engine queued(drive);
  for (std::uint32_t i = 0; i < 2; ++i) {
    request.tag = i;
    REQUIRE(queued.submit(request, i * 100'000));
  }
  CHECK(queued.next_completion()->completion_ns == first);
  const Completion again = *queued.next_completion();
  CHECK(again.tag == 1);
  CHECK(again.completion_ns > first);
}

TEST_CASE("the bus carries one transfer at a time") {
  model::DriveModel drive = testing::small_drive();
  drive.cache = testing::small_cache();
  drive.bus.block_transfer = value(0.1);
  Engine engine(drive);
  engine.set_queue({Scheduler::fcfs, 0, 0});
  Request near;
  near.blocks = 10;
  const Nanoseconds now = engine.service(near, 0).completion_ns + 50 * kMillisecond;
  Request far;
  far.lbn = 6500;
  far.tag = 99;
  REQUIRE(engine.submit(far, now));
  for (std::uint32_t i = 0; i < 8; ++i) {
    near.tag = i;
    REQUIRE(engine.submit(near, now + 1000));
  }
  std::vector<Completion> done = take_all(engine);
  REQUIRE(done.size() == 9);
  std::uint32_t next_hit = 0;
  for (std::size_t i = 0; i < done.size(); ++i) {
    const Nanoseconds transfer = (done[i].tag == 99 ? 1 : 10) * 100'000;
    if (i > 0) CHECK(done[i].completion_ns - done[i - 1].completion_ns >= transfer);
    if (done[i].tag != 99) CHECK(done[i].tag == next_hit++);
  }
  CHECK(done.front().tag == 0);  // beside the far one's seek
}

TEST_CASE(
    "shortest positioning first does not choose a sector that passes before the command is "
    "decoded") {
  model::DriveModel drive = testing::small_drive();
  drive.overheads.read_miss_after_read = value(1.0);
  Engine engine(drive);
  engine.set_cache({false, false, false}, 0);
  engine.set_queue({Scheduler::sptf, 0, 0});
  Request request;  // sectors of 0.5 ms
  request.lbn = 1;
  REQUIRE(engine.submit(request, 0));
  request.lbn = 3;
  request.tag = 1;
  REQUIRE(engine.submit(request, 0));
  CHECK(engine.next_completion()->tag == 1);
}

TEST_CASE("one request at a time is not deeper than the model was checked") {
  model::DriveModel drive = testing::small_drive();
  drive.validity.last_lbn = 5000;
  drive.validity.min_blocks = 1;
  drive.validity.max_blocks = 8;
  drive.validity.max_depth = 1;
  drive.validity.reads = true;
  Engine engine(drive);
  REQUIRE(engine.submit({}, 0));
  const Completion alone = *engine.next_completion();
  CHECK_FALSE(alone.outside_validity);
  REQUIRE(engine.submit({}, alone.completion_ns));
  REQUIRE(engine.submit({}, alone.completion_ns + 1000));
  CHECK_FALSE(engine.next_completion()->outside_validity);
  CHECK(engine.next_completion()->outside_validity);
  CHECK(engine.outside_validity() == 1);
}

TEST_CASE("a drive that is switched on before time 0 is as one that is switched on then") {
  const model::DriveModel drive = testing::small_drive();
  const auto period = static_cast<Nanoseconds>(drive.rotation.numerator_ns);
  Engine early(drive), late(drive);
  early.reset(-1000 * period);
  Request request;
  request.lbn = 4000;
  CHECK(early.service(request, -1000 * period).completion_ns + 1000 * period ==
        late.service(request, 0).completion_ns);
}

TEST_CASE("a request that must wait keeps its arrival") {
  Engine engine(testing::small_drive());
  engine.set_cache({false, false, false}, 0);
  Request request;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    request.lbn = 2000 * i;
    REQUIRE(engine.submit(request, 0));
  }
  const Completion last = engine.service({}, 1'000'000);
  CHECK(last.arrival_ns == 1'000'000);
}

TEST_CASE("a queue that is full takes nothing more") {
  Engine engine(testing::small_drive());
  engine.set_queue({Scheduler::fcfs, 5, 0});
  for (int i = 0; i < 5; ++i) REQUIRE(engine.submit({}, 0));
  CHECK_FALSE(engine.submit({}, 0));
  engine.next_completion_time();
  CHECK_FALSE(engine.submit({}, 0));  // served, but not handed out
  engine.next_completion();
  CHECK(engine.submit({}, 0));
  engine.drop_outstanding();
  CHECK(engine.outstanding() == 0);
  CHECK_FALSE(engine.next_completion());
  engine.set_queue({});
  for (std::uint32_t i = 0; i < kMaxOutstanding; ++i) REQUIRE(engine.submit({}, 0));
  CHECK_FALSE(engine.submit({}, 0));
}

TEST_CASE("a model's own queue is the engine's at first") {
  model::DriveModel drive = testing::small_drive();
  drive.queue.policy = value(4);
  drive.queue.depth = value(3);
  const Engine engine(drive);
  CHECK(engine.queue_settings().scheduler == Scheduler::sstf);
  CHECK(engine.queue_settings().depth == 3);
}

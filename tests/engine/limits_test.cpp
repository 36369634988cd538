// The limits of compiled tables, each at its last allowed and its first forbidden number; and turns
// of the platter that come out as exact fractions.

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "catch.h"
#include "engine/engine.h"
#include "engine/int128.h"
#include "engine/layout_tables.h"
#include "engine/small_drive.h"
#include "engine/tables.h"
#include "model/error.h"

using namespace platter;
using namespace platter::engine;
using testing::value;

namespace {

model::DriveModel drive() {
  model::DriveModel model = testing::small_drive();
  model.cache = testing::small_cache();
  return model;
}

struct Limit {
  const char* what;
  std::function<void(TableSections&, std::int64_t)> set;
  std::int64_t low, high;  // both allowed
};

void check(const Limit& limit) {
  INFO(limit.what);
  const Tables tables(drive());
  const auto defect = [&](std::int64_t number) {
    TableSections view = tables.sections();
    limit.set(view, number);
    return sections_defect(view);
  };
  CHECK(!defect(limit.low));
  CHECK(!defect(limit.high));
  CHECK(defect(limit.high + 1));
  if (limit.low > std::numeric_limits<std::int64_t>::min()) CHECK(defect(limit.low - 1));
}

constexpr std::int64_t kLongest = 1000 * kSecond;

template <typename Section, typename Member>
Limit within(const char* what, Section TableSections::*section, Member Section::*member,
             std::int64_t low, std::int64_t high) {
  return {what,
          [=](TableSections& view, std::int64_t number) {
            view.*section.*member = static_cast<Member>(number);
          },
          low, high};
}

template <typename Member>
Limit time_limit(const char* what, Member CommandOverheads::*member) {
  return within(what, &TableSections::overheads, member, -kLongest, kLongest);
}

}  // namespace

TEST_CASE("times of the tables go to 1000 seconds, either way") {
  using O = CommandOverheads;
  for (const Limit& limit :
       {time_limit("per_request", &O::per_request),
        time_limit("read_completion", &O::read_completion),
        time_limit("write_completion", &O::write_completion),
        time_limit("data_preparation", &O::data_preparation),
        time_limit("first_reselect", &O::first_reselect),
        time_limit("other_reselect", &O::other_reselect),
        time_limit("write_disconnect", &O::write_disconnect),
        time_limit("extra_command", &O::extra_command), time_limit("extra_first", &O::extra_first),
        time_limit("extra_inter", &O::extra_inter), time_limit("extra_second", &O::extra_second),
        time_limit("extra_seek_delta", &O::extra_seek_delta),
        time_limit("minimum_seek_delay", &O::minimum_seek_delay),
        time_limit("minimum_read_seek_delay", &O::minimum_read_seek_delay),
        time_limit("sequential_read_hit", &O::sequential_read_hit),
        time_limit("sequential_write_hit", &O::sequential_write_hit),
        time_limit("sequential_read_within", &O::sequential_read_within)})
    check(limit);
  for (const auto pair :
       {&O::read_hit, &O::read_miss, &O::write_hit, &O::write_miss, &O::read_disconnect}) {
    for (const int which : {0, 1}) {
      check({"a pair",
             [=](TableSections& view, std::int64_t number) {
               (view.overheads.*pair)[which] = number;
             },
             -kLongest, kLongest});
    }
  }
  check(within("inward seek", &TableSections::motion, &FlatMotion::inward_seek_ns, -kLongest,
               kLongest));
  check(within("write settle", &TableSections::motion, &FlatMotion::write_settle_ns, -kLongest,
               kLongest));
  check(within("head switch", &TableSections::motion, &FlatMotion::head_switch_ns, 0, kLongest));
  check(within("read block", &TableSections::bus, &BusTable::read_block_ns, 0, 100 * kMillisecond));
  check(
      within("write block", &TableSections::bus, &BusTable::write_block_ns, 0, 100 * kMillisecond));
}

TEST_CASE("flags are 0 or 1, and each of them is looked at") {
  using C = CacheTable;
  const auto flag = [](auto section, auto member) {
    const Tables tables(drive());
    TableSections view = tables.sections();
    view.cache.write_segments = 1;  // one of its own leaves others for reads
    for (const int number : {0, 1}) {
      view.*section.*member = static_cast<std::uint8_t>(number);
      CHECK(!sections_defect(view));
    }
    view.*section.*member = 2;
    CHECK(sections_defect(view));
  };
  for (const auto member : {&C::present,
                            &C::separate_write_segment,
                            &C::read_ahead_over_requested,
                            &C::read_ahead_on_hit,
                            &C::read_free_blocks,
                            &C::zero_latency_read,
                            &C::zero_latency_write,
                            &C::read_hit_on_written,
                            &C::combine_writes,
                            &C::stop_in_sector,
                            &C::almost_read_hits,
                            &C::discards_after_transfer,
                            &C::read_ahead_by_request,
                            &C::read_ahead_after_sequential,
                            &C::read_ahead_to_its_end,
                            &C::read_ahead_resumes,
                            &C::write_hit_keeps_read_ahead,
                            &C::destage_behind,
                            &C::destage_by_lbn,
                            &C::destage_in_passing,
                            &C::write_updates_segments})
    flag(&TableSections::cache, member);
  flag(&TableSections::written, &WrittenTable::persist);
  flag(&TableSections::overheads, &CommandOverheads::extra_write_disconnect);
  flag(&TableSections::validity, &ValidityTable::reads);
  flag(&TableSections::validity, &ValidityTable::writes);
}

TEST_CASE("numbers of the cache and the queue end where the engine's room does") {
  const auto divide = [](TableSections& v, std::int64_t segments, std::uint32_t blocks) {
    v.cache.segments = static_cast<std::uint32_t>(segments);
    v.cache.segment_blocks = blocks;
    v.cache.buffer_blocks = std::uint64_t{v.cache.segments} * blocks;
    v.cache.write_segments = 1;
  };
  check({"segments", [&](TableSections& v, std::int64_t n) { divide(v, n, 40); }, 1, kMaxSegments});
  check({"segments to keep one for writes",
         [&](TableSections& v, std::int64_t n) {
           divide(v, n, 40);
           v.cache.separate_write_segment = 1;
         },
         2, kMaxSegments});
  check({"segments that hold written data",
         [&](TableSections& v, std::int64_t n) {
           divide(v, 5, 40);
           v.cache.write_segments = static_cast<std::uint32_t>(n);
         },
         1, 5});
  check({"segments that hold written data, of their own",
         [&](TableSections& v, std::int64_t n) {
           divide(v, 5, 40);
           v.cache.separate_write_segment = 1;
           v.cache.write_segments = static_cast<std::uint32_t>(n);
         },
         1, 4});
  check({"blocks of a segment",
         [&](TableSections& v, std::int64_t n) {
           // There is no larger one.
           divide(v, 3, n > 0xffffffff ? 0 : static_cast<std::uint32_t>(n));
         },
         1, 0xffffffff});
  check({"blocks of the buffer",
         [&](TableSections& v, std::int64_t n) {
           divide(v, 5, 40);
           v.cache.buffer_blocks = static_cast<std::uint64_t>(n);
         },
         40, 200});
  check({"fewest segments",
         [&](TableSections& v, std::int64_t n) {
           divide(v, 5, 40);
           v.cache.fewest_segments = n < 0 ? 5 : static_cast<std::uint16_t>(n);
         },
         0, 4});
  check({"requests between divisions",
         [&](TableSections& v, std::int64_t n) {
           divide(v, 5, 40);
           v.cache.fewest_segments = 1;
           v.cache.window = static_cast<std::uint16_t>(n);
         },
         kLeastWindow, kMostWindow});
  check({"time until a destage",
         [](TableSections& v, std::int64_t n) { v.cache.destage_idle_ns = n; }, 0, kLongest});
  check(
      {"kind of replacement",
       [](TableSections& v, std::int64_t n) { v.cache.replacement = static_cast<std::uint8_t>(n); },
       0, 2});
  check({"write-back level",
         [](TableSections& v, std::int64_t n) {
           v.cache.write_back_level = static_cast<std::uint8_t>(n);
         },
         0, 2});
  check(
      {"kind of read-ahead",
       [](TableSections& v, std::int64_t n) { v.cache.read_ahead = static_cast<std::uint8_t>(n); },
       0, 4});
  check(within("scheduler", &TableSections::queue, &QueueTable::scheduler, 0, 4));
  check(within("depth", &TableSections::queue, &QueueTable::depth, 0, kMaxOutstanding));
  check({"watermark in percent",
         [](TableSections& v, std::int64_t n) {
           v.bus.high_read_watermark = static_cast<double>(n) / 100;
         },
         0, 100});
}

TEST_CASE("a range of validity lies in the drive and is one") {
  const Tables tables(drive());
  const auto blocks = static_cast<std::int64_t>(tables.layout.blocks());
  check({"last LBN",
         [](TableSections& v, std::int64_t n) {
           v.validity.first_lbn = 7;
           v.validity.last_lbn = static_cast<std::uint64_t>(n);
         },
         7, blocks - 1});
  check({"fewest blocks",
         [](TableSections& v, std::int64_t n) {
           v.validity.min_blocks = n < 0 ? 21 : static_cast<std::uint32_t>(n);
           v.validity.max_blocks = 20;
         },
         0, 20});
}

TEST_CASE("a regular stretch of skips lies in the drive") {
  model::DriveModel model = drive();
  model.layout.skips = {{100, 2, 10, 30}};
  const Tables tables(model);
  const std::uint64_t slots = tables.layout.slots();
  const auto defect = [&](auto spoil) {
    LayoutArrays layout = compile_layout(model.layout);
    for (FlatStretch& stretch : layout.pieces.stretches)
      if (stretch.period != 0) spoil(stretch);
    return complete_layout(layout, piece_blocks(layout.view()));
  };
  const auto set_period = [](std::uint64_t period) {
    return [=](FlatStretch& stretch) { stretch.period = period; };
  };
  constexpr const char* kOutside = "has a stretch outside the drive";
  REQUIRE(!defect([](FlatStretch&) {}));
  CHECK(!defect(set_period(slots)));  // never stepped, and so only shorter
  CHECK(defect(set_period(slots + 1)) == kOutside);
  CHECK(defect([&](FlatStretch& stretch) { stretch.gap = slots + 1; }) == kOutside);
  CHECK(defect([&](FlatStretch& stretch) { stretch.shift = stretch.sequential = slots + 1; }) ==
        kOutside);
}

TEST_CASE("a revolution lasts from 100 us to 10 s") {
  CHECK(Platter::possible(100'000, 1));
  CHECK(!Platter::possible(99'999, 1));
  CHECK(!Platter::possible(299'999, 3));
  CHECK(Platter::possible(10'000'000'000, 1));
  CHECK(!Platter::possible(10'000'000'001, 1));
  CHECK(!Platter::possible(10'000'000, 0));
  CHECK(Platter::possible(std::uint64_t{1} << 62, std::uint64_t{1} << 40));
  CHECK(!Platter::possible((std::uint64_t{1} << 62) + 1, std::uint64_t{1} << 40));
  CHECK(!Platter::possible(std::uint64_t{1} << 62, (std::uint64_t{1} << 40) + 1));
  CHECK_THROWS_AS(Platter(99'999, 1), Error);
  CHECK(Platter(10'000'001, 2).period_ns() == 5'000'001);  // rounded to the nearest
  CHECK(Platter(10'000'001, 3).period_ns() == 3'333'334);
  CHECK(Platter(10'000'000, 3).period_ns() == 3'333'333);
}

TEST_CASE("simple fractions of a turn are exact, forwards and backwards") {
  for (const std::uint64_t period :
       {6'000'000ull, 8'388'608ull, 10'000'000ull, 5'985'037ull * 64}) {
    const Platter platter(period, 1);
    for (std::uint64_t eighths = 0; eighths <= 24; ++eighths) {
      INFO(period << " ns, " << eighths << " eighths");
      const auto time = static_cast<Nanoseconds>(period * eighths / 8);
      const Angle angle = eighths << 61;
      CHECK(platter.angle_at(time) == angle);
      CHECK(platter.angle_at(0, time) == angle);
      CHECK(platter.angle_at(-time) == Angle{0} - angle);
      CHECK(platter.turn_ns(angle) == static_cast<Nanoseconds>(period * (eighths % 8) / 8));
      CHECK(platter.next_passage(angle, time) == time);
      CHECK(platter.next_passage(angle, time + 1) == time + 1);  // counts as now
      CHECK(platter.next_passage(angle, time + Platter::kSlack) == time + Platter::kSlack);
      CHECK(platter.next_passage(angle, time + Platter::kSlack + 1) ==
            time + static_cast<Nanoseconds>(period));
      CHECK(platter.next_passage(angle, time - 1) == time);
    }
  }
  // A turn of half a nanosecond more is rounded up.
  const Platter odd(10'000'001, 1);
  CHECK(odd.turn_ns(Angle{1} << 63) == 5'000'001);
  CHECK(odd.turn_ns((Angle{1} << 63) - 1) == 5'000'000);
}

// Where the quick product cannot tell whether half a nanosecond is reached.
TEST_CASE("a turn that ends just at half a nanosecond is rounded as the ratio says") {
  constexpr std::uint64_t denominator = 3;
  int halves = 0;
  for (std::uint64_t numerator = 17'955'113; numerator < 17'955'300; numerator += 2) {
    const Platter platter(numerator, denominator);
    std::uint64_t inverse = numerator;  // modulo 2^64
    for (int i = 0; i < 6; ++i) inverse *= 2 - numerator * inverse;
    for (std::uint64_t over = 0; over < 6; ++over) {
      const Angle angle = ((denominator << 63) + over) * inverse;
      const Uint128 product = Uint128{angle} * numerator, exact = product / denominator;
      const auto rounded = static_cast<Nanoseconds>((exact + (Uint128{1} << 63)) >> 64);
      CHECK(platter.turn_ns(angle) == rounded);
      if (product % denominator == 0 && static_cast<std::uint64_t>(exact) == std::uint64_t{1} << 63)
        ++halves;
    }
  }
  CHECK(halves > 0);
}

TEST_CASE("a seek curve may reach far and take a minute, and no longer") {
  const auto with = [](std::vector<model::SeekPoint> points) {
    model::DriveModel model = drive();
    model.seek.points = std::move(points);
    return Engine(model);
  };
  CHECK_NOTHROW(with({{1, 1, {}, 0}, {~0u, 1, {}, 0}}));
  CHECK_NOTHROW(with({{1, 60'000, {}, 0}, {2, 60'000, {}, 0}}));
  CHECK_NOTHROW(with({{1, 0, {}, 0}, {2, 0, {}, 0}}));
  CHECK_THROWS_AS(with({{1, 60'000.001, {}, 0}, {2, 1, {}, 0}}), Error);
  CHECK_THROWS_AS(with({{1, -0.001, {}, 0}, {2, 1, {}, 0}}), Error);
  CHECK_THROWS_AS(with({{0, 1, {}, 0}, {2, 1, {}, 0}}), Error);
  CHECK_THROWS_AS(with({{2, 1, {}, 0}, {2, 1, {}, 0}}), Error);
  CHECK_THROWS_AS(with({{1, NAN, {}, 0}}), Error);
  CHECK_THROWS_AS(with({}), Error);
  // Past its end a curve goes on as its last line: 100 cylinders at 60 s each are 100 minutes, and
  // one step more is too much.
  CHECK_NOTHROW(with({{1, 0, {}, 0}, {2, 60'000, {}, 0}}));
  model::DriveModel larger = drive();
  larger.layout.zones.back().count += 1;
  larger.seek.points = {{1, 0, {}, 0}, {2, 60'000, {}, 0}};
  CHECK_THROWS_AS(Engine(larger), Error);
}

TEST_CASE("a seek table gives each point its time, rounds between them, and is never below 0") {
  model::Seek seek;
  seek.points = {{3, 1.000001, {}, 0}, {6, 1.000002, {}, 0}, {7, 5, {}, 0}, {9, 0.000004, {}, 0}};
  const SeekTable table(seek);
  CHECK(table.time_ns(0) == 0);
  CHECK(table.time_ns(3) == 1'000'001);
  CHECK(table.time_ns(4) == 1'000'001);  // a third of a nanosecond more
  CHECK(table.time_ns(5) == 1'000'002);  // two thirds
  CHECK(table.time_ns(6) == 1'000'002);
  CHECK(table.time_ns(7) == 5'000'000);
  CHECK(table.time_ns(8) == 2'500'002);
  CHECK(table.time_ns(9) == 4);
  CHECK(table.time_ns(10) == 0);
  CHECK(table.time_ns(4'000'000'000u) == 0);
  model::Seek one;
  one.points = {{5, 2, {}, 0}};
  for (const std::uint32_t cylinders : {1u, 5u, 6u, 99u, 4'000'000'000u})
    CHECK(SeekTable(one).time_ns(cylinders) == 2'000'000);
}

TEST_CASE("a queue full to the last place gives everything back, in the order of time") {
  for (std::uint32_t round = 0; round < 40; ++round) {
    Engine engine(drive());
    engine.set_queue({static_cast<Scheduler>(round % 5), 0, 0});
    for (std::uint32_t tag = 0; tag < kMaxOutstanding; ++tag) {
      Request request;
      request.tag = tag;
      request.lbn = (tag * 1237u + round * 41u) % (engine.blocks() - 8);
      request.blocks = 1 + tag % 8;
      request.write = tag % 5 == 0;
      request.disturbance = {100'000, 200'000, 300'000};
      REQUIRE(engine.submit(request, 1'000'000 + tag));
    }
    CHECK(!engine.submit({}, 2'000'000));
    std::set<std::uint32_t> tags;
    Nanoseconds latest = 0;
    while (const auto done = engine.next_completion()) {
      CHECK(done->completion_ns >= latest);
      latest = done->completion_ns;
      tags.insert(done->tag);
    }
    CHECK(tags.size() == kMaxOutstanding);
    CHECK(*tags.rbegin() == kMaxOutstanding - 1);
    CHECK(engine.outstanding() == 0);
  }
}

TEST_CASE("DiskSim's numbers of queue policies, each to what comes nearest") {
  const auto scheduler = [](double policy) {
    model::Queue queue;
    queue.policy = value(policy);
    return scheduler_of(queue);
  };
  CHECK(scheduler_of({}) == Scheduler::fcfs);
  for (const int policy : {0, 1, 28, 99}) CHECK(scheduler(policy) == Scheduler::fcfs);
  for (const int policy : {2, 5}) CHECK(scheduler(policy) == Scheduler::look);
  for (const int policy : {3, 6}) CHECK(scheduler(policy) == Scheduler::c_look);
  for (const int policy : {4, 7}) CHECK(scheduler(policy) == Scheduler::sstf);
  for (const int policy : {8, 15, 27}) CHECK(scheduler(policy) == Scheduler::sptf);
}

TEST_CASE("nothing is answered before it was asked, whatever the overheads add up to") {
  model::DriveModel model = drive();
  model.overheads.read_completion = value(-500);
  model.overheads.write_completion = value(-500);
  Engine engine(model);
  Nanoseconds now = 0;
  for (const bool write : {false, true, false}) {
    Request request;
    request.lbn = engine.blocks() - 1;
    request.write = write;
    const Completion done = engine.service(request, now);
    CHECK(done.completion_ns >= now);
    now = done.completion_ns + kMillisecond;
    CHECK(engine.seek(0, now) >= now);
  }
}

#include "mtbrc/overheads.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "catch.h"
#include "estimate/estimates.h"
#include "estimate/passages.h"
#include "mtbrc/rotation.h"
#include "mtbrc/seek.h"
#include "plain_disk.h"
#include "plain_run.h"
#include "scsi/drive.h"
#include "scsi/physical_blocks.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

model::Rotation rotation_6ms() {
  model::Rotation rotation;
  rotation.numerator_ns = 6'000'000;
  return rotation;
}

Sample hit(double ms, std::uint32_t blocks) {
  Sample sample;
  sample.experiment = Experiment::hit;
  sample.blocks = blocks;
  sample.after_completed_ns = 1;
  sample.issued_ns = 1;
  sample.completed_ns = 1 + from_ms(ms);
  return sample;
}

// Hits of 0.2 ms + 0.025 ms a block, some misses among them.
Samples hits(std::mt19937_64& random, double miss_share) {
  std::exponential_distribution<double> host(1 / 0.01);
  std::uniform_real_distribution<double> miss(0.3, 6.3);
  Samples samples;
  for (std::uint32_t blocks = 1; blocks <= 64; blocks *= 2)
    for (int i = 0; i < 40; ++i)
      samples.push_back(hit(std::bernoulli_distribution(miss_share)(random)
                                ? miss(random)
                                : 0.2 + 0.025 * blocks + host(random),
                            blocks));
  return samples;
}

}  // namespace

TEST_CASE(
    "overheads: how the host's delay spreads, whatever the size of the hits and some misses among "
    "them") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    const Samples samples = hits(random, 0.1);
    const auto spread = Estimates(samples, nullptr, rotation_6ms()).of<Figure::delay_spread>();
    REQUIRE(spread);
    CHECK(spread->samples > 200);
    CHECK(spread->samples <= 280);
    REQUIRE(spread->quantiles.size() > 10);
    CHECK(spread->quantiles.front().share == 0);
    CHECK(spread->quantiles.back().share == 1);
    for (const model::DelayQuantile& quantile : spread->quantiles) {
      // Of the exponential delay with a mean of 10 us; what a quantile of 250 draws is off by, four
      // times.
      if (quantile.share < 0.02 || quantile.share > 0.95) continue;
      const double is_ms = -0.01 * std::log(1 - quantile.share) - 0.01 * std::log(2.0);
      const double error_ms = 0.01 *
                              std::sqrt(quantile.share / (1 - quantile.share) / 250 + 1.0 / 250);
      CAPTURE(quantile.share);
      CHECK(std::abs(quantile.ms - is_ms) < 4 * error_ms + 0.001);
    }
  }
  const Samples none;
  CHECK_FALSE(Estimates(none, nullptr, rotation_6ms()).of<Figure::delay_spread>());
  Samples few = hits(random, 0);
  few.resize(80);
  CHECK_FALSE(Estimates(few, nullptr, rotation_6ms()).of<Figure::delay_spread>());
}

TEST_CASE("overheads: the bus from the slope of hit times, misses left out") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    const Samples samples = hits(random, 0.15);
    const model::Parameter transfer =
        Estimates(samples, nullptr, rotation_6ms()).of<Figure::hit_transfer>();
    REQUIRE(transfer);
    CHECK(*transfer.value == Approx(0.025).margin(0.0006));
  }
}

TEST_CASE("overheads: accesses to the media are not taken for hits") {
  std::mt19937_64 random(4);
  const Samples none;
  CHECK_FALSE(Estimates(none, nullptr, rotation_6ms()).of<Figure::hit_transfer>());
  for (int round = 0; round < 20; ++round) {
    const Samples misses = hits(random, 1.0);
    CHECK_FALSE(Estimates(misses, nullptr, rotation_6ms()).of<Figure::hit_transfer>());
  }
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  const model::Overheads nothing = Estimates(none, &map, rotation_6ms()).of<Figure::overheads>();
  CHECK_FALSE(nothing.read_miss_after_read.reason.empty());
  CHECK_FALSE(nothing.write_hit_after_write.reason.empty());
}

TEST_CASE("overheads: sizes that the cache does not keep tell nothing of the bus") {
  std::mt19937_64 random(9);
  std::exponential_distribution<double> host(1 / 0.01);
  std::uniform_real_distribution<double> anywhere(0.5, 6.5);
  for (const bool write : {false, true})
    for (int round = 0; round < 20; ++round) {
      Samples samples;
      for (std::uint32_t blocks = 1; blocks <= 64; blocks *= 2)
        for (int i = 0; i < 24; ++i) {
          // Half of 16 blocks are kept, of more none: read again at once they come a turn later.
          const bool miss = blocks > 16 || (blocks == 16 && i % 2 == 0);
          samples.push_back(hit(miss ? (i % 6 == 0 ? anywhere(random) : 6.0 + 0.1 * host(random))
                                     : 0.2 + 0.009 * blocks + host(random),
                                blocks));
          samples.back().write = samples.back().after_write = write;
        }
      const plain::Disk disk(plain::small_shape());
      const engine::LayoutMap map(disk.layout(true));
      Estimates made(samples, &map, rotation_6ms());
      const model::Parameter transfer = write ? made.of<Figure::write_block_transfer>()
                                              : made.of<Figure::hit_transfer>();
      REQUIRE(transfer);
      CHECK(*transfer.value == Approx(0.009).margin(0.0012));
    }
}

TEST_CASE("overheads: the error of few hits holds, for all hits tell what the host adds") {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> host(std::log(0.006), 0.69);
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  int held = 0;
  double least = 1, squares = 0;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    Samples samples;
    const auto add = [&](bool write, bool after_write, int count) {
      for (int i = 0; i < count; ++i)
        for (const std::uint32_t blocks : {1u, 16u}) {
          if (blocks > 1 && (write || after_write)) continue;
          samples.push_back(hit(0.2 + 0.01 * blocks + host(random) + host(random), blocks));
          samples.back().write = write;
          samples.back().after_write = after_write;
        }
    };
    add(false, false, 60);
    add(false, true, 12);
    const model::Parameter found =
        Estimates(samples, &map, rotation_6ms()).of<Figure::overheads>().read_hit_after_write;
    REQUIRE(found);
    least = std::min(least, *found.error);
    // The median of what two such delays add.
    const double off = *found.value - 0.2 - 0.01333;
    held += std::abs(off) < 1.96 * *found.error ? 1 : 0;
    squares += off * off / kRounds;
  }
  CHECK(held > 0.93 * kRounds);
  CHECK(least > 0.0010);               // twelve alone would sometimes claim half of that
  CHECK(std::sqrt(squares) < 0.0021);  // their median would be 0.0026 off
}

TEST_CASE("overheads: of two SEEKs the constant between them and reads drops out") {
  ReadTimes reads;
  reads.commands = {{0, {100e3, 1e3, 24}}, {10, {1100e3, 2e3, 8}}};
  reads.constant = Constant{50e3, 7e3};
  reads.still = statistics::Estimate{50e3, std::hypot(1e3, 7e3), 24};
  reads.still_by_commands = true;
  const statistics::Estimate alone = reads.move({}, reads.commands[10]);
  CHECK(alone.value == Approx(1000e3));
  CHECK(alone.error == Approx(std::hypot(1e3, 2e3)));
  // An MTBRC of the same move is unsure by the constant, and so weighs little.
  const statistics::Estimate both = reads.move(statistics::Estimate{1090e3, 2e3, 30},
                                               reads.commands[10]);
  CHECK(both.value < 1005e3);
  CHECK(both.value > 1001e3);
  reads.still_by_commands = false;
  CHECK(reads.move({}, reads.commands[10]).error > 7e3);
}

TEST_CASE("passages: another session has a phase of its own, which is learned anew") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  Passages passages(map, rotation_6ms());
  const double turn = 6e6;
  const auto read = [&](std::uint64_t lbn, double turns, std::uint32_t session) {
    Sample sample;
    sample.lbn = lbn;
    sample.session = session;
    const double end = engine::rev_from_angle(map.angle_of_lbn(lbn)) +
                       1.0 / map.track_of_slot(map.slot_of_lbn(lbn)).sectors;
    // The second one is 0.03 revolutions off, which within a session would be a late completion.
    sample.completed_ns = static_cast<Nanoseconds>((turns + end + 0.03 * session) * turn + 50e3);
    sample.issued_ns = sample.completed_ns - 4'000'000;
    return passages.observe(sample);
  };
  for (int i = 0; i < 6; ++i) read(static_cast<std::uint64_t>(1000 * i), 10 + 2 * i, 0);
  REQUIRE(passages.ready(false));
  CHECK_FALSE(read(123'456, 4, 1));
  CHECK_FALSE(passages.ready(false));
  for (int i = 0; i < 6; ++i) read(static_cast<std::uint64_t>(1000 * i), 10 + 2 * i, 1);
  const auto told = read(123'456, 40, 1);
  REQUIRE(told);
  const double sector = turn / map.track_of_slot(map.slot_of_lbn(123'456)).sectors;
  CHECK(told->high == Approx(4e6 - sector).margin(3e3));
}

// As while a map is made by timing: one read of a reference a second, for minutes.
TEST_CASE(
    "passages: the constant keeps up with a period that is off by 3 ppm where reads are rare") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  Passages passages(map, rotation_6ms());
  const double turn = 6e6, true_turn = turn * (1 + 3e-6);
  std::mt19937_64 random(7);
  std::exponential_distribution<double> host_ns(1 / 5e3);
  std::optional<statistics::CensoredTrial> told;
  double late_ns = 0;
  for (int i = 0; i < 300; ++i) {
    Sample sample;
    const double end = engine::rev_from_angle(map.angle_of_lbn(0)) +
                       1.0 / map.track_of_slot(map.slot_of_lbn(0)).sectors;
    late_ns = host_ns(random);
    sample.completed_ns =
        static_cast<Nanoseconds>((10 + 167.0 * i + end) * true_turn + 50e3 + late_ns);
    sample.issued_ns = sample.completed_ns - 4'000'000;
    told = passages.observe(sample);
  }
  REQUIRE(told);
  const double sector = turn / map.track_of_slot(map.slot_of_lbn(0)).sectors;
  CHECK(told->high == Approx(4e6 - sector - late_ns + 5e3).margin(0.002 * turn));
}

TEST_CASE("passages: a completion bounds the time to the turn before it") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  Passages passages(map, rotation_6ms());
  const double turn = 6e6;
  const auto read = [&](std::uint64_t lbn, double turns, double off_ns) {
    Sample sample;
    sample.lbn = lbn;
    const double end = engine::rev_from_angle(map.angle_of_lbn(lbn)) +
                       1.0 / map.track_of_slot(map.slot_of_lbn(lbn)).sectors;
    // 50 us behind the sector's end; the command was issued 4 ms before.
    sample.completed_ns = static_cast<Nanoseconds>((turns + end) * turn + 50e3 + off_ns);
    sample.issued_ns = sample.completed_ns - 4'000'000;
    return passages.observe(sample);
  };
  for (int i = 0; i < 6; ++i) read(static_cast<std::uint64_t>(1000 * i), 10 + 2 * i, 0);
  REQUIRE(passages.ready(false));
  CHECK_FALSE(passages.ready(true));
  const auto told = read(123'456, 40, 20e3);
  REQUIRE(told);
  const double sector = turn / map.track_of_slot(map.slot_of_lbn(123'456)).sectors;
  // Its own lateness taken off, and the time that the sector itself takes.
  CHECK(told->high == Approx(4e6 - 20e3 - sector).margin(3e3));
  CHECK(told->high - told->low == Approx(turn));
  CHECK_FALSE(read(200'000, 50, 2e6));  // at no passage

  const engine::Track track = map.track_of_slot(map.slot_of_lbn(500'000));
  const auto target = passages.aim(track, 1'000'000'000, false);
  REQUIRE(target);
  CHECK(map.track_of_slot(map.slot_of_lbn(target->lbn)).first_slot == track.first_slot);
  CHECK(target->late_ns >= 0);
  CHECK(static_cast<double>(target->late_ns) <= turn / track.sectors);
  CHECK_FALSE(passages.aim(track, 1'000'000'000, true));
}

TEST_CASE("passages: writes behind reads may complete otherwise than writes behind writes") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  Passages passages(map, rotation_6ms());
  const double turn = 6e6;
  double turns = 10;
  std::uint64_t lbn = 0;
  const auto access = [&](bool write, bool after_write, double late_ns, std::uint32_t blocks = 1) {
    Sample sample;
    lbn += 3000;
    sample.lbn = lbn;
    sample.write = write;
    sample.after_write = after_write;
    sample.blocks = blocks;
    const double end = engine::rev_from_angle(map.angle_of_lbn(lbn)) +
                       static_cast<double>(blocks) /
                           map.track_of_slot(map.slot_of_lbn(lbn)).sectors;
    turns += 2;
    sample.completed_ns = static_cast<Nanoseconds>((turns + end) * turn + 50e3 + late_ns);
    sample.issued_ns = sample.completed_ns - 4'000'000;
    return blocks > 1 ? passages.observe_run(sample) : passages.observe(sample);
  };
  for (int i = 0; i < 5; ++i) access(false, false, 0);
  for (int i = 0; i < 6; ++i) access(true, i > 0, i > 0 ? 10e3 : 60e3);
  CHECK(passages.ready(true));
  for (int i = 0; i < 6; ++i) {
    access(false, true, 0);
    access(true, false, 60e3);
  }
  access(false, true, 0);
  // A run behind a read is held against those, not against writes behind writes.
  const auto told = access(true, false, 60e3, 8);
  REQUIRE(told);
  const double sectors = map.track_of_slot(map.slot_of_lbn(lbn)).sectors;
  CHECK(told->high == Approx(4e6 - 8 * turn / sectors).margin(2e3));
}

constexpr std::uint32_t kUnit = 8;  // blocks of a physical one

TEST_CASE("passages: the smallest writes may be of several blocks") {
  const plain::Disk disk(plain::small_shape());
  const engine::LayoutMap map(disk.layout(true));
  Passages passages(map, rotation_6ms(), kUnit);
  const double turn = 6e6;
  double turns = 10;
  const auto sectors = [&](std::uint64_t lbn) {
    return map.track_of_slot(map.slot_of_lbn(lbn)).sectors;
  };
  const auto write = [&](std::uint64_t lbn, double late_ns, std::uint32_t blocks = kUnit) {
    Sample sample;
    sample.lbn = lbn;
    sample.write = sample.after_write = true;
    sample.blocks = blocks;
    const double end = engine::rev_from_angle(map.angle_of_lbn(lbn)) +
                       static_cast<double>(blocks) / sectors(lbn);
    turns += 2;
    sample.completed_ns = static_cast<Nanoseconds>((turns + end) * turn + 50e3 + late_ns);
    sample.issued_ns = sample.completed_ns - (late_ns < 0 ? 7'000'000 : 4'000'000);
    return passages.observe(sample);
  };
  const double width = kUnit * turn / sectors(60'000);
  // Begun in the middle: a turn from there, and so before the passage of the last one is over. It
  // tells nothing of when others complete, neither first nor last.
  for (int i = 0; i < 20; ++i) CHECK_FALSE(write(60'000, -width / 4));
  CHECK_FALSE(passages.ready(true));
  for (std::uint64_t i = 1; i < 8; ++i) write(3000 * i, 0);
  REQUIRE(passages.ready(true));
  const auto told = write(60'000, 0);
  REQUIRE(told);
  CHECK(told->high == Approx(4e6 - width).margin(2e3));
  // Not ready when the first passed.
  const auto middle = write(60'000, -width / 2);
  REQUIRE(middle);
  CHECK(middle->high == Approx(7e6 - width / 2).margin(2e3));
  for (int i = 0; i < 20; ++i) write(60'000, -width / 2);
  CHECK(write(60'000, 0)->high == Approx(4e6 - width).margin(2e3));
  CHECK_FALSE(write(60'000, 0, 1));  // no such write was sent
  // Over a track's end the blocks do not pass in a row.
  const engine::Track track = map.track_of_slot(map.slot_of_lbn(60'000));
  const std::uint64_t last = *map.lbn_of_slot(track.first_slot + track.sectors - 1);
  CHECK_FALSE(write(last - kUnit + 2, 0));
  // Aimed at is where a physical block begins.
  scsi::Capacity capacity;
  capacity.blocks = map.blocks();
  capacity.block_bytes = 512;
  capacity.physical_block_bytes = kUnit * 512;
  capacity.lowest_aligned_lbn = 3;
  const scsi::PhysicalBlocks physical(capacity);
  for (int i = 0; i < 50; ++i) {
    const auto target = passages.aim(
        track, 1'000'000'000 + i * 123'457, true, kUnit, true,
        [&](std::uint64_t lbn) { return physical.is_whole(lbn, kUnit); });
    REQUIRE(target);
    CHECK(target->lbn % kUnit == 3);
    CHECK(map.slot_of_lbn(target->lbn) + kUnit <= track.first_slot + track.sectors);
  }
}

TEST_CASE(
    "overheads: what was seen before counts, and long times are not measured sharper than needed") {
  const auto measured = [](plain::Disk& disk, auto experiment) {
    plain::Run run(disk, 3);
    experiment(run.context);
  };
  const auto taken = [](const Context& context) {
    return std::ranges::count_if(context.samples, [](const Sample& sample) {
      return sample.experiment == Experiment::same_track;
    });
  };
  plain::Disk disk(plain::small_shape(), 3);
  measured(disk, [&](Context& context) {
    measure_same_track(context, false, false, 0.004);
    const auto roughly = taken(context);
    measure_same_track(context, false, false, 0.004);
    CHECK(taken(context) <= roughly + 8);  // one group of trials, by which the estimate may change
  });
  plain::Shape slow = plain::small_shape();
  slow.overhead_ms *= 10;
  plain::Disk slow_disk(slow, 3);
  measured(disk, [&](Context& fast) {
    measure_miss_overheads(fast, {});
    measured(slow_disk, [&](Context& other) {
      measure_miss_overheads(other, {});
      CHECK(3 * taken(other) < 2 * taken(fast));
    });
  });
}

// As DiskSim's Atlas 10K reads behind its writes: each command comes just as a sector begins, and
// the drive that needs no time for it is never a little early.
TEST_CASE("overheads: of a drive that scatters by nothing they are told finer than by 12 us") {
  constexpr double kSectorsOfBus = 6;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    plain::Shape shape = plain::small_shape();
    shape.zones.resize(1);
    shape.positioning_us = shape.host_us = shape.wobble_ppm = shape.slow_share = 0;
    shape.overhead_ms = 0;
    shape.bus_ms = kSectorsOfBus * 1e-6 * shape.period_ns / shape.zones[0].sectors;
    plain::Disk disk(shape, seed);
    plain::Run run(disk, seed);
    Context& context = run.context;
    measure_same_track(context, false, false, 0.003);
    const model::Parameter found = Estimates(context.samples, &run.map, context.rotation)
                                       .of<Figure::same_track>()
                                       .of(false, false);
    REQUIRE(found);
    CAPTURE(seed, *found.value, *found.error, shape.bus_ms);
    CHECK(std::abs(*found.value - shape.bus_ms) < 0.007);
    CHECK(std::abs(*found.value - shape.bus_ms) < 2.5 * *found.error);
  }
}

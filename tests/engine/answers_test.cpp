// Nothing about the engine's answers changes unnoticed: random drives with every policy, random
// requests, and a digest of each completion, to the nanosecond. What the answers should be is for
// the other tests to say; here they only have to stay. A change on purpose brings new digests with
// it: a failed check shows them. They hold for every machine whose compiler does not contract
// floating point (the tables are compiled with it; serving has none but the queue's ageing).

#include <array>

#include "catch.h"
#include "engine/engine.h"
#include "engine/random_layout.h"
#include "engine/small_drive.h"
#include "engine/tables.h"

using namespace platter;
using namespace platter::engine;
using testing::uniform;
using testing::value;

namespace {

using Random = std::mt19937_64;

bool chance(Random& random, std::uint32_t one_in = 2) { return random() % one_in == 0; }

model::Parameter flag(Random& random) { return value(chance(random) ? 1 : 0); }

// 0 to `most` us in whole us, so that the tables hold it exactly.
model::Parameter time_us(Random& random, std::uint32_t most) {
  return value(uniform(random, 0, most) * 1e-3);
}

model::Cache random_cache(Random& random) {
  model::Cache cache;
  if (chance(random, 8)) return cache;
  cache.read_enabled = value(chance(random, 6) ? 0 : 1);
  cache.segments = value(uniform(random, 1, 6));
  cache.segment_blocks = value(uniform(random, 4, 120));
  cache.write_back_level = value(uniform(random, 0, 2));
  cache.read_ahead = value(uniform(random, 0, 4));
  if (chance(random)) cache.read_ahead_min_blocks = value(uniform(random, 0, 40));
  if (chance(random)) cache.read_ahead_max_blocks = value(uniform(random, 0, 90));
  cache.read_ahead_over_requested = value(double(uniform(random, 0, 2)) - 1);
  for (model::Parameter* policy :
       {&cache.separate_write_segment, &cache.read_ahead_on_hit, &cache.read_free_blocks,
        &cache.zero_latency_read, &cache.zero_latency_write, &cache.read_hit_on_written,
        &cache.combine_sequential_writes, &cache.stop_read_ahead_in_sector,
        &cache.almost_read_hits})
    *policy = flag(random);
  cache.discards_after_transfer = value(chance(random, 6) ? 1 : 0);
  return cache;
}

// Policies that DiskSim lacks.
void random_policies_beyond(Random& random, model::Cache& cache) {
  if (chance(random, 3)) cache.segments = value(uniform(random, 30, 90));
  cache.replacement = value(uniform(random, 0, 2));
  if (chance(random))
    cache.write_segments =
        value(uniform(random, 1, static_cast<std::uint32_t>(cache.segments.value.value_or(1))));
  if (chance(random, 3)) cache.buffer_blocks = value(uniform(random, 20, 400));
  if (chance(random, 4)) cache.adaptive_min_segments = value(uniform(random, 1, 4));
  if (chance(random, 3)) cache.read_ahead_ceiling_blocks = value(uniform(random, 1, 60));
  if (chance(random, 3)) cache.read_ahead_longest_request_blocks = value(uniform(random, 1, 30));
  cache.read_ahead_by_request = value(chance(random, 4) ? 1 : 0);
  cache.read_ahead_after_sequential = value(chance(random, 3) ? 1 : 0);
  cache.read_ahead_abort = value(chance(random, 3) ? 0 : 1);
  cache.destage_behind = value(chance(random, 4) ? 0 : 1);
  cache.destage_idle = time_us(random, 30'000);
  for (model::Parameter* policy : {&cache.read_ahead_resumes, &cache.write_hit_stops_read_ahead,
                                   &cache.destage_order, &cache.destage_in_passing})
    *policy = flag(random);
}

// Those of drives of today.
void random_streams(Random& random, model::Cache& cache) {
  random_policies_beyond(random, cache);
  if (chance(random)) cache.read_ahead_streams = value(uniform(random, 0, 16));
  cache.read_ahead_fixed_end = flag(random);
  cache.segments_grow = flag(random);
}

void no_others(Random&, model::Cache&) {}

void random_overheads(Random& random, model::Overheads& o) {
  for (model::Parameter* time : {&o.read_hit_after_read,
                                 &o.read_hit_after_write,
                                 &o.read_miss_after_read,
                                 &o.read_miss_after_write,
                                 &o.write_hit_after_read,
                                 &o.write_hit_after_write,
                                 &o.write_miss_after_read,
                                 &o.write_miss_after_write,
                                 &o.per_request,
                                 &o.read_completion,
                                 &o.write_completion,
                                 &o.data_preparation,
                                 &o.first_reselect,
                                 &o.other_reselect,
                                 &o.read_disconnect_after_read,
                                 &o.read_disconnect_after_write,
                                 &o.write_disconnect,
                                 &o.extra_disconnect_command,
                                 &o.extra_disconnect_first,
                                 &o.extra_disconnect_inter,
                                 &o.extra_disconnect_second,
                                 &o.extra_disconnect_seek_delta})
    if (!chance(random, 5)) *time = time_us(random, 900);
  if (chance(random, 3)) o.minimum_seek_delay = time_us(random, 1500);
  o.extra_write_disconnect = value(chance(random, 3) ? 1 : 0);
}

model::DriveModel random_drive(Random& random) {
  model::DriveModel drive = testing::small_drive();
  drive.layout = testing::random_layout(random);
  drive.rotation.denominator = uniform(random, 1, 50000);
  drive.rotation.numerator_ns = drive.rotation.denominator * uniform(random, 3'000'000, 12'000'000);
  drive.rotation.numerator_ns += random() % drive.rotation.denominator;
  drive.seek.points = {{1, 0.75, {}, 0}, {5, 1.5, {}, 0}, {40, 4.25, {}, 0}, {90, 6.5, {}, 0}};
  drive.head_switch = time_us(random, 1200);
  drive.write_settle = value(double(uniform(random, 0, 800)) * 1e-3 - 0.2);
  drive.cache = random_cache(random);
  random_overheads(random, drive.overheads);
  drive.bus.block_transfer = time_us(random, 200);
  if (chance(random)) drive.bus.write_block_transfer = time_us(random, 200);
  if (chance(random)) drive.bus.high_read_watermark = value(uniform(random, 0, 8) / 8.0);
  drive.bus.watermark_by_request_size = flag(random);
  if (chance(random)) {
    const std::uint64_t blocks = LayoutMap(drive.layout).blocks();
    drive.validity = {blocks / 8, blocks - blocks / 8 - 1, 2, 20, 3, true, chance(random), {}, ""};
  }
  return drive;
}

// Sequential runs, near misses and far requests, as a cache sees them.
Request random_request(Random& random, std::uint64_t blocks, std::uint64_t& next) {
  Request request;
  request.blocks = uniform(random, 1, chance(random, 8) ? 150 : 24);
  if (request.blocks > blocks) request.blocks = 1;
  const std::uint64_t room = blocks - request.blocks;
  switch (uniform(random, 0, 5)) {
    case 0:
    case 1:
    case 2:
      request.lbn = next;
      break;
    case 3:
      request.lbn = next + uniform(random, 0, 40);
      break;
    case 4:
      request.lbn = next - std::min<std::uint64_t>(next, uniform(random, 0, 60));
      break;
    default:
      request.lbn = random() % (room + 1);
  }
  request.lbn = std::min(request.lbn, room);
  request.write = chance(random, 3);
  request.force_unit_access = chance(random, 12);
  if (chance(random, 4))
    request.disturbance = {Nanoseconds(random() % 200'000) - 100'000,
                           chance(random) ? Nanoseconds(random() % 900'000) : 0,
                           Nanoseconds(random() % 3'000'000) - 1'500'000};
  request.tag = static_cast<std::uint32_t>(random());
  next = request.lbn + request.blocks;
  return request;
}

// FNV-1a over 64-bit words.
class Digest {
 public:
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3ull; }
  void add(const Completion& done) {
    add(done.tag);
    add(static_cast<std::uint64_t>(done.arrival_ns));
    add(static_cast<std::uint64_t>(done.completion_ns));
    add(done.media_access + 2u * done.cache_hit + 4u * done.outside_validity);
  }
  std::uint64_t value() const { return hash_ ^ (hash_ >> 29); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

Nanoseconds pause(Random& random) {
  switch (uniform(random, 0, 3)) {
    case 0:
      return 0;
    case 1:
      return static_cast<Nanoseconds>(random() % 2'000'000);
    case 2:
      return static_cast<Nanoseconds>(random() % 15'000'000);
    default:
      return static_cast<Nanoseconds>(random() % 80'000'000);
  }
}

// One request after the other, with what else a host does to a drive in between.
void serve_one_by_one(Random& random, Engine& engine, Digest& digest) {
  Nanoseconds now = static_cast<Nanoseconds>(random() % 1'000'000'000);
  engine.reset(now);
  std::uint64_t next = random() % engine.blocks();
  for (int i = 0; i < 60; ++i) {
    now += pause(random);
    switch (uniform(random, 0, 24)) {
      case 0:
        digest.add(static_cast<std::uint64_t>(engine.synchronize(now)));
        break;
      case 1:
        digest.add(static_cast<std::uint64_t>(
            engine.seek(random() % engine.blocks(), now, {0, 0, 12345})));
        break;
      case 2:
        engine.set_cache({!chance(random, 4), !chance(random, 4), !chance(random, 4)}, now);
        break;
      default: {
        const Completion done = engine.service(random_request(random, engine.blocks(), next), now);
        digest.add(done);
        if (!chance(random, 3)) now = std::max(now, done.completion_ns);
      }
    }
  }
  digest.add(engine.outside_validity());
}

// Several outstanding, some arriving late, in the order of a scheduler.
void serve_queued(Random& random, Engine& engine, Digest& digest) {
  engine.set_queue({static_cast<Scheduler>(random() % 5),
                    chance(random) ? uniform(random, 1, 12) : 0, chance(random) ? 0 : 0.25});
  Nanoseconds now = 0;
  std::uint64_t next = random() % engine.blocks();
  for (int i = 0; i < 60; ++i) {
    if (chance(random, 3)) now += pause(random);
    const Nanoseconds late = chance(random, 4) ? static_cast<Nanoseconds>(random() % 300'000) : 0;
    const Nanoseconds arrival = std::max<Nanoseconds>(0, now - late);
    digest.add(engine.submit(random_request(random, engine.blocks(), next), arrival));
    if (chance(random, 3)) engine.advance(now);
    if (const auto due = engine.next_completion_time(); due && *due <= now)
      digest.add(*engine.next_completion());
    digest.add(engine.outstanding());
  }
  while (const auto done = engine.next_completion()) digest.add(*done);
  digest.add(engine.late_arrivals());
}

using Policies = void(Random& random, model::Cache& cache);

template <typename Serve>
std::uint64_t digest_of(std::uint64_t seed, Serve serve, Policies* policies) {
  Digest digest;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Random random(seed * 1000 + i);
    model::DriveModel drive = random_drive(random);
    policies(random, drive.cache);
    Engine engine(drive);
    serve(random, engine, digest);
  }
  return digest.value();
}

template <std::size_t N, typename Serve>
void check(const std::array<std::uint64_t, N>& expected, Serve serve,
           Policies* policies = no_others) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::uint64_t got = digest_of(i + 1, serve, policies);
    INFO("drives of seed " << i + 1 << ": 0x" << std::hex << got);
    CHECK(got == expected[i]);
  }
}

}  // namespace

TEST_CASE("served one by one, 1000 random drives answer as they always did") {
  check(std::array<std::uint64_t, 10>{0xef89711f89fde03d, 0x532029bd83e58e51, 0xf92b219b39b28a0e,
                                      0xdb40c1ac28be834a, 0x7446023edc6d22ac, 0xaf65fc1ab46c068,
                                      0xebc118f0dd959c59, 0xf31f62a4c4e98c16, 0x100db1d393f5f7db,
                                      0xe3335d5386f434b6},
        serve_one_by_one);
}

TEST_CASE("served from a queue, 600 random drives answer as they always did") {
  check(std::array<std::uint64_t, 6>{0x69a4ddae3d990712, 0x8cc526b10998257, 0x14e70fec92cf2b18,
                                     0x40de2c886eb08ac7, 0xefea05aa7511edf4, 0x41655e1ed4693a5e},
        serve_queued);
}

TEST_CASE("with policies that DiskSim lacks, 800 random drives answer as they always did") {
  check(std::array<std::uint64_t, 4>{0x5bc325ad6583e320, 0x4098222b47bc3411, 0x19e6ef482894762f,
                                     0x6f360c4b9e0f0e76},
        serve_one_by_one, random_policies_beyond);
  check(std::array<std::uint64_t, 4>{0x781fc5cc37574ffb, 0xfc769ca53188e1a, 0x5837cd114574a059,
                                     0x83f62b86e0741426},
        serve_queued, random_policies_beyond);
}

TEST_CASE("with caches of today, 800 random drives answer as they always did") {
  check(std::array<std::uint64_t, 4>{0xa67319356a30f035, 0xd712bd559cff17e7, 0x9cda459834651fe4,
                                     0xb9784a44e04da25a},
        serve_one_by_one, random_streams);
  check(std::array<std::uint64_t, 4>{0x1d847065bb021ba9, 0x9ffbf7af9644db36, 0xd6347d7dedb0b851,
                                     0x7909204903610603},
        serve_queued, random_streams);
}

// Caches whose facts are known are recovered from their response times alone.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>

#include "cache_probe/cache_probe.h"
#include "cache_probe/kept.h"
#include "catch.h"
#include "engine/tables.h"
#include "model/error.h"
#include "model/known.h"
#include "model/stand_ins.h"
#include "model/validate.h"
#include "simple_drive.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::cache_probe;
using namespace platter::cache_probe::testing;
using model::ReadAhead;

namespace {

struct Run {
  Record record;
  Findings findings;
  double drive_seconds = 0;
};

Run probe(scsi::Device& device, const engine::LayoutMap& map, const model::Rotation& rotation,
          bool writes, std::uint64_t seed, Nanoseconds budget_ns) {
  Options options;
  if (writes) options.writable = {{0, map.blocks() / 2}};
  scsi::Permission permission;
  permission.writes = options.writable;
  scsi::Guard guard(device, permission);
  scsi::Drive drive(guard, "simple drive");
  drive.identify();
  mtbrc::Context context(drive, seed);
  context.map = &map;
  context.rotation = rotation;
  context.budget.drive_time_ns = budget_ns;
  const Nanoseconds begin = drive.now_ns();
  Record record;
  Findings findings = probe_cache(context, record, options);
  Run run{std::move(record), std::move(findings), 0};
  run.drive_seconds = static_cast<double>(drive.now_ns() - begin) * 1e-9;
  return run;
}

Run probe(const DriveFacts& facts, bool writes, std::uint64_t seed = 1, Nanoseconds budget_ns = 0) {
  SimpleDrive device(facts, seed);
  model::Rotation rotation;
  rotation.numerator_ns = static_cast<std::uint64_t>(60e12 / facts.rpm);
  rotation.denominator = 1000;
  return probe(device, engine::LayoutMap(layout_of(facts)), rotation, writes, seed, budget_ns);
}

Run probe(const virtual_drive::CatalogueEntry& entry, std::uint64_t seed) {
  model::DriveModel truth = virtual_drive::catalogue_model(entry);
  if (truth.imperfections) truth.imperfections->seed += 7919 * (seed - 1);
  virtual_drive::VirtualDevice device(truth);
  return probe(device, device.layout(), truth.rotation, true, seed, 0);
}

double value(const model::Parameter& parameter) {
  INFO(parameter.reason);
  REQUIRE(parameter.value);
  return *parameter.value;
}

// What must come out of any cache that keeps what it sends.
void check_read_facts(const DriveFacts& facts, const model::Cache& found) {
  const CacheFacts& c = facts.cache;
  CHECK(value(found.read_enabled) == 1);
  CHECK(value(found.discards_after_transfer) == 0);
  CHECK(value(found.segments) == c.segments);
  CHECK(value(found.read_ahead) == static_cast<double>(c.read_ahead));
  CHECK(value(found.read_free_blocks) == c.free_blocks);
  // An arm that goes back to what was broken off is nowhere that one knew.
  if (!c.resumes || found.zero_latency_read)
    CHECK(value(found.zero_latency_read) == c.zero_latency);
  CHECK(value(found.segment_blocks) == c.segment_blocks);
}

}  // namespace

TEST_CASE("the facts of a plain cache") {
  const auto run = probe({}, false);
  const model::Cache& c = run.findings.estimate.cache;
  check_read_facts({}, c);
  CHECK(value(c.read_ahead_max_blocks) == 0);  // ends when the segment is full
  CHECK(value(c.read_ahead_over_requested) == 0);
  CHECK(value(c.read_ahead_on_hit) == 0);
  CHECK(run.findings.estimate.notes.empty());
  CHECK(run.drive_seconds < 20);
  for (const model::Parameter* p :
       {&c.write_segments, &c.zero_latency_write, &c.write_back_level}) {
    CHECK_FALSE(p->value);
    CHECK(p->reason.find("--allow-writes") != std::string::npos);
  }
}

TEST_CASE("a drive without a read cache") {
  DriveFacts facts;
  facts.cache.reads = false;
  const auto run = probe(facts, true);
  const model::Cache& c = run.findings.estimate.cache;
  CHECK(value(c.read_enabled) == 0);
  CHECK(value(c.read_ahead) == 0);
  CHECK_FALSE(c.segments.value);
  CHECK_FALSE(c.segments.reason.empty());
  CHECK(value(c.write_back_level) == 0);
  CHECK(value(c.zero_latency_read) == 0);
}

TEST_CASE("writes that wait are in the model of a drive that does not cache reads") {
  DriveFacts facts;
  facts.cache.reads = false;
  facts.cache.write_back = 2;
  facts.cache.write_segments = 3;
  const model::Cache c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_back_level) == 2);
  CHECK(model::acting(c, c.segments) >= value(c.write_segments));
  CHECK(model::acting(c, c.segment_blocks) > 0);
  CHECK_FALSE(c.segments.error);  // not measured
  CHECK(engine::compile_cache(c).segment_blocks > 0);
}

TEST_CASE("no read-ahead") {
  DriveFacts facts;
  facts.cache.read_ahead = ReadAhead::none;
  const auto run = probe(facts, false);
  check_read_facts(facts, run.findings.estimate.cache);
  CHECK_FALSE(run.findings.estimate.cache.read_ahead_max_blocks.value);
}

TEST_CASE("where read-ahead ends") {
  DriveFacts facts;
  facts.cache.segment_blocks = 700;
  for (const auto kind : {ReadAhead::to_track_end, ReadAhead::to_cylinder_end,
                          ReadAhead::to_segment_full, ReadAhead::to_next_track_if_sequential}) {
    CAPTURE(static_cast<int>(kind));
    facts.cache.read_ahead = kind;
    check_read_facts(facts, probe(facts, false).findings.estimate.cache);
  }
}

TEST_CASE("a limit of read-ahead, and read-ahead over requested blocks") {
  DriveFacts facts;
  facts.cache.read_ahead_max = 100;
  auto c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_max_blocks) == 100);
  CHECK(value(c.read_ahead_over_requested) == 0);

  facts.cache.over_requested = true;
  c = probe(facts, false).findings.estimate.cache;
  check_read_facts(facts, c);
  CHECK(value(c.read_ahead_max_blocks) == 100);
  CHECK(value(c.read_ahead_over_requested) == 1);

  facts.cache.read_ahead_max = 0;
  c = probe(facts, false).findings.estimate.cache;
  check_read_facts(facts, c);
  CHECK(value(c.read_ahead_max_blocks) == facts.cache.segment_blocks);
  CHECK(value(c.read_ahead_over_requested) == 1);
}

TEST_CASE("read-ahead on a hit") {
  DriveFacts facts;
  facts.cache.on_hit = true;
  CHECK(value(probe(facts, false).findings.estimate.cache.read_ahead_on_hit) == 1);
}

TEST_CASE("a cache that drops what it has sent") {
  DriveFacts facts;
  facts.cache.discards = true;
  facts.cache.read_ahead_max = 300;
  const auto c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_enabled) == 1);
  CHECK(value(c.discards_after_transfer) == 1);
  CHECK(value(c.read_ahead_over_requested) == -1);
  CHECK(value(c.segments) == facts.cache.segments);
  // Read-ahead may end because the segment is full, or for another reason.
  CHECK_FALSE(c.segment_blocks);
  CHECK(c.segment_blocks.at_least == 256);
}

TEST_CASE("first in, first out") {
  DriveFacts facts;
  facts.cache.replacement = CacheFacts::Replacement::first_in_first_out;
  check_read_facts(facts, probe(facts, false).findings.estimate.cache);
}

TEST_CASE("random replacement: the number within its error, and a note") {
  DriveFacts facts;
  facts.cache.segments = 12;
  facts.cache.replacement = CacheFacts::Replacement::random;
  int right = 0;
  constexpr int kSeeds = 6;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const auto run = probe(facts, false, seed);
    const model::Parameter& segments = run.findings.estimate.cache.segments;
    CHECK(*segments.error < 6);
    right += std::abs(value(segments) - 12) <= 3 * *segments.error &&
             !run.findings.estimate.notes.empty();
  }
  CHECK(right >= kSeeds - 1);
}

TEST_CASE("writes: write-back, its segments, and what reads find of them") {
  DriveFacts facts;
  facts.cache.write_back = 2;
  facts.cache.write_segments = 5;
  auto c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_back_level) == 2);
  CHECK(std::abs(value(c.write_segments) - 5) <= 1 + 2 * *c.write_segments.error);
  CHECK(value(c.read_hit_on_written) == 1);
  CHECK(value(c.separate_write_segment) == 0);
  CHECK(value(c.combine_sequential_writes) == 1);
  CHECK(value(c.zero_latency_write) == 0);
  CHECK(value(c.segments) == facts.cache.segments);

  facts.cache.read_hit_on_written = false;
  facts.cache.combine_writes = false;
  facts.cache.zero_latency = true;
  c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.read_hit_on_written) == 0);
  CHECK(value(c.combine_sequential_writes) == 0);
  CHECK(value(c.zero_latency_write) == 1);

  facts.cache.writes_take_read_segments = false;
  c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.separate_write_segment) == 1);
  CHECK(value(c.segments) == facts.cache.segments + value(c.write_segments));
}

TEST_CASE("a written block that only updates what was read before is no hit on written data") {
  DriveFacts facts;
  facts.cache.segments = 24;
  facts.cache.write_back = 2;
  facts.cache.write_updates = true;
  facts.cache.read_hit_on_written = false;
  const auto c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_updates_segments) == 1);
  CHECK(value(c.read_hit_on_written) == 0);
}

TEST_CASE("what ends read-ahead, and what begins it") {
  DriveFacts facts;
  facts.cache.segment_blocks = 400;
  auto c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_abort) == 1);
  CHECK(value(c.read_ahead_min_blocks) == 0);
  CHECK(value(c.read_ahead_resumes) == 0);
  CHECK(value(c.read_ahead_after_sequential) == 0);

  facts.cache.read_ahead_min = 150;
  c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_abort) == 1);
  CHECK(value(c.read_ahead_min_blocks) == 150);

  facts.cache.read_ahead_min = 0;
  facts.cache.abort = false;
  c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_abort) == 0);

  facts.cache.abort = true;
  facts.cache.resumes = true;
  c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_abort) == 1);
  CHECK(value(c.read_ahead_resumes) == 1);

  facts.cache.resumes = false;
  facts.cache.after_sequential = true;
  c = probe(facts, false).findings.estimate.cache;
  check_read_facts(facts, c);
  CHECK(value(c.read_ahead_after_sequential) == 1);
}

TEST_CASE("read-ahead that goes farther than a segment holds") {
  DriveFacts facts;
  facts.cache.segment_blocks = 150;
  facts.cache.over_requested = true;
  for (const auto kind : {ReadAhead::to_track_end, ReadAhead::to_cylinder_end}) {
    CAPTURE(static_cast<int>(kind));
    facts.cache.read_ahead = kind;
    const auto c = probe(facts, false).findings.estimate.cache;
    CHECK(value(c.read_ahead) == static_cast<double>(kind));
    CHECK(value(c.segment_blocks) == 150);
    CHECK(value(c.segments) == facts.cache.segments);
  }
}

TEST_CASE("whose place new data take") {
  for (const auto replacement :
       {CacheFacts::Replacement::least_recently_used, CacheFacts::Replacement::first_in_first_out,
        CacheFacts::Replacement::random}) {
    DriveFacts facts;
    facts.cache.replacement = replacement;
    const auto c = probe(facts, false).findings.estimate.cache;
    CHECK(value(c.replacement) == static_cast<double>(replacement));
  }
}

TEST_CASE("what follows a stream on a drive whose segments follow the load") {
  for (const std::uint64_t seed : {1, 2, 5, 8, 11}) {
    CAPTURE(seed);
    const auto run = probe(*virtual_drive::find_in_catalogue("cache-adaptive"), seed);
    CHECK(value(run.findings.estimate.cache.read_ahead_on_hit) == 0);
    CHECK(value(run.findings.estimate.cache.replacement) == 0);
  }
}

TEST_CASE("segments that follow the load") {
  for (const std::uint32_t fewest : {1U, 2U, 5U}) {
    CAPTURE(fewest);
    DriveFacts facts;
    facts.cache.segments = 20;
    facts.cache.segment_blocks = 100;
    facts.cache.adaptive_min = fewest;
    const auto run = probe(facts, false, fewest);
    const auto& c = run.findings.estimate.cache;
    CHECK(value(c.segments) == 20);
    CHECK(value(c.segment_blocks) == 100);
    CHECK(std::abs(value(c.adaptive_min_segments) - fewest) <= *c.adaptive_min_segments.error);
    CHECK(*c.adaptive_min_segments.error <= fewest / 2.0);
    CHECK_FALSE(run.findings.estimate.notes.empty());
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    CHECK(value(probe({}, false, seed).findings.estimate.cache.adaptive_min_segments) == 0);
}

TEST_CASE("after how many requests the buffer is divided anew") {
  for (const char* name :
       {"cache-adaptive", "cache-adaptive-soon", "cache-adaptive-few", "cache-adaptive-wide"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      CAPTURE(name, seed);
      const auto& drive = *virtual_drive::find_in_catalogue(name);
      const auto run = probe(drive, seed);
      const model::Parameter& found = run.findings.estimate.cache.adaptive_window_requests;
      CHECK(value(found) ==
            value(virtual_drive::catalogue_model(drive).cache.adaptive_window_requests));
      CHECK(*found.error == 0);
      CHECK(found.samples >= 4);
      double seconds = 0;
      for (const auto& [question, spent] : spent_on(run.record))
        if (question == Question::load_changed || question == Question::divided)
          seconds += spent.seconds;
      CHECK(seconds < 1);
    }
}

TEST_CASE(
    "drives that look at the load otherwise than after windows of requests are not said to have "
    "one") {
  using Looked = CacheFacts::Looked;
  const auto window_of = [](Looked looked, std::uint32_t window, std::uint64_t seed,
                            double every_ms = 30) {
    DriveFacts facts;
    facts.cache.segments = 20;
    facts.cache.segment_blocks = 100;
    facts.cache.adaptive_min = 2;
    facts.cache.looked = looked;
    facts.cache.window = window;
    facts.cache.looked_ms = every_ms;
    facts.noise = {.slow_share = 0.01, .slow_ms = 1.0, .host_us = 12};
    const auto found = probe(facts, false, seed).findings.estimate.cache;
    if (looked != Looked::time) CHECK(value(found.adaptive_min_segments) > 0);
    return found.adaptive_window_requests;
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    for (const std::uint32_t window : {12U, 24U, 61U}) {
      CAPTURE(window);
      CHECK(value(window_of(Looked::window, window, seed)) == window);
      const auto each = window_of(Looked::each_read, window, seed);
      CHECK_FALSE(each);
      CHECK_THAT(each.reason, Catch::Contains("after the load has changed, whatever was before"));
    }
    for (const double every_ms : {3.0, 11.0, 30.0, 100.0}) {
      const auto by_time = window_of(Looked::time, 24, seed, every_ms);
      CAPTURE(every_ms, by_time.value.value_or(0));
      CHECK_FALSE(by_time);
      CHECK_FALSE(by_time.reason.empty());
    }
    const auto by_chance = window_of(Looked::now_and_then, 24, seed);
    CHECK_FALSE(by_chance);
    CHECK_THAT(by_chance.reason, Catch::Contains("at no fixed number of requests"));
  }
}

TEST_CASE(
    "written data: safe as taken or not, when they go to the media, what they leave of reads") {
  DriveFacts facts;
  facts.cache.write_back = 2;
  facts.cache.write_segments = 4;
  auto c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.written_persist) == 0);
  CHECK(value(c.synchronize) == Approx(facts.hit_ms).margin(0.02));
  CHECK(value(c.destage_behind) == 1);
  CHECK(value(c.destage_idle) <= *c.destage_idle.error);
  CHECK(value(c.write_updates_segments) == 0);

  facts.cache.destage_idle_ms = 70;
  facts.cache.write_updates = true;
  c = probe(facts, true).findings.estimate.cache;
  CHECK(std::abs(value(c.destage_idle) - 70) <= 1.96 * *c.destage_idle.error);
  CHECK(*c.destage_idle.error < 0.7);
  CHECK(value(c.write_segments) == 4);
  CHECK(value(c.write_updates_segments) == 1);

  facts.cache.persist = true;
  c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.written_persist) == 1);
  CHECK_FALSE(c.destage_idle.value);
}

TEST_CASE("large writes that still wait are not taken for a limit of what may wait") {
  DriveFacts facts;
  facts.cache.write_back = 2;
  facts.cache.segments = facts.cache.write_segments = 12;
  facts.cache.persist = true;  // nothing says when they are on the media
  const auto c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_segments) == 12);
  CHECK_FALSE(c.written_blocks);
}

TEST_CASE("a least read-ahead that pushes out what was asked for is no policy to do so") {
  DriveFacts facts;
  facts.cache.read_ahead_min = 128;
  auto c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_min_blocks) == 128);
  CHECK(value(c.read_ahead_over_requested) == 0);
  facts.cache.read_ahead_min = 0;
  facts.cache.over_requested = true;
  c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_over_requested) == 1);
}

TEST_CASE("what passes under the heads before a command comes is no least read-ahead") {
  DriveFacts facts;
  facts.sectors = 1500;  // 4 us each
  facts.cache.segment_blocks = 1000;
  facts.noise.host_us = 150;
  const auto c = probe(facts, false).findings.estimate.cache;
  CHECK(value(c.read_ahead_min_blocks) == 0);
  CHECK(value(c.read_ahead_abort) == 1);
}

TEST_CASE("writes are cached and the drive does not know SYNCHRONIZE CACHE") {
  DriveFacts facts;
  facts.cache.write_back = 2;
  facts.cache.write_segments = 4;
  facts.cache.knows_synchronize = false;
  auto c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_back_level) == 2);
  CHECK(value(c.written_persist) == 0);  // FUA waits
  CHECK(value(c.zero_latency_write) == 0);
  CHECK(value(c.segments) == facts.cache.segments);
  for (const model::Parameter* p : {&c.synchronize, &c.destage_idle}) {
    CHECK_FALSE(p->value);
    CHECK(p->reason.find("SYNCHRONIZE CACHE") != std::string::npos);
  }

  facts.cache.persist = true;  // nothing tells when data are on the media
  c = probe(facts, true).findings.estimate.cache;
  CHECK(value(c.write_back_level) == 2);
  CHECK_FALSE(c.written_persist.value);
  CHECK_FALSE(c.zero_latency_write.value);
}

TEST_CASE("random replacement is never taken for anything else") {
  int told = 0, right = 0;  // by chance a drive of few segments may keep what one that counts would
  for (const std::uint32_t segments : {3U, 5U, 8U}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(segments, seed);
      DriveFacts facts;
      facts.cache.segments = segments;
      facts.cache.replacement = CacheFacts::Replacement::random;
      const model::Cache found = probe(facts, false, seed).findings.estimate.cache;
      right += std::abs(value(found.segments) - segments) <= 4 * *found.segments.error;
      if (!found.replacement) continue;
      ++told;
      CHECK(value(found.replacement) == static_cast<double>(model::Replacement::random));
    }
  }
  CHECK(told >= 50);  // of 60
  CHECK(right >= 54);
}

TEST_CASE("what is not told of a cache has a reason") {
  const auto check = [](const model::Cache& c) {
    for (const model::Parameter* p :
         {&c.buffer_blocks, &c.destage_order, &c.destage_in_passing, &c.read_ahead_by_request,
          &c.read_ahead_ceiling_blocks, &c.read_ahead_longest_request_blocks})
      CHECK((p->value || !p->reason.empty()));
  };
  DriveFacts facts;
  check(probe(facts, false).findings.estimate.cache);
  check(probe(facts, true).findings.estimate.cache);
  facts.cache.read_hit_on_written = false;
  check(probe(facts, true).findings.estimate.cache);
  facts.cache.segments = 1;
  check(probe(facts, true).findings.estimate.cache);
  facts.cache.write_back = 2;
  check(probe(facts, true).findings.estimate.cache);
  CHECK(probe(facts, false).findings.estimate.cache.destage_order.reason.find("--allow-writes") !=
        std::string::npos);
  facts.cache.reads = false;
  CHECK(probe(facts, true).findings.estimate.cache.separate_write_segment.reason ==
        "reads are not cached");
}

TEST_CASE("noise does not flip a fact") {
  DriveFacts facts;
  facts.noise = {.slow_share = 0.01, .slow_ms = 1.0, .host_us = 12};
  facts.cache.read_ahead = ReadAhead::to_track_end;
  facts.cache.free_blocks = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    check_read_facts(facts, probe(facts, false, seed).findings.estimate.cache);
  }
}

TEST_CASE("a map whose angles are wrong is found out and does not mislead") {
  DriveFacts facts;
  facts.cache.segments = 5;
  model::Rotation rotation;
  rotation.numerator_ns = 6'000'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    model::Layout layout = layout_of(facts);
    layout.zones[0].angle_step_rev += 0.377 * static_cast<double>(seed);
    layout.zones[0].children[0].angle_step_rev += 0.291 * static_cast<double>(seed);
    SimpleDrive device(facts, seed);
    const auto run = probe(device, engine::LayoutMap(layout), rotation, false, seed, 0);
    CHECK_FALSE(run.record.setting.angles_trusted);
    const model::Cache& c = run.findings.estimate.cache;
    CHECK(value(c.segments) == facts.cache.segments);
    CHECK(value(c.segment_blocks) == facts.cache.segment_blocks);
    CHECK(value(c.read_ahead) == static_cast<double>(facts.cache.read_ahead));
    CHECK(value(c.read_free_blocks) == 0);
  }
}

TEST_CASE("random caches are recovered") {
  std::mt19937_64 random(20);
  const auto pick = [&](std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random() % (high - low + 1));
  };
  for (int i = 0; i < 100; ++i) {
    DriveFacts facts;
    facts.rpm = std::array{3600.0, 5400.0, 7200.0, 10000.0, 15000.0}[pick(0, 4)];
    facts.heads = pick(1, 16);
    facts.sectors = pick(60, 500);
    facts.cylinders = 24000 / facts.heads;
    facts.block_us = 60e6 / facts.rpm / facts.sectors * 0.4;
    CacheFacts& c = facts.cache;
    c.segments = pick(1, 32);
    c.segment_blocks = pick(64, 2048);
    c.replacement = static_cast<CacheFacts::Replacement>(pick(0, 1));
    c.read_ahead_min = pick(0, 1) == 1 ? pick(30, 60) : 0;
    c.resumes = pick(0, 3) == 0;
    c.read_ahead = static_cast<ReadAhead>(pick(0, 4));
    c.over_requested = pick(0, 1) == 1;
    // What read-ahead itself pushes out within a revolution or two nobody can probe.
    if (c.over_requested) c.segment_blocks = std::max(c.segment_blocks, 2 * facts.sectors);
    c.on_hit = pick(0, 1) == 1;
    c.free_blocks = pick(0, 1) == 1;
    c.zero_latency = pick(0, 1) == 1;
    facts.noise = {.slow_share = 0.01, .slow_ms = 1.0, .host_us = 12};
    // One head: the end of a track is the end of its cylinder.
    if (facts.heads == 1 && c.read_ahead == ReadAhead::to_cylinder_end)
      c.read_ahead = ReadAhead::to_track_end;
    CAPTURE(i, facts.rpm, facts.heads, facts.sectors, c.segments, c.segment_blocks,
            static_cast<int>(c.read_ahead), c.over_requested, c.on_hit);
    const auto found =
        probe(facts, false, 100 + static_cast<std::uint64_t>(i)).findings.estimate.cache;
    check_read_facts(facts, found);
    CHECK(found.adaptive_min_segments.value.value_or(0) == 0);
    if (found.replacement) CHECK(value(found.replacement) == static_cast<double>(c.replacement));
    if (found.read_ahead_min_blocks) CHECK(value(found.read_ahead_min_blocks) == c.read_ahead_min);
  }
}

TEST_CASE("estimating a kept record again gives the same") {
  const auto run = probe({}, true);
  const Estimate again = estimate_cache(kept_and_read(run.record));
  const model::Cache &a = again.cache, &b = run.findings.estimate.cache;
  CHECK(a.segments.value == b.segments.value);
  CHECK(a.segment_blocks.value == b.segment_blocks.value);
  CHECK(a.read_ahead_max_blocks.value == b.read_ahead_max_blocks.value);
  CHECK(a.write_back_level.value == b.write_back_level.value);
  CHECK(a.zero_latency_read.value == b.zero_latency_read.value);
}

TEST_CASE("a budget that ends early leaves reasons, not guesses") {
  const auto run = probe({}, false, 1, 2 * kSecond);
  CHECK(run.drive_seconds < 3);
  const model::Cache& c = run.findings.estimate.cache;
  CHECK(value(c.read_enabled) == 1);
  CHECK_FALSE(c.zero_latency_read.value);
  CHECK(c.zero_latency_read.reason.find("budget") != std::string::npos);
}

namespace {

// Half of DIXtrac's time on the same drive (its table 1), or 12 s.
double most_seconds(std::string_view drive) {
  return drive == "quantum-atlas10k" ? 6.3 : drive == "ibm-ultrastar18es" ? 13 : 12;
}

// What is told must be so, within its error, its bounds or by a guess; and it must be told, or not
// be for that reason.
void check_told(const model::Parameter& found, const model::Parameter& is,
                const char* unless = nullptr) {
  if (!is) return;
  if (found) {
    CHECK(std::abs(*found.value - *is.value) <= found.error.value_or(0) + 1e-9);
  } else if (model::known(found) != model::Known::unknown) {
    CAPTURE(found.reason);
    CHECK(model::is_within_bounds(found, *is.value));
    CHECK((found.guesses.empty() || found.guesses.front().value == *is.value));
  } else {
    CAPTURE(found.reason);
    CHECK(unless != nullptr);
    if (unless) CHECK_THAT(found.reason, Catch::Contains(unless));
  }
}

void check_discrete(const model::Cache& found, model::DriveModel drive) {
  const model::Cache is = drive.cache;
  drive.cache = found;
  CHECK_NOTHROW(model::validate(drive, "what was found"));
  CHECK(value(found.read_enabled) == value(is.read_enabled));
  CHECK((value(found.write_back_level) > 0) == (value(is.write_back_level) > 0));
  CHECK((found.adaptive_min_segments.value.value_or(0) > 0) ==
        (is.adaptive_min_segments.value.value_or(0) > 0));
  if (found.read_enabled.value.value_or(0) == 0) return;
  check_told(found.segments, is.segments);
  check_told(found.segment_blocks, is.segment_blocks);
  check_told(found.adaptive_min_segments, is.adaptive_min_segments);
  check_told(found.adaptive_window_requests, is.adaptive_window_requests);
  CHECK(value(found.read_ahead) == value(is.read_ahead));
  check_told(found.read_free_blocks, is.read_free_blocks);
  check_told(found.read_hit_on_written, is.read_hit_on_written);
  check_told(found.separate_write_segment, is.separate_write_segment,
             "number of read segments is not known");
  check_told(found.zero_latency_read, is.zero_latency_read,
             "the bus is about as slow as the media");
  check_told(found.zero_latency_write, is.zero_latency_write,
             "the bus is about as slow as the media");
  check_told(found.combine_sequential_writes, is.combine_sequential_writes,
             "isolated writes are not cached");
  check_told(found.read_ahead_on_hit, is.read_ahead_on_hit, "there is no read-ahead");
  check_told(found.destage_idle, is.destage_idle);
  check_told(found.written_blocks, is.written_blocks);
  check_told(found.read_ahead_max_blocks, is.read_ahead_max_blocks, "there is no read-ahead");
  check_told(found.buffer_blocks, is.buffer_blocks);
  // Elsewhere one write waits at a time, whatever the number.
  if (found.destage_behind.value.value_or(0) == 1 ||
      is.separate_write_segment.value.value_or(0) == 1)
    check_told(found.write_segments, is.write_segments);
  const auto told_or_usual = [](const model::Parameter& told, const model::Parameter& truth,
                                double usual) {
    if (told) CHECK(*told.value == truth.value.value_or(usual));
  };
  told_or_usual(found.discards_after_transfer, is.discards_after_transfer, 0);
  told_or_usual(found.replacement, is.replacement, 0);
  told_or_usual(found.read_ahead_after_sequential, is.read_ahead_after_sequential, 0);
  told_or_usual(found.read_ahead_abort, is.read_ahead_abort, 1);
  told_or_usual(found.read_ahead_resumes, is.read_ahead_resumes, 0);
  told_or_usual(found.read_ahead_min_blocks, is.read_ahead_min_blocks, 0);
  // Elsewhere another end of read-ahead comes first.
  if (value(is.read_ahead) == static_cast<double>(ReadAhead::to_segment_full) &&
      is.read_ahead_max_blocks.value.value_or(0) == 0)
    told_or_usual(found.read_ahead_over_requested, is.read_ahead_over_requested, 0);
  told_or_usual(found.write_updates_segments, is.write_updates_segments, 0);
  told_or_usual(found.written_persist, is.written_persist, 0);
}

bool has_cache_of_interest(const virtual_drive::CatalogueEntry& entry) {
  return entry.name.starts_with("cache-") ||
         std::ranges::any_of(virtual_drive::validated_drives(),
                             [&](const auto& other) { return other.name == entry.name; });
}

}  // namespace

TEST_CASE("the catalogue's caches, with their imperfections, in half of DIXtrac's time") {
  for (const auto& entry : virtual_drive::catalogue()) {
    if (!has_cache_of_interest(entry)) continue;
    CAPTURE(entry.name);
    const auto run = probe(entry, 1);
    CHECK(run.drive_seconds < most_seconds(entry.name));
    check_discrete(run.findings.estimate.cache, virtual_drive::catalogue_model(entry));
    // Its bus hides how it reads, and not how it writes.
    if (entry.name == "quantum-atlas10k") {
      const model::Cache& cache = run.findings.estimate.cache;
      CHECK(value(cache.zero_latency_write) == 1);
      const auto fsw = std::ranges::find(cache.freedoms, "FSW", &model::CacheFreedom::field);
      REQUIRE(fsw != cache.freedoms.end());
      INFO(fsw->because);
      CHECK(fsw->effect == "seen");
    }
  }
}

namespace {

// One buffer, of which each stream takes what it needs.
auto probe_of_today(const std::function<void(model::Cache&)>& change) {
  model::DriveModel truth =
      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("cache-base"));
  const auto told = [](double number) {
    model::Parameter parameter;
    parameter.value = number;
    return parameter;
  };
  truth.cache.segments = truth.cache.write_segments = told(48);
  truth.cache.segment_blocks = told(4096);
  truth.cache.buffer_blocks = told(8192);
  truth.cache.read_ahead_max_blocks = told(160);
  change(truth.cache);
  virtual_drive::VirtualDevice device(truth);
  return probe(device, device.layout(), truth.rotation, false, 1, 0);
}

model::Cache found_of_today(const std::function<void(model::Cache&)>& change) {
  return probe_of_today(change).findings.estimate.cache;
}

}  // namespace

TEST_CASE("where full segments would be far more than a buffer, few are filled first") {
  const auto run = probe_of_today([](model::Cache& c) {
    c.segments.value = c.write_segments.value = 256;
    c.read_ahead_max_blocks.value = 16;
    c.read_ahead_on_hit.value = 1;
    c.segments_grow.value = 0;
  });
  CAPTURE(run.drive_seconds);
  CHECK(run.drive_seconds < 70);
  const model::Cache& found = run.findings.estimate.cache;
  REQUIRE(found.segments.value);
  CHECK(std::abs(*found.segments.value - 256) <= found.segments.error.value_or(0));
}

TEST_CASE("a common buffer whose segments grow, and streams that go on") {
  for (const double streams : {1, 5}) {
    CAPTURE(streams);
    const model::Cache found = found_of_today([&](model::Cache& c) {
      c.segments_grow.value = 1;
      c.read_ahead_on_hit.value = 1;
      c.read_ahead_streams.value = streams;
      c.read_ahead_resumes.value = streams > 1;
    });
    CHECK(value(found.read_ahead_max_blocks) == 160);
    CHECK(value(found.read_ahead_on_hit) == 1);
    CHECK(value(found.read_ahead_resumes) == (streams > 1));
    CHECK(value(found.read_ahead_streams) == streams);
    CHECK(value(found.read_ahead_fixed_end) == 0);
    CHECK(value(found.segments_grow) == 1);
    const double held =
        found.buffer_blocks.value.value_or(found.buffer_blocks.at_least.value_or(0));
    CHECK(std::abs(held - 8192) < 0.06 * 8192);
    CHECK(found.buffer_blocks.value.has_value() == (streams == 1));
  }
}

TEST_CASE("read-ahead whose end no hit moves: whether segments grow is not told") {
  const model::Cache found = found_of_today([](model::Cache& c) {
    c.read_ahead_on_hit.value = 0;
    c.read_ahead_fixed_end.value = 1;
  });
  CHECK(value(found.read_ahead_on_hit) == 0);
  CHECK(value(found.read_ahead_fixed_end) == 1);
  CHECK_FALSE(found.segments_grow);
}

TEST_CASE("segments of one buffer that keep their size") {
  const model::Cache found = found_of_today([](model::Cache& c) {
    c.read_ahead_on_hit.value = 1;
    c.segments_grow.value = 0;
  });
  CHECK(value(found.read_ahead_on_hit) == 1);
  CHECK((!found.segments_grow || *found.segments_grow.value == 0));
}

namespace {

struct ToldByPages {
  const char* why;
  model::Parameter model::Cache::*parameter;
  std::vector<std::uint64_t> seeds;
};

// With the same noise in every run.
Run probe_random_drive(model::DriveModel truth, std::uint64_t seed) {
  if (truth.imperfections) truth.imperfections->seed = seed;
  virtual_drive::VirtualDevice device(truth);
  return probe(device, device.layout(), truth.rotation, true, seed, 0);
}

// So that the error holds the truth.
bool is_so(const model::Parameter& found, double truth) {
  return std::abs(*found.value - truth) <= 1.96 * found.error.value_or(0) + 1e-9;
}

}  // namespace

TEST_CASE("blocks that cannot be read, wherever a test meets them, cost trials and not the cache") {
  model::DriveModel truth =
      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("cache-base"));
  std::mt19937_64 random(GENERATE(1, 2, 3));
  std::uniform_int_distribution<std::uint64_t> apart(1, 12000);
  for (std::uint64_t lbn = 0; (lbn += apart(random)) < truth.identity.blocks;)
    truth.imperfections->medium_errors.push_back(lbn);
  virtual_drive::VirtualDevice device(truth);
  const Run run = probe(device, device.layout(), truth.rotation, true, 1, 0);
  check_discrete(run.findings.estimate.cache, truth);
}

TEST_CASE("drives that nobody designed: what is told is so") {
  using C = model::Cache;
  const std::vector<ToldByPages> cases = {
      {"a segment set apart for writes where they leave nothing, where reads are replaced at "
       "random and "
       "where the newest read pushes itself out",
       &C::segments,
       {12, 25, 35, 54, 147, 162, 177, 338}},
      {"the same", &C::separate_write_segment, {12, 25, 35, 147, 162, 177, 338}},
      {"ends of tracks that are rare, or longer than others", &C::read_ahead, {9, 44, 188, 251}},
      {"what was read before is not taken for read-ahead", &C::read_ahead, {325}},
      {"the same", &C::read_ahead_resumes, {23, 123, 259}},
      {"the same", &C::read_free_blocks, {325, 386}},
      {"a way of more than three revolutions is no hit", &C::separate_write_segment, {96}},
      {"a first write that takes long does not wait", &C::combine_sequential_writes, {87, 208}},
      {"tracks with blocks elsewhere tell nothing of the order",
       &C::zero_latency_write,
       {195, 383}},
      {"the arm may come too late by a turn less than one", &C::read_free_blocks, {148}},
      {"tracks that take a revolution more", &C::read_ahead_max_blocks, {148}},
      {"the same", &C::segment_blocks, {148}},
      {"a size that is known badly does not make a drive adaptive",
       &C::adaptive_min_segments,
       {18, 136}},
      {"the end of the last segment's data was not found", &C::segment_blocks, {95}},
      {"cylinders and tracks of several lengths: read-ahead ends elsewhere at each place",
       &C::segment_blocks,
       {858, 940, 971}},
      {"the end of read-ahead is known no better than to a range", &C::segment_blocks, {245, 1059}},
      {"no hit tells how slow the bus is, which hides the order",
       &C::zero_latency_read,
       {1154, 1173, 1183}},
      {"what has no end that was found reads on to the next place", &C::segments, {820}},
      {"few segments, any of which may go, and the newest read pushes itself out",
       &C::segments,
       {871}},
  };
  std::map<std::uint64_t, model::Cache> found;
  for (const ToldByPages& told : cases) {
    for (const std::uint64_t seed : told.seeds) {
      CAPTURE(told.why, seed);
      const model::DriveModel truth = virtual_drive::random_drive(seed);
      if (!found.contains(seed))
        found.emplace(seed, probe_random_drive(truth, seed + 1).findings.estimate.cache);
      const model::Parameter& parameter = found.at(seed).*told.parameter;
      CAPTURE(parameter.value.value_or(-1), parameter.error.value_or(-1), parameter.reason);
      const double is = (truth.cache.*told.parameter).value.value_or(0);
      if (parameter) CHECK(is_so(parameter, is));
    }
  }
  // These are told, too.
  for (const std::uint64_t seed : {12, 25, 147, 162}) {
    CAPTURE(seed);
    CHECK(value(found.at(seed).separate_write_segment) == 1);
  }
  CHECK(value(found.at(9).read_ahead) == 2);
}

TEST_CASE("read-ahead that ends with a track has no limit in blocks, however long tracks are") {
  for (const std::uint64_t seed : {30, 127, 187, 292, 293, 379}) {
    CAPTURE(seed);
    const model::DriveModel truth = virtual_drive::random_drive(seed);
    const auto run = probe_random_drive(truth, seed + 1);
    const model::Parameter& limit = run.findings.estimate.cache.read_ahead_max_blocks;
    if (limit) CHECK(*limit.value >= value(truth.cache.read_ahead_max_blocks));
  }
}

TEST_CASE("small drives: a zone that is too small for large requests, and for many places") {
  for (const std::uint64_t seed : {66, 121, 126, 130, 149, 155, 205}) {
    CAPTURE(seed);
    const model::DriveModel truth = virtual_drive::random_drive(seed);
    virtual_drive::VirtualDevice device(truth);
    CHECK(device.layout().blocks() < 600000);
    const auto run = probe(device, device.layout(), truth.rotation, true, seed + 1, 0);
    const model::Cache& found = run.findings.estimate.cache;
    CHECK(value(found.segments) == value(truth.cache.segments));
    CHECK(value(found.segment_blocks) == value(truth.cache.segment_blocks));
    CHECK(found.segment_blocks.samples > 0);  // not the page's
    check_told(found.read_ahead_max_blocks, truth.cache.read_ahead_max_blocks,
               seed == 66 ? "there is no read-ahead" : nullptr);
  }
}

TEST_CASE("a segment's size is told with an error smaller than itself, or not at all") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const model::DriveModel truth = virtual_drive::random_drive(seed);
    virtual_drive::VirtualDevice device(truth);
    if (device.layout().blocks() > 1000000) continue;
    const auto run = probe(device, device.layout(), truth.rotation, true, seed + 1, 0);
    const model::Parameter& size = run.findings.estimate.cache.segment_blocks;
    if (!size.value) continue;
    CAPTURE(size.method);
    CHECK(size.error.value_or(0) < *size.value / 2);
    CHECK(std::abs(*size.value - value(truth.cache.segment_blocks)) <=
          std::max(size.error.value_or(0), 0.002 * *size.value));
  }
}

TEST_CASE("how long data wait, and how many blocks of them: to a thousandth, and to a block") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const auto idle = probe(*virtual_drive::find_in_catalogue("cache-destage-idle"), seed);
    const model::Parameter& waits = idle.findings.estimate.cache.destage_idle;
    // A mixed workload shows a tenth of a millisecond. The drive counts from when it took the write
    // up.
    CHECK(value(waits) == Approx(50).margin(0.1));
    CHECK(*waits.error < 0.15);
    CHECK(std::abs(value(waits) - 50) < 3 * *waits.error);
    const auto burst = probe(*virtual_drive::find_in_catalogue("cache-write-burst"), seed);
    const model::Parameter& blocks = burst.findings.estimate.cache.written_blocks;
    CHECK(value(blocks) == 512);
    CHECK(*blocks.error == 0);
  }
}

TEST_CASE("order of reads, where segments are much shorter than a track") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const auto run = probe(*virtual_drive::find_in_catalogue("cache-adaptive-wide"), seed);
    CHECK(value(run.findings.estimate.cache.zero_latency_read) == 1);
    CHECK(value(run.findings.estimate.cache.zero_latency_write) == 1);
  }
}

TEST_CASE("order of writes, where the next command waits until all has been read ahead") {
  for (const std::uint64_t seed : {1, 15}) {
    CAPTURE(seed);
    const auto run = probe(*virtual_drive::find_in_catalogue("cache-no-abort"), seed);
    CHECK(value(run.findings.estimate.cache.zero_latency_write) == 1);
  }
}

TEST_CASE("a drive that takes no request larger than a segment is not called adaptive") {
  model::DriveModel truth =
      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("cache-base"));
  truth.firmware->scsi_level = "SPC-3";
  truth.firmware->most_transfer_blocks = 256;
  virtual_drive::VirtualDevice device(truth);
  const auto run = probe(device, device.layout(), truth.rotation, true, 1, 0);
  const model::Cache& cache = run.findings.estimate.cache;
  CHECK_FALSE(cache.adaptive_min_segments);
  check_told(cache.segments, truth.cache.segments);
  check_told(cache.segment_blocks, truth.cache.segment_blocks, "nothing larger was tried");
}

TEST_CASE("the same with twenty seeds, and where the drive's time goes", "[.][seeds]") {
  for (const auto& entry : virtual_drive::catalogue()) {
    if (!has_cache_of_interest(entry)) continue;
    CAPTURE(entry.name);
    double seconds = 0, most = 0;
    std::map<Question, double> spent;
    constexpr std::uint64_t kSeeds = 20;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      CAPTURE(seed);
      const auto run = probe(entry, seed);
      check_discrete(run.findings.estimate.cache, virtual_drive::catalogue_model(entry));
      seconds += run.drive_seconds / kSeeds;
      most = std::max(most, run.drive_seconds);
      for (const auto& [question, of] : spent_on(run.record))
        spent[question] += of.seconds / kSeeds;
    }
    CHECK(most < most_seconds(entry.name));
    std::vector<std::pair<double, Question>> dearest;
    for (const auto& [question, of] : spent) dearest.emplace_back(of, question);
    std::ranges::sort(dearest, std::greater<>());
    std::cout << entry.name << ": mean " << seconds << " s, at most " << most << " s;";
    for (std::size_t i = 0; i < std::min<std::size_t>(4, dearest.size()); ++i)
      std::cout << ' ' << name_of(dearest[i].second) << ' ' << dearest[i].first;
    std::cout << std::endl;
  }
}

// Verdicts, edges and fits: pure functions over samples.
#include <cmath>
#include <random>
#include <sstream>

#include "cache_probe/arrival_fit.h"
#include "cache_probe/edge.h"
#include "cache_probe/estimate.h"
#include "cache_probe/facts.h"
#include "cache_probe/kept.h"
#include "cache_probe/random_replacement.h"
#include "cache_probe/record.h"
#include "catch.h"
#include "model/error.h"

using namespace platter;
using namespace platter::cache_probe;

namespace {

constexpr double kPeriod_ns = 6e6;

Observation answered(Question question, std::int64_t x, bool fast) {
  Observation seen;
  seen.question = question;
  seen.x = x;
  seen.completed_ns = fast ? 300'000 : 4'800'000;
  seen.ahead_rev = 0.7;
  return seen;
}

Record record_with(Question question, std::initializer_list<std::pair<std::int64_t, int>> probes) {
  Record record;
  record.setting.period_ns = kPeriod_ns;
  record.setting.angles_trusted = true;
  for (int i = 0; i < 24; ++i)
    record.observations.push_back(answered(Question::miss_control, 0, false));
  for (const auto& [x, fast] : probes)
    record.observations.push_back(answered(question, x, fast != 0));
  return record;
}

Observation seen(Question question, double response_rev, double ahead_rev, bool write = false) {
  Observation one;
  one.question = question;
  one.write = write;
  one.completed_ns = static_cast<Nanoseconds>(response_rev * kPeriod_ns);
  one.ahead_rev = ahead_rev;
  return one;
}

// As many probes of the usual strength.
Tally tally(int fast, int slow, double strength = 4) {
  Tally all;
  for (int i = 0; i < fast; ++i) all.add(strength);
  for (int i = 0; i < slow; ++i) all.add(-strength);
  return all;
}

}  // namespace

TEST_CASE("a verdict needs more than one answered and bears an outlier") {
  CHECK(judge(tally(1, 0, Responses::kMostTold)).verdict == Verdict::open);
  CHECK(judge(tally(2, 0)).verdict == Verdict::hit);
  CHECK(judge(tally(0, 2)).verdict == Verdict::miss);
  CHECK(judge(tally(1, 1)).verdict == Verdict::open);
  CHECK(judge(tally(7, 1)).verdict == Verdict::hit);
  CHECK(judge(tally(1, 7)).verdict == Verdict::miss);
  CHECK(judge(tally(12, 12)).verdict == Verdict::mixed);
  CHECK(judge(tally(2, 0)).error < judge(tally(7, 1)).error);
}

TEST_CASE("where hits and misses are alike more probes are wanted") {
  CHECK(judge(tally(4, 0, 1)).verdict == Verdict::open);
  CHECK(judge(tally(8, 0, 1)).verdict == Verdict::hit);
  CHECK(judge(tally(0, 8, 1)).verdict == Verdict::miss);
}

TEST_CASE(
    "sequential verdicts are wrong less than once in a thousand with one outlier in a hundred") {
  std::mt19937_64 random(7);
  std::bernoulli_distribution outlier(0.01);
  for (const bool hit : {true, false}) {
    int wrong = 0, probes = 0;
    for (int i = 0; i < 5000; ++i) {
      Tally all;
      Verdict verdict = Verdict::open;
      while (verdict == Verdict::open) {
        all.add(hit != outlier(random) ? 4 : -4);
        verdict = judge(all).verdict;
      }
      wrong += verdict != (hit ? Verdict::hit : Verdict::miss);
      probes += static_cast<int>(all.all());
    }
    CHECK(wrong <= 5);
    CHECK(probes < 3 * 5000);
  }
}

TEST_CASE("hits and misses are told by the drive's own distributions") {
  // A slow controller: its hits take longer than a quarter of a revolution.
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 0.01);
  Record record;
  record.setting.period_ns = kPeriod_ns;
  record.setting.angles_trusted = true;
  for (int i = 0; i < 8; ++i) {
    record.observations.push_back(seen(Question::reread, 0.3 + noise(random), 0.95));
    record.observations.push_back(seen(Question::miss_control, 0.75 + noise(random), 0.7));
  }
  const Responses responses(record);
  CHECK(responses.hit_rev() == Approx(0.3).margin(0.01));
  CHECK(responses.late_rev() == Approx(0.05).margin(0.01));
  CHECK(responses.log_ratio(seen(Question::reach, 0.31, 0.7)) > 2);
  CHECK(responses.log_ratio(seen(Question::reach, 0.75, 0.7)) < -2);
  CHECK(responses.log_ratio(seen(Question::reach, 1.75, 0.7)) < -2);  // a revolution more
  CHECK(responses.log_ratio(seen(Question::reach, 3.75, 0.7)) < -1);  // a long way, a fast spindle
  CHECK(responses.log_ratio(seen(Question::reach, 0.52, 0.47)) < 0);
  // One that is neither says little.
  CHECK(std::abs(responses.log_ratio(seen(Question::reach, 1.3, 0.7))) < 1);
  for (const double response : {0.001, 0.3, 0.7, 0.75, 5.0})
    CHECK(std::abs(responses.log_ratio(seen(Question::reach, response, 0.7))) <=
          Responses::kMostTold);
}

TEST_CASE(
    "a write that waits for nothing is a hit although it takes six times as long as a read, also "
    "where some angles err") {
  Record record;
  record.setting.period_ns = kPeriod_ns;
  record.setting.angles_trusted = true;
  for (int i = 0; i < 12; ++i) {
    record.observations.push_back(seen(Question::reread, 0.009, 0.85));
    record.observations.push_back(seen(Question::miss_control, i < 3 ? 0.4 : 0.86, 0.85));
  }
  const Responses responses(record);
  CHECK(responses.log_ratio(seen(Question::write_isolated, 0.056, 0.85, true)) > 2);
  CHECK(responses.log_ratio(seen(Question::write_isolated, 0.86, 0.85, true)) < -2);
  CHECK(responses.log_ratio(seen(Question::reach, 0.056, 0.85)) < 1);
}

TEST_CASE("drive seconds are told per question") {
  Record record = record_with(Question::segments, {{1, 1}, {2, 0}});
  Nanoseconds now = 0;
  for (Observation& seen : record.observations) {
    seen.issued_ns = now + kSecond;
    seen.completed_ns += seen.issued_ns;
    now = seen.completed_ns;
  }
  const auto spent = spent_on(record);
  CHECK(spent.at(Question::segments).probes == 2);
  CHECK(spent.at(Question::segments).seconds == Approx(2.0051));
}

TEST_CASE("the edge is where hits end") {
  const auto sharp = record_with(
      Question::segments, {{1, 1}, {1, 1}, {8, 1}, {8, 1}, {9, 0}, {9, 0}, {16, 0}, {16, 0}});
  const auto edge = edge_of(sharp, Question::segments);
  REQUIRE(edge);
  CHECK(edge->last_hit == 8);
  CHECK(edge->first_miss == 9);
  CHECK_FALSE(edge->mixed);
  CHECK(edge->error() == 0);

  CHECK_FALSE(edge_of(sharp, Question::reach));
  CHECK_FALSE(edge_of(record_with(Question::reach, {{1, 0}, {1, 0}}), Question::reach));
  const auto open = edge_of(record_with(Question::reach, {{1, 1}, {1, 1}}), Question::reach);
  REQUIRE(open);
  CHECK_FALSE(open->first_miss);
}

TEST_CASE("an edge with hits and misses at the same number says so") {
  Record record = record_with(Question::segments, {{4, 1}, {4, 1}, {4, 1}, {12, 0}, {12, 0}});
  for (int i = 0; i < 12; ++i) {
    record.observations.push_back(answered(Question::segments, 8, true));
    record.observations.push_back(answered(Question::segments, 8, false));
  }
  const auto edge = edge_of(record, Question::segments);
  REQUIRE(edge);
  CHECK(edge->mixed);
  CHECK(edge->sure_hit == 4);
  CHECK(edge->sure_miss == 12);
  CHECK(edge->error() > 3);
}

TEST_CASE("random replacement is recognized by its shares") {
  std::mt19937_64 random(3);
  for (const int segments : {4, 16, 24}) {
    std::map<std::int64_t, Tally> tallies;
    for (const std::int64_t x : {1L, 2L, 4L, 8L, 16L, 32L, 64L}) {
      std::bernoulli_distribution kept(std::pow(1 - 1.0 / segments, static_cast<double>(x - 1)));
      for (int i = 0; i < 40; ++i) tallies[x].add(kept(random) ? 4.5 : -4.5);
    }
    Kept kept;
    kept.first_of = tallies;
    const auto fit = fit_random_replacement(kept);
    REQUIRE(fit);
    CHECK(std::abs(fit->segments - segments) <= 4 * std::max(0.5, fit->error));
    CHECK(fit->error < segments / 2.0);
    CHECK_FALSE(fit->bound);
  }
}

TEST_CASE("of more random segments than reads can tell only the least number is known") {
  Kept kept;
  for (int i = 0; i < 40; ++i) kept.first_of[32].add(4.5);
  const auto fit = fit_random_replacement(kept);
  REQUIRE(fit);
  CHECK(fit->bound);
}

TEST_CASE("access on arrival shows in whole-track responses") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.005);
  const double offset = 0.23, fixed = 0.3;
  const auto samples = [&](double blocks, double bus, bool arrival) {
    std::vector<ArrivalSample> all;
    for (int i = 0; i < 20; ++i) {
      const double phase = (i + 0.5) / 20;
      double latency = -phase - offset;
      latency -= std::floor(latency);
      double response = latency + std::max(blocks, bus);
      if (arrival && latency > 1 - blocks) response = std::max(1.0, latency + bus);
      all.push_back({phase, response + fixed + noise(random)});
    }
    all[3].response_rev += 0.6;  // an outlier
    return all;
  };
  using Answer = ArrivalFit::Answer;
  for (const double blocks : {1.0, 0.7, 0.4}) {
    CAPTURE(blocks);
    CHECK(fit_arrival(samples(blocks, 0.1 * blocks, true), blocks).answer == Answer::on_arrival);
    CHECK(fit_arrival(samples(blocks, 0.1 * blocks, false), blocks).answer == Answer::in_order);
  }
  CHECK(fit_arrival(samples(1.0, 0.5, true), 1.0).answer == Answer::on_arrival);
  CHECK(fit_arrival(samples(1.0, 4.0, true), 1.0).answer == Answer::hidden);
  CHECK(fit_arrival({}, 1.0).answer == Answer::unclear);

  std::uniform_real_distribution<double> anything(0, 3);
  std::vector<ArrivalSample> nonsense;
  for (int i = 0; i < 20; ++i) nonsense.push_back({i / 20.0, anything(random)});
  CHECK(fit_arrival(nonsense, 1.0).answer == Answer::unclear);
}

// Behind data that wait a write takes a time of its own: it looks like no miss of the controls.
TEST_CASE("a write that had to wait for others is none of the usual ones") {
  Record record = record_with(Question::reread, {});
  const auto write = [&](double response_rev, double ahead_rev) {
    record.observations.push_back(seen(Question::write_isolated, response_rev, ahead_rev, true));
    return write_waited(record, record.observations.back());
  };
  CHECK_FALSE(write(0.032, 0.55));
  CHECK(write(1.419, 0.85));
  CHECK(write(1.126, 0.85));
  CHECK(write(0.708, 0.81));
  CHECK_FALSE(write(0.032, 0.85));
  CHECK(usual_write_ns(record) == Approx(0.032 * kPeriod_ns));
}

TEST_CASE("runs of writes end at the first that waits") {
  Record record = record_with(Question::write_run, {});
  for (int run = 0; run < 5; ++run)
    for (int x = 1; x <= 4; ++x)
      record.observations.push_back(answered(Question::write_run, x, x < 4));
  const auto length = run_length(record, Question::write_run);
  REQUIRE(length);
  CHECK(length->median == 3);
  CHECK(length->runs == 5);
  CHECK_FALSE(length->bound);
}

namespace {

void add(Record& record, Question question, std::int64_t x, bool fast, int times = 1,
         std::uint32_t blocks = 1) {
  for (int i = 0; i < times; ++i) {
    record.observations.push_back(answered(question, x, fast));
    record.observations.back().blocks = blocks;
  }
}

// As many runs as lengths are given, each ended by a write that has to wait.
void add_runs(Record& record, Question question, std::initializer_list<int> lengths,
              std::uint32_t blocks = 1) {
  for (const int length : lengths)
    for (int x = 1; x <= length + 1; ++x) add(record, question, x, x <= length, 1, blocks);
}

}  // namespace

TEST_CASE("what is counted is whole, and its error covers both numbers beside a half") {
  Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  record.setting.writes_allowed = record.setting.complete = true;
  add(record, Question::write_isolated, 0, true, 4);
  add_runs(record, Question::write_run, {3, 4, 3, 4});
  add_runs(record, Question::write_run_large, {2, 2, 2}, 255);
  const auto cache = estimate_cache(record).cache;
  REQUIRE(cache.write_segments.value);
  CHECK(*cache.write_segments.value == std::round(*cache.write_segments.value));
  CHECK(std::abs(*cache.write_segments.value - 3) <= *cache.write_segments.error + 0.1);
  CHECK(std::abs(*cache.write_segments.value - 4) <= *cache.write_segments.error);
  REQUIRE(cache.written_blocks.value);
  CHECK(*cache.written_blocks.value == std::round(*cache.written_blocks.value));
  CHECK(std::abs(*cache.written_blocks.value - 2 * 255) <= *cache.written_blocks.error);
  CHECK(std::abs(*cache.written_blocks.value - 3 * 255) <= *cache.written_blocks.error);

  // Between 8, which is kept, and 10, which is not, nothing was tried: 8 or 9.
  add(record, Question::segments, 8, true, 4);
  add(record, Question::segments, 10, false, 4);
  const auto segments = segment_count(record);
  REQUIRE(segments);
  CHECK(segments->count == std::round(segments->count));
  CHECK(std::abs(segments->count - 8) <= segments->error);
  CHECK(std::abs(segments->count - 9) <= segments->error);
}

TEST_CASE("a cache whose tests found no place is not known, and a finding says so") {
  Record record = record_with(Question::miss_control, {});
  record.setting.writes_allowed = record.setting.complete = true;
  const auto estimate = estimate_cache(record);
  const model::Cache& cache = estimate.cache;
  CHECK_FALSE(cache.read_enabled);
  for (const model::Parameter* figure :
       {&cache.read_enabled, &cache.discards_after_transfer, &cache.segments, &cache.read_ahead,
        &cache.read_ahead_resumes, &cache.read_free_blocks, &cache.replacement})
    CHECK(figure->reason == "the map has no place where it could be asked");
  const auto* not_asked = &model::kind_of(model::Code::cache_not_asked);
  CHECK(std::ranges::count(estimate.notes, not_asked, &model::Noted::kind) == 1);
}

// DiskSim 4.0 on the published parameters of the Atlas 10K combines two writes, and the third waits
// until both are on the media.
TEST_CASE("one sequential write more than of scattered ones is combined if none was written yet") {
  const auto combines = [](double ahead_rev) {
    Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
    record.setting.writes_allowed = record.setting.complete = true;
    add(record, Question::write_isolated, 0, true, 4);
    add_runs(record, Question::write_run, {1, 1, 1});
    add_runs(record, Question::write_stream, {2, 2, 2});
    Nanoseconds now_ns = 0;
    for (Observation& seen : record.observations) {
      if (seen.question != Question::write_stream) continue;
      seen.ahead_rev = ahead_rev;
      seen.issued_ns += now_ns;
      now_ns = seen.completed_ns += now_ns;
    }
    return estimate_cache(record).cache.combine_sequential_writes.value;
  };
  CHECK(combines(0.85) == 1);
  CHECK(combines(0.15) == 0);  // the first may have made room for the second
}

TEST_CASE("more waiting writes than segments are told in the method") {
  Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  record.setting.writes_allowed = record.setting.complete = true;
  add(record, Question::segments, 4, true, 4);
  add(record, Question::segments, 5, false, 4);
  add(record, Question::write_isolated, 0, true, 4);
  add_runs(record, Question::write_run, {6, 6, 6});
  const auto cache = estimate_cache(record).cache;
  CHECK(cache.write_segments.value.value_or(0) == 4);
  CHECK(cache.write_segments.method.find("6 were taken") != std::string::npos);
}

TEST_CASE("a number of segments that the drive tells is a guess beside what was tried") {
  Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  record.setting.writes_allowed = record.setting.complete = true;
  record.setting.page.emplace().segments = 30;
  add(record, Question::segments, 20, true, 4);
  add(record, Question::write_isolated, 0, true, 4);
  const auto told = estimate_cache(record).cache;
  CHECK_FALSE(told.segments);
  CHECK(told.segments.at_least == 20);
  CHECK(told.segments.guesses == std::vector<model::Guess>{{30, std::nullopt, "mode page 08h"}});
  CHECK_FALSE(told.separate_write_segment);

  add(record, Question::segments, 21, false, 4);
  const auto counted = estimate_cache(record).cache;
  CHECK(counted.segments.value.value_or(0) == 20);
  REQUIRE(counted.segments.error);
  CHECK(1.96 * *counted.segments.error >= 1);  // one more may be set apart for writes
}

TEST_CASE("free blocks that are there now and then are told, with what two hits leave open") {
  const auto told = [](int hits, int misses) {
    Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
    record.setting.complete = true;
    add(record, Question::free_blocks, 0, false, misses);
    add(record, Question::free_blocks_near, 0, true, hits);
    const auto found = estimate_cache(record).cache.read_free_blocks;
    CHECK(found.value.value_or(0) == 1);
    return found.error.value_or(0);
  };
  CHECK(told(2, 8) > 0.01);
  CHECK(told(2, 8) < 0.5);
  CHECK(told(6, 2) < 0.001);
}

TEST_CASE("an end of read-ahead that has a block behind it is none") {
  for (const bool beyond : {false, true}) {
    Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
    record.setting.track_blocks = 100;
    record.setting.complete = true;
    add(record, Question::next_block, 0, true, 4);
    add(record, Question::cross_track, 0, true, 4);
    add(record, Question::cross_cylinder, 0, true, 4);
    add(record, Question::reach_end, 99, true, 4);
    add(record, Question::reach_end, 100, beyond, 4);
    const auto limit = estimate_cache(record).cache.read_ahead_max_blocks;
    CAPTURE(limit.reason);
    CHECK(limit.value.has_value() == !beyond);
    if (beyond) CHECK(limit.reason.find("goes on beyond") != std::string::npos);
  }
}

TEST_CASE("what is kept of many tells random replacement, its opposite, or neither yet") {
  const auto kept = [](const std::vector<int>& newest_first, int times) {
    Record record = record_with(Question::reread, {});
    for (int i = 0; i < times; ++i)
      for (std::size_t x = 1; x <= newest_first.size(); ++x) {
        record.observations.push_back(answered(Question::kept_of_many, static_cast<std::int64_t>(x),
                                               newest_first[x - 1] != 0));
        record.observations.back().nth = static_cast<std::uint32_t>(x - 1);
      }
    return replaced_at_random(record).verdict;
  };
  CHECK(kept({1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 8) == Verdict::miss);
  CHECK(kept({1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0}, 8) == Verdict::hit);
  CHECK(kept({1, 1, 0, 1, 0, 0}, 1) == Verdict::open);
}

TEST_CASE("hits and misses at the same number are not called adaptive") {
  Record record = record_with(Question::reread, {{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  record.setting.complete = true;
  add(record, Question::segments, 4, true, 3);
  for (int i = 0; i < 12; ++i) {
    add(record, Question::segments, 8, true);
    add(record, Question::segments, 8, false);
  }
  add(record, Question::segments, 12, false, 2);
  const auto notes = estimate_cache(record).notes;
  REQUIRE_FALSE(notes.empty());
  for (const auto& note : notes) CHECK(note.text().find("adaptive") == std::string::npos);
}

TEST_CASE("a record survives its JSON lines") {
  Record record = record_with(Question::held_lower, {{3, 1}, {900, 0}});
  record.setting.track_blocks = 334;
  record.setting.page = scsi::CachePage{};
  record.setting.page->segments = 10;
  record.observations.back().to_cylinder_end = -4;
  record.observations.back().phase_rev = 0.1;
  record.observations.back().nth = 3;
  const Record back = kept_and_read(record);
  CHECK(back.setting.track_blocks == 334);
  CHECK(back.setting.page->segments == 10);
  REQUIRE(back.observations.size() == record.observations.size());
  CHECK(back.observations.back().x == 900);
  CHECK(back.observations.back().question == Question::held_lower);
  CHECK(back.observations.back().to_cylinder_end == -4);
  CHECK(back.observations.back().phase_rev == 0.1);
  CHECK(back.observations.back().ahead_rev == 0.7);
  CHECK(back.observations.back().nth == 3);

  Record none;
  CHECK_THROWS(add_to(none, samples::Line{2, "cache_setting", samples::Json::object()}));
  CHECK_THROWS(add_to(none, samples::Line{2, "cache_probe", {{"question", "reread"}}}));
  CHECK_FALSE(add_to(none, samples::Line{2, "timing", {{"experiment", "seek"}}}));
  CHECK(none.observations.empty());
  CHECK(kept_and_read(none).setting.period_ns == 0);  // no test was made
}

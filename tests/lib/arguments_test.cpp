// Whatever numbers the C interface is given, it answers with a status, refuses what is outside of
// its ranges with a sentence that names the argument, and then leaves the engine as it was.

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "tables.h"

using namespace platter;
using namespace platter::lib::testing;
using Catch::Contains;

namespace {

// Numbers where things go wrong, and some between them.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t number() {
    constexpr std::array<int, 14> kBits = {0, 1, 4, 8, 13, 14, 31, 32, 33, 40, 61, 62, 63, 64};
    const int bits = kBits[random_() % kBits.size()];
    const std::uint64_t edge = bits == 64 ? 0 : std::uint64_t{1} << bits;
    switch (random_() % 4) {
      case 0:
        return edge + random_() % 5 - 2;
      case 1:
        return 0 - edge + random_() % 5 - 2;
      case 2:
        return edge == 0 ? random_() : random_() % edge;
      default:
        return random_() % 6000;
    }
  }
  std::int64_t time() { return static_cast<std::int64_t>(number()); }
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  platter_request request() {
    platter_request r{};
    r.lbn = number();
    r.blocks = below(2) == 0 ? word() : static_cast<std::uint32_t>(1 + below(64));
    r.flags = below(8) == 0 ? word() : static_cast<std::uint32_t>(below(4));
    r.tag = static_cast<std::uint32_t>(below(8));  // the same again and again
    if (below(16) == 0) r.reserved_1 = word();
    if (below(3) == 0) r.positioning_ns = time();
    if (below(3) == 0) r.media_delay_ns = time();
    if (below(3) == 0) r.phase_ns = time();
    if (below(16) == 0) r.reserved_2 = number();
    return r;
  }

 private:
  std::mt19937_64 random_;
};

bool may_be(const platter_request& r, std::uint64_t blocks) {
  const auto within = [](std::int64_t ns) {
    return ns >= -PLATTER_DISTURBANCE_LIMIT && ns <= PLATTER_DISTURBANCE_LIMIT;
  };
  return r.flags < 4 && r.reserved_1 == 0 && r.reserved_2 == 0 && r.blocks > 0 && r.lbn < blocks &&
         r.blocks <= blocks - r.lbn && within(r.positioning_ns) && within(r.media_delay_ns) &&
         r.media_delay_ns >= 0 && within(r.phase_ns);
}

bool is_time(std::int64_t ns) { return ns >= -PLATTER_TIME_LIMIT && ns <= PLATTER_TIME_LIMIT; }

using State = std::vector<char>;
State state_of(const platter_engine* engine) {
  State state(platter_engine_checkpoint_size(engine));
  REQUIRE(platter_engine_save(engine, state.data(), state.size()) == PLATTER_OK);
  return state;
}

// One call with numbers that were drawn; whether they lie in their ranges as platter.h has them.
struct Answer {
  platter_status status;
  bool allowed;
};

Answer call(platter_engine* engine, std::uint64_t blocks, Draw& draw) {
  const std::int64_t time_ns = draw.time();
  const platter_request r = draw.request();
  const bool served = may_be(r, blocks) && is_time(time_ns);
  platter_completion c{};
  std::int64_t ns = 0;
  std::size_t count = 0;
  std::array<platter_completion, 4> completions{};
  std::array<platter_extent, 4> extents{};
  switch (draw.below(15)) {
    case 0: {
      const platter_status status = platter_engine_service(engine, &r, time_ns, &c);
      if (status == PLATTER_OK) REQUIRE(c.completion_ns >= c.arrival_ns);
      return {status, served};
    }
    case 1:
      return {platter_engine_submit(engine, &r, time_ns), served};
    case 2:
      return {platter_engine_next_completion_time(engine, &ns), true};
    case 3:
      return {platter_engine_next_completion(engine, &c), true};
    case 4:
      return {platter_engine_completions_until(engine, time_ns, completions.data(), 4, &count),
              is_time(time_ns)};
    case 5:
      return {platter_engine_advance(engine, time_ns), is_time(time_ns)};
    case 6:
      return {platter_engine_cancel(engine, r.tag, time_ns), is_time(time_ns)};
    case 7: {
      const double ageing = draw.below(2) == 0 ? 0.5
                                               : std::ldexp(1.0, static_cast<int>(r.blocks % 64));
      const platter_queue queue{static_cast<std::uint32_t>(draw.below(7)),
                                static_cast<std::uint32_t>(draw.below(70)), ageing, 0};
      return {platter_engine_set_queue(engine, &queue),
              queue.scheduler < 5 && queue.depth <= 64 && ageing <= 1e6};
    }
    case 8:
      return {platter_engine_set_cache(engine, r.flags, time_ns), r.flags < 8 && is_time(time_ns)};
    case 9:
      return {platter_engine_dirty(engine, time_ns, extents.data(), 4, &count), is_time(time_ns)};
    case 10:
      return {platter_engine_synchronize(engine, time_ns, &ns), is_time(time_ns)};
    case 11:
      return {platter_engine_seek(engine, r.lbn, time_ns, &ns), r.lbn < blocks && is_time(time_ns)};
    case 12:
      if (draw.below(20) != 0) return {PLATTER_OK, true};
      return {platter_engine_reset(engine, time_ns), is_time(time_ns)};
    case 13:
      return {platter_engine_drop_outstanding(engine), true};
    default:
      return {platter_engine_service(engine, &r, time_ns, &c), served};
  }
}

}  // namespace

TEST_CASE("20,000 calls with any numbers: served or refused, as their ranges say") {
  const model::DriveModel model = drive_model();
  const TableHandle table = opened(emit_table::compile_table(model));
  Draw draw(1);
  int refusals = 0, services = 0;
  for (int round = 0; round < 200; ++round) {
    const EngineHandle engine = created(table);
    for (int i = 0; i < 100; ++i) {
      const State before = state_of(engine.get());
      const Answer answer = call(engine.get(), model.identity.blocks, draw);
      INFO(platter_last_error());
      if (answer.status >= 0) {
        REQUIRE(answer.allowed);
        ++services;
      } else {
        REQUIRE((answer.status == PLATTER_OUT_OF_RANGE || answer.status == PLATTER_BAD_ARGUMENT));
        REQUIRE(!answer.allowed);
        REQUIRE(state_of(engine.get()) == before);
        ++refusals;
      }
    }
  }
  CHECK(refusals > 1000);
  CHECK(services > 1000);
}

TEST_CASE("places and angles for any numbers") {
  const model::DriveModel model = drive_model();
  const TableHandle table = opened(emit_table::compile_table(model));
  Draw draw(2);
  for (int i = 0; i < 100'000; ++i) {
    platter_place place{};
    platter_track track{};
    std::uint64_t lbn = draw.number(), angle = 0;
    const bool there = lbn < model.identity.blocks;
    REQUIRE((platter_place_of_lbn(table.get(), lbn, &place) == PLATTER_OK) == there);
    REQUIRE((platter_track_of_lbn(table.get(), lbn, &track) == PLATTER_OK) == there);
    const std::uint32_t cylinder = draw.word(), head = draw.word(), sector = draw.word();
    const bool on_a_track = cylinder < 100 && head < 4;
    REQUIRE((platter_track_at(table.get(), cylinder, head, &track) == PLATTER_OK) == on_a_track);
    const bool in_one = on_a_track && sector < track.sectors;
    REQUIRE((platter_lbn_of_place(table.get(), cylinder, head, sector, &lbn) >= 0) == in_one);
    const std::int64_t time_ns = draw.time(), phase_ns = draw.time();
    std::int64_t passage_ns = 0;
    const bool is_one = is_time(time_ns) && is_time(phase_ns);
    REQUIRE((platter_angle_at(table.get(), time_ns, phase_ns, &angle) == PLATTER_OK) == is_one);
    REQUIRE((platter_next_passage(table.get(), draw.number(), time_ns, phase_ns, &passage_ns) ==
             PLATTER_OK) == is_one);
  }
}

TEST_CASE("a refusal names its argument, what it was and what it may be") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  const std::string last = std::to_string(drive_model().identity.blocks - 1);
  platter_completion c{};
  const auto sentence = [&](const platter_request& r, std::int64_t time_ns) {
    REQUIRE(platter_engine_service(engine.get(), &r, time_ns, &c) < 0);
    return std::string(platter_last_error());
  };
  CHECK_THAT(sentence(request(0, 0), 0), Contains("blocks is 0") && Contains("at least 1"));
  CHECK_THAT(sentence(request(1ULL << 40, 8), 0),
             Contains("lbn is 1099511627776") && Contains(last));
  CHECK_THAT(sentence(request(1, ~0u), 0), Contains("blocks is 4294967295") && Contains(last));
  CHECK_THAT(sentence(request(0, 1, 4), 0), Contains("flags is 4"));
  CHECK_THAT(sentence(request(0, 1), std::numeric_limits<std::int64_t>::max()),
             Contains("time_ns is 9223372036854775807") && Contains("2305843009213693952"));
  platter_request r = request(0, 1);
  r.media_delay_ns = -1;
  CHECK_THAT(sentence(r, 0), Contains("media_delay_ns is -1") && Contains("1000000000000"));
  REQUIRE(platter_engine_submit(engine.get(), nullptr, 0) == PLATTER_BAD_ARGUMENT);
  CHECK_THAT(platter_last_error(), Contains("request is NULL"));
}

TEST_CASE("time does not go back, nor past its end") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  platter_completion first{}, second{};
  platter_request r = request(3000, 8);
  REQUIRE(platter_engine_service(engine.get(), &r, 1'000'000'000, &first) == PLATTER_OK);
  REQUIRE(platter_engine_service(engine.get(), &r, 0, &second) == PLATTER_OK);
  CHECK(second.completion_ns > first.completion_ns);  // it waited its turn
  CHECK(second.arrival_ns == 0);

  // A drive that is told of more than it can do by the end of time says so, and can be reset.
  std::int64_t there_ns = 0;
  r.media_delay_ns = PLATTER_DISTURBANCE_LIMIT;
  REQUIRE(platter_engine_set_cache(engine.get(), 0, 0) == PLATTER_OK);
  platter_status status = PLATTER_OK;
  std::int64_t latest_ns = PLATTER_TIME_LIMIT;
  for (int i = 0; i < 10'000'000 && status == PLATTER_OK; ++i) {
    status = platter_engine_service(engine.get(), &r, PLATTER_TIME_LIMIT, &first);
    REQUIRE(first.completion_ns >= latest_ns);
    if (status == PLATTER_OK) latest_ns = first.completion_ns;
  }
  CHECK(status == PLATTER_OUT_OF_RANGE);
  CHECK_THAT(platter_last_error(), Contains("reset"));
  CHECK(platter_engine_seek(engine.get(), 0, 0, &there_ns) == PLATTER_OUT_OF_RANGE);
  REQUIRE(platter_engine_reset(engine.get(), 0) == PLATTER_OK);
  CHECK(platter_engine_service(engine.get(), &r, 0, &first) == PLATTER_OK);
}

TEST_CASE("a tag that is used again is of two requests") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  for (const std::uint64_t lbn : {5000, 10, 3000}) {
    const platter_request r = request(lbn, 1, 0, 7);
    REQUIRE(platter_engine_submit(engine.get(), &r, 0) == PLATTER_OK);
  }
  REQUIRE(platter_engine_cancel(engine.get(), 7, 0) == PLATTER_OK);
  CHECK(platter_engine_outstanding(engine.get()) == 2);
  platter_completion c{};
  for (int left = 1; left >= 0; --left) {
    REQUIRE(platter_engine_next_completion(engine.get(), &c) == PLATTER_OK);
    CHECK(c.tag == 7);
    CHECK(platter_engine_outstanding(engine.get()) == static_cast<std::size_t>(left));
  }
  CHECK(platter_engine_cancel(engine.get(), 7, 0) == PLATTER_NOTHING);
}

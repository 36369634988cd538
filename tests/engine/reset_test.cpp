// A reset leaves nothing of what was: the drive is then as after power-on.

#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "engine/engine.h"
#include "engine/small_drive.h"
#include "engine/state.h"

using namespace platter;
using namespace platter::engine;

namespace {

model::DriveModel drive(bool write_back) {
  model::DriveModel model = testing::small_drive();
  model.cache = testing::small_cache();
  if (!write_back) model.cache.write_back_level = testing::value(0);
  return model;
}

std::vector<Request> random_requests(std::mt19937_64& random, std::uint64_t blocks) {
  std::vector<Request> requests(30);
  std::uint64_t lbn = 0;
  for (Request& request : requests) {
    request.blocks = 1 + static_cast<std::uint32_t>(random() % 20);
    if (random() % 3 == 0) lbn = random() % (blocks - 60);
    request.lbn = lbn + random() % 20;
    request.write = random() % 3 == 0;
    lbn = std::min(request.lbn + request.blocks, blocks - 60);
  }
  return requests;
}

std::vector<Completion> answers(Engine& engine, const std::vector<Request>& requests,
                                Nanoseconds now) {
  std::vector<Completion> all;
  for (const Request& request : requests) {
    all.push_back(engine.service(request, now));
    now = all.back().completion_ns + 2'000'000;
  }
  return all;
}

}  // namespace

TEST_CASE("after a reset a drive answers as a new one does") {
  std::mt19937_64 random(77);
  for (int round = 0; round < 60; ++round) {
    const model::DriveModel model = drive(round % 2 == 0);
    Engine used(model), fresh(model);
    const auto requests = random_requests(random, used.blocks());
    const auto before = answers(used, requests, 0);
    const Nanoseconds now = before.back().completion_ns +
                            static_cast<Nanoseconds>(random() % 9'000'000);
    used.reset(now);
    fresh.reset(now);
    REQUIRE(answers(used, requests, now) == answers(fresh, requests, now));
  }
}

TEST_CASE("a reset forgets what waits, what is done and what could be taken back") {
  Engine used(drive(true)), fresh(drive(true));
  for (std::uint32_t tag = 0; tag < 6; ++tag) {
    Request request;
    request.lbn = 900 * tag;
    request.tag = tag;
    REQUIRE(used.submit(request, 1000 * tag));
  }
  used.advance(8'000'000);
  used.reset(50'000'000);
  fresh.reset(50'000'000);
  CHECK(used.outstanding() == 0);
  CHECK(!used.next_completion());
  for (Engine* engine : {&used, &fresh}) {
    REQUIRE(engine->submit({.lbn = 3000, .blocks = 4, .tag = 9, .disturbance = {}}, 50'000'000));
    REQUIRE(
        engine->submit({.lbn = 40, .blocks = 4, .tag = 8, .disturbance = {}}, 49'000'000));  // late
  }
  while (true) {
    const auto a = used.next_completion(), b = fresh.next_completion();
    REQUIRE(a == b);
    if (!a) break;
  }
}

TEST_CASE("a checkpoint is the state and nothing behind it") {
  const Engine engine(drive(true));
  CHECK(engine.checkpoint().size() == State::bytes(engine.tables()));
}

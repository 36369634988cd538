#include "virtual_drive/adaptive_cache.h"

#include <catch2/catch.hpp>

#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

namespace {

model::DriveModel adaptive_drive() {
  auto model = test_drive();
  model.cache.segments = value(16);
  model.cache.segment_blocks = value(20);
  model.cache.write_back_level = value(0);
  model.imperfections.emplace().adaptive_cache_min_segments = 2;
  return model;
}

}  // namespace

TEST_CASE("the number of segments follows the number of streams") {
  const auto model = adaptive_drive();
  engine::Engine engine(model);
  AdaptiveCache cache(model);
  REQUIRE(cache.adapts());
  REQUIRE(cache.segments() == 16);
  Nanoseconds now = 2 * kSecond;
  const auto read = [&](std::uint64_t lbn) {
    cache.follow(engine, lbn, 4, now);
    engine::Request request;
    request.lbn = lbn;
    request.blocks = 4;
    now = engine.service(request, now).completion_ns;
  };
  const auto read_streams = [&](std::uint64_t streams) {
    for (std::uint64_t i = 0; i < 2 * AdaptiveCache::kWindow + 1; ++i)
      read(i % streams * 400 + i / streams * 4);
  };
  read_streams(1);
  CHECK(cache.segments() == 2);
  read_streams(3);
  CHECK(cache.segments() == 4);
  read_streams(7);
  CHECK(cache.segments() == 8);
  read_streams(17);
  CHECK(cache.segments() == 16);
}

TEST_CASE("a change of division keeps the arm in its place and drops what was cached") {
  auto model = adaptive_drive();
  model.cache.read_ahead = value(0);
  engine::Engine adapting(model), fixed(model);
  AdaptiveCache cache(model);
  Nanoseconds now = 2 * kSecond;
  engine::Request request;
  request.blocks = 4;
  for (std::uint64_t i = 0; i < AdaptiveCache::kWindow; ++i) {
    request.lbn = 5000 + i * 4;
    cache.follow(adapting, request.lbn, 4, now);
    const auto a = adapting.service(request, now), b = fixed.service(request, now);
    REQUIRE(a.completion_ns == b.completion_ns);
    now = a.completion_ns;
  }
  now += kSecond;
  request.lbn = 200;  // from the same cylinder, to a place that neither has in its cache
  cache.follow(adapting, request.lbn, 4, now);
  REQUIRE(cache.segments() == 2);
  CHECK(adapting.service(request, now).completion_ns == fixed.service(request, now).completion_ns);
  request.lbn = 5000 + 31 * 4;  // read a moment ago
  CHECK(fixed.service(request, now + kSecond).cache_hit);
  CHECK_FALSE(adapting.service(request, now + kSecond).cache_hit);
}

TEST_CASE("dirty data are never lost to a change of division") {
  auto model = adaptive_drive();
  model.cache.write_back_level = value(2);
  engine::Engine engine(model);
  AdaptiveCache cache(model);
  engine::Request write;
  write.blocks = 4;
  write.write = true;
  Nanoseconds now = 2 * kSecond;
  for (std::uint64_t i = 0; i < AdaptiveCache::kWindow; ++i) {
    write.lbn = 5000 + i * 4;
    cache.follow(engine, write.lbn, 4, now);
    now = engine.service(write, now).completion_ns;
  }
  REQUIRE(engine.synchronize(now) > now);
  cache.follow(engine, 100, 4, now);
  CHECK(cache.segments() == 16);
  now = engine.synchronize(now);
  cache.follow(engine, 100, 4, now);
  CHECK(cache.segments() == 2);
}

TEST_CASE("a cache that is not asked to adapt does not") {
  REQUIRE_FALSE(AdaptiveCache(test_drive()).adapts());
  auto model = adaptive_drive();
  model.imperfections->adaptive_cache_min_segments = 16;
  REQUIRE_FALSE(AdaptiveCache(model).adapts());
}

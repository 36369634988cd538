// Requests whose blocks do not cross the bus: a read for the cache alone, one block written to
// many.

#include "catch.h"
#include "engine/engine.h"
#include "engine/small_drive.h"

using namespace platter;
using namespace platter::engine;
using namespace platter::engine::testing;

namespace {

constexpr Nanoseconds kBlock_ns = 20 * kMillisecond;  // on the bus: two revolutions

Engine slow_bus() {
  auto model = small_drive();
  model.cache = small_cache();
  model.bus.block_transfer = value(20);
  return Engine(model);
}

Request request_of(std::uint64_t lbn, std::uint32_t blocks) {
  Request request;
  request.lbn = lbn;
  request.blocks = blocks;
  return request;
}

}  // namespace

TEST_CASE("a prefetch ends when its last block has passed, and is a hit for the next read") {
  Engine engine = slow_bus(), reading = slow_bus();
  Request prefetch = request_of(60, 8);
  prefetch.prefetch = true;
  const Completion fetched = engine.service(prefetch, 0);
  CHECK(fetched.media_access);
  CHECK(fetched.completion_ns < 3 * kBlock_ns);
  const Completion read = reading.service(request_of(60, 8), 0);
  CHECK(read.completion_ns >= 8 * kBlock_ns);
  const Completion hit = engine.service(request_of(60, 8), kSecond);
  CHECK(hit.cache_hit);
  CHECK(hit.completion_ns - kSecond >= 8 * kBlock_ns);
  CHECK(engine.service(prefetch, 2 * kSecond).cache_hit);
  CHECK(engine.service(prefetch, 3 * kSecond).completion_ns < 3 * kSecond + kMillisecond);
}

TEST_CASE("one block for many crosses the bus once") {
  for (const bool through : {false, true}) {
    Engine plain = slow_bus(), same = slow_bus();
    Request write = request_of(60, 8);
    write.write = true;
    write.force_unit_access = through;
    CHECK(plain.service(write, 0).completion_ns >= 8 * kBlock_ns);
    write.same = true;
    const Nanoseconds same_ns = same.service(write, 0).completion_ns;
    CHECK(same_ns >= kBlock_ns);
    CHECK(same_ns < 3 * kBlock_ns);
  }
}

#include "array/stripe_cache.h"

#include "catch.h"

using platter::array::StripeCache;

namespace {

constexpr std::uint32_t kStripes = 16, kMembers = 3;  // two of each class
constexpr auto kNone = StripeCache::kNone;

// All in use: the stripes 0 to 15.
StripeCache full() {
  StripeCache cache(kStripes, kMembers);
  for (std::uint64_t number = 0; number < kStripes; ++number) REQUIRE(cache.take(number) != kNone);
  return cache;
}

}  // namespace

TEST_CASE("a stripe that is held is found, in use or not, and one used longest ago is taken") {
  StripeCache cache(kStripes, kMembers);
  const std::uint32_t first = cache.take(0), second = cache.take(8);
  CHECK(cache.take(0) == first);
  cache.release(second);
  cache.release(first);
  CHECK(cache.take(16) == second);
  CHECK(cache.take(0) == first);
}

TEST_CASE("who waits gets a stripe when more than a quarter is idle, and others then at once") {
  StripeCache cache = full();
  REQUIRE(cache.take(16) == kNone);
  for (std::uint64_t number = 0; number < 4; ++number) {
    cache.release(cache.take(number));
    REQUIRE(cache.take_at_last(16) == kNone);
  }
  cache.release(cache.take(4));
  REQUIRE(cache.take_at_last(16) != kNone);  // in place of 0
  CHECK(cache.take(17) != kNone);            // though no quarter is idle any more
}

TEST_CASE("who waits for another class does not wait for a quarter once nobody is blocked") {
  StripeCache cache = full();
  REQUIRE(cache.take(16) == kNone);
  REQUIRE(cache.take(23) == kNone);
  for (std::uint64_t number = 0; number < 5; ++number) cache.release(cache.take(number));
  REQUIRE(cache.take_at_last(23) == kNone);  // none of its class
  REQUIRE(cache.take_at_last(16) != kNone);
  REQUIRE(cache.take_at_last(23) == kNone);  // and blocks nobody
  CHECK(cache.take(17) != kNone);
  cache.release(cache.take(7));
  CHECK(cache.take_at_last(23) != kNone);
}

TEST_CASE("who would not wait gets no other stripe while somebody waits") {
  StripeCache cache = full();
  REQUIRE(cache.take(16) == kNone);
  for (std::uint64_t number = 0; number < 6; ++number) cache.release(cache.take(number));
  CHECK(cache.take_at_once(17) == kNone);
  CHECK(cache.take_at_once(1) != kNone);  // that is held
  CHECK(cache.take(18) != kNone);
  CHECK(cache.take_at_once(19) != kNone);  // who waited got one
}

TEST_CASE("the cache grows by one stripe when one lacked, once for what is released") {
  StripeCache cache = full();
  cache.grow_if_scarce();
  REQUIRE(cache.take(16) == kNone);
  cache.grow_if_scarce();                  // one of class 0
  CHECK(cache.take_at_last(16) == kNone);  // blocked: no quarter is idle
  for (std::uint64_t number = 1; number < 6; ++number) cache.release(cache.take(number));
  REQUIRE(cache.take_at_last(16) != kNone);
  CHECK(cache.take(0) != kNone);  // 16 stands beside it
  CHECK(cache.take(8) != kNone);
}

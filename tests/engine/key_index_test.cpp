// The index of ascending keys against a plain search: keys spread evenly, at random, and in
// clusters that leave most buckets empty.

#include "engine/key_index.h"

#include <algorithm>
#include <random>
#include <set>

#include "catch.h"

using namespace platter::engine;

namespace {

using Keys = std::vector<std::uint64_t>;

void check(const Keys& keys, std::uint64_t largest, std::size_t density) {
  Keys padded = keys;
  pad(padded);
  REQUIRE(padded.size() == keys.size() + kKeyPadding);
  REQUIRE(is_ascending(padded));
  const std::uint32_t shift = bucket_shift(largest, keys.size(), density);
  const auto buckets = build_buckets(keys, shift, largest);
  REQUIRE(buckets.size() == (largest >> shift) + 2);
  REQUIRE(buckets.front() == 0);
  REQUIRE(buckets.back() == keys.size());
  const KeyIndex index{padded, buckets, shift};
  REQUIRE(index.size() == keys.size());
  const auto right = [&](std::uint64_t key) {
    const auto expected = std::upper_bound(keys.begin(), keys.end(), key) - keys.begin();
    return index.count_not_above(key) == static_cast<std::size_t>(expected);
  };
  bool all = right(0) && right(largest);
  for (const std::uint64_t key : keys)
    all = all && right(key) && (key == 0 || right(key - 1)) && (key >= largest || right(key + 1));
  CHECK(all);
}

}  // namespace

TEST_CASE("an index finds what a plain search finds") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t largest = 50 + random() % (round % 3 == 0 ? 200 : 1'000'000);
    std::set<std::uint64_t> keys;
    for (std::uint64_t n = random() % 60; n > 0; --n) keys.insert(random() % (largest + 1));
    // A cluster: some twenty keys in one bucket.
    const std::uint64_t at = random() % (largest - 40);
    for (std::uint64_t n = random() % 40; n > 0; --n) keys.insert(at + random() % 40);
    keys.insert(largest / 2);
    for (const std::size_t density : {1, 2, 8}) check({keys.begin(), keys.end()}, largest, density);
  }
}

TEST_CASE("clusters of every size up to forty, at either end and in the middle") {
  for (const std::uint64_t first : {0ull, 500'000ull, 999'960ull}) {
    Keys keys;
    for (std::uint64_t n = 0; n < 40; ++n) {
      keys.push_back(first + n);
      check(keys, 1'000'000, 1);
    }
  }
}

TEST_CASE("buckets are as narrow as so many for each key allow") {
  CHECK(bucket_shift(0, 1, 1) == 0);
  CHECK(bucket_shift(1, 1, 1) == 0);
  CHECK(bucket_shift(2, 1, 1) == 1);
  CHECK(bucket_shift(15, 7, 2) == 0);
  CHECK(bucket_shift(16, 7, 2) == 1);
  CHECK(bucket_shift(1 << 20, 1023, 8) == 8);
  CHECK(build_buckets(Keys{0, 3, 8}, 2, 9) == std::vector<std::uint32_t>{0, 2, 2, 3});
}

TEST_CASE("keys of unknown origin: ascending strictly, padded, at least one") {
  const auto is = [](Keys keys) { return is_ascending(keys); };
  CHECK(is({5, kNoKey, kNoKey, kNoKey, kNoKey}));
  CHECK(is({5, 6, 9, kNoKey, kNoKey, kNoKey, kNoKey}));
  CHECK(!is({kNoKey, kNoKey, kNoKey, kNoKey}));
  CHECK(!is({}));
  CHECK(!is({5, 5, kNoKey, kNoKey, kNoKey, kNoKey}));
  CHECK(!is({6, 5, kNoKey, kNoKey, kNoKey, kNoKey}));
  CHECK(!is({5, 6, kNoKey, kNoKey, kNoKey}));
  CHECK(!is({5, kNoKey, kNoKey, 7, kNoKey}));
}

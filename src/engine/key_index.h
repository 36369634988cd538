// Which of many ascending keys is the last one not above a given one: the keys' range is cut into
// equal buckets, and a search looks only at what its bucket holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace platter::engine {

constexpr std::size_t kKeyPadding = 4;  // so many largest keys stand behind the last one
constexpr std::uint64_t kNoKey = std::numeric_limits<std::uint64_t>::max();

// `keys` ascend and end with the padding. Entry b of `buckets` is the number of keys below
// b << shift; its last entry ends the last bucket.
struct KeyIndex {
  std::span<const std::uint64_t> keys;
  std::span<const std::uint32_t> buckets;
  std::uint32_t shift = 0;

  std::size_t size() const { return keys.size() - kKeyPadding; }

  // Number of keys not above `key`, which must not exceed the range that the index was built for.
  std::size_t count_not_above(std::uint64_t key) const {
    const std::uint64_t bucket = key >> shift;
    std::size_t low = buckets[bucket], high = buckets[bucket + 1];
    while (high - low > kKeyPadding) {
      const std::size_t middle = (low + high) / 2;
      if (keys[middle] > key)
        high = middle;
      else
        low = middle + 1;
    }
    // What stands behind the bucket is above the key: no branch is needed to stop there.
    const std::uint64_t* k = keys.data() + low;
    return low + (k[0] <= key) + (k[1] <= key) + (k[2] <= key) + (k[3] <= key);
  }
};

// The same over keys of which only the low halves are kept. The first one is 0; two neighbours are
// at most so far apart, and so are the last one and the end of the range, which is the padding.
constexpr std::uint64_t kFarthestLowKey = std::uint64_t{1} << 28;

struct LowKeyIndex {
  std::span<const std::uint32_t> keys;
  std::span<const std::uint32_t> buckets;
  std::uint32_t shift = 0;

  std::size_t size() const { return keys.size() - kKeyPadding; }

  // Number of keys not above `key`, which is within the range.
  std::size_t count_not_above(std::uint64_t key) const {
    const std::uint64_t bucket = key >> shift;
    const auto low_half = static_cast<std::uint32_t>(key);
    std::size_t low = buckets[bucket], high = buckets[bucket + 1];
    while (high - low > kKeyPadding) {
      const std::size_t middle = (low + high) / 2;
      if (is_above(keys[middle], low_half))
        high = middle;
      else
        low = middle + 1;
    }
    const std::uint32_t* k = keys.data() + low;
    return low + kKeyPadding - is_above(k[0], low_half) - is_above(k[1], low_half) -
           is_above(k[2], low_half) - is_above(k[3], low_half);
  }
  // From a key to the next one.
  std::uint32_t distance(std::size_t number) const { return keys[number + 1] - keys[number]; }

 private:
  // Of keys less than 2^31 apart: a bucket is at most as wide as neighbours are apart, and four
  // steps behind it lead no further.
  static std::uint32_t is_above(std::uint32_t one, std::uint32_t other) {
    return (other - one) >> 31;
  }
};

// So many bits to shift that keys 0..largest fall into at most `density` buckets for each of them.
inline std::uint32_t bucket_shift(std::uint64_t largest, std::size_t keys, std::size_t density) {
  std::uint32_t shift = 0;
  while (shift < 63 && (largest >> shift) >= (keys + 1) * density) ++shift;
  return shift;
}

// `keys` without their padding.
inline std::vector<std::uint32_t> build_buckets(std::span<const std::uint64_t> keys,
                                                std::uint32_t shift, std::uint64_t largest) {
  std::vector<std::uint32_t> buckets;
  buckets.reserve((largest >> shift) + 2);
  std::size_t below = 0;
  for (std::uint64_t bucket = 0; bucket <= (largest >> shift) + 1; ++bucket) {
    while (below < keys.size() && (keys[below] >> shift) < bucket) ++below;
    buckets.push_back(static_cast<std::uint32_t>(below));
  }
  return buckets;
}

inline void pad(std::vector<std::uint64_t>& keys) { keys.insert(keys.end(), kKeyPadding, kNoKey); }

// Strictly.
inline bool ascend(std::span<const std::uint64_t> keys) {
  return std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end();
}

// Whether keys of unknown origin ascend strictly and end with the padding.
inline bool is_ascending(std::span<const std::uint64_t> keys) {
  if (keys.size() <= kKeyPadding) return false;
  const auto real = keys.first(keys.size() - kKeyPadding);
  return std::ranges::all_of(keys.last(kKeyPadding), [](auto key) { return key == kNoKey; }) &&
         ascend(real);
}

}  // namespace platter::engine

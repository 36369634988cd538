// Which of many ascending values is the last one not above a key: the keys' range is cut into equal
// buckets, and a search begins with what its bucket's ends allow.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace platter::engine {

// Entry b of an index is the number of values below b << shift; the last entry ends the last bucket.
// Returns the number of values not above `key`, which must lie within the range of the index.
template <typename Item, typename Value>
std::size_t count_not_above(std::span<const Item> items, Value Item::*value,
                            std::span<const std::uint32_t> index, std::uint32_t shift,
                            std::uint64_t key) {
  const std::uint64_t bucket = key >> shift;
  std::size_t low = index[bucket], high = index[bucket + 1];
  const auto above = [&](std::size_t i) {
    return static_cast<std::uint64_t>(items[i].*value) > key;
  };
  while (high - low > 4) {
    const std::size_t middle = (low + high) / 2;
    if (above(middle))
      high = middle;
    else
      low = middle + 1;
  }
  while (low < high && !above(low)) ++low;
  return low;
}

// So many bits to shift that keys 0..largest fall into at most `density` buckets for each item.
inline std::uint32_t bucket_shift(std::uint64_t largest, std::size_t items, std::size_t density) {
  std::uint32_t shift = 0;
  while (shift < 63 && (largest >> shift) >= (items + 1) * density) ++shift;
  return shift;
}

template <typename Item, typename Value>
std::vector<std::uint32_t> build_index(std::span<const Item> items, Value Item::*value,
                                       std::uint32_t shift, std::uint64_t largest) {
  std::vector<std::uint32_t> index;
  std::size_t below = 0;
  for (std::uint64_t bucket = 0; bucket <= (largest >> shift) + 1; ++bucket) {
    while (below < items.size() && (static_cast<std::uint64_t>(items[below].*value) >> shift) < bucket)
      ++below;
    index.push_back(static_cast<std::uint32_t>(below));
  }
  return index;
}

}  // namespace platter::engine

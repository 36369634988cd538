#include "engine/run_arrays.h"

#include <algorithm>
#include <cstdlib>

#include "engine/int128.h"
#include "engine/run_list.h"

namespace platter::engine {
namespace {

// So that a search in a list, and what one shares with another, stays near.
constexpr std::size_t kLongestList = 256;
constexpr std::size_t kMostNumbers = std::size_t{1} << 16;
constexpr std::int64_t kFarthestListed = std::int64_t{1} << 30;  // cylinders

// Rounding jumps one by one keeps those alike that are alike; once they have led so far astray
// (2^64 to the turn: 8 ps at 7,200 rpm), the next one leads back.
constexpr std::uint64_t kMostAstray = std::uint64_t{1} << 34;

std::uint32_t rounded(std::uint64_t jump) {
  return static_cast<std::uint32_t>((jump + (std::uint64_t{1} << (kJumpShift - 1))) >> kJumpShift);
}

bool is_astray(std::uint64_t off) { return off + kMostAstray > 2 * kMostAstray; }

std::vector<std::uint32_t> jumps_between(std::span<const FlatNode> runs,
                                         std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> jumps;
  std::uint64_t off = 0;  // the told angle, less the true one
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const std::uint64_t jump = runs[i + 1].angle - runs[i].angle - counts[i] * runs[i].angle_step;
    std::uint32_t told = rounded(jump);
    const auto off_with = [&] { return off + (std::uint64_t{told} << kJumpShift) - jump; };
    if (is_astray(off_with())) told = rounded(jump - off);
    off = off_with();
    jumps.push_back(told);
  }
  return jumps;
}

template <typename Item>
std::uint64_t hash_of(std::span<const Item> items) {
  std::uint64_t hash = items.size();
  for (const Item item : items)
    hash = (hash ^ (hash >> 29) ^ static_cast<std::uint64_t>(item)) * 0x9e3779b97f4a7c15;
  return hash;
}

}  // namespace

RunsView RunArrays::view() const {
  return {lists,          courses,      sizes,       jumps,       cylinders,
          course_numbers, size_numbers, chunk_slots, chunk_angles};
}

template <typename Item>
std::uint32_t Series<Item>::place(std::span<const Item> items) {
  const std::uint64_t hash = hash_of(items);
  const auto [begin, end] = placed_.equal_range(hash);
  for (auto known = begin; known != end; ++known)
    if (std::ranges::equal(items, std::span(all_).subspan(known->second.begin, known->second.size)))
      return known->second.begin;
  const Placed placed{static_cast<std::uint32_t>(all_.size()),
                      static_cast<std::uint32_t>(items.size())};
  placed_.emplace(hash, placed);
  all_.insert(all_.end(), items.begin(), items.end());
  return placed.begin;
}

std::size_t RunLister::fitting(std::span<const model::LayoutNode> nodes) const {
  if (runs_.courses.size() + kLongestList > kMostNumbers ||
      runs_.sizes.size() + kLongestList > kMostNumbers)
    return 0;
  std::uint64_t slots = 0;
  const auto fits = [&](const model::LayoutNode& node) {
    slots += std::uint64_t{node.count} * node.sectors;
    return node.sectors > 0 && node.children.empty() && slots <= kMostListed &&
           std::abs(std::int64_t{node.cylinder}) <= kFarthestListed / 2;
  };
  const auto some = nodes.first(std::min(nodes.size(), kLongestList));
  return static_cast<std::size_t>(std::ranges::find_if_not(some, fits) - some.begin());
}

std::uint16_t RunLister::course(const FlatNode& run, std::uint32_t count) {
  const Course key{run.angle_step, count, run.cylinder_step, run.head, run.head_step};
  const auto [known, is_new] = courses_.try_emplace(key, runs_.courses.size());
  if (is_new)
    runs_.courses.push_back({run.angle_step, count, run.cylinder_step, run.head, run.head_step});
  return known->second;
}

std::uint16_t RunLister::size(std::uint32_t sectors) {
  const auto [known, is_new] = sizes_.try_emplace(sectors, runs_.sizes.size());
  if (is_new) runs_.sizes.push_back({reciprocal_of(sectors), sectors});
  return known->second;
}

std::uint32_t RunLister::add(std::span<const FlatNode> runs, std::span<const std::uint32_t> counts,
                             std::int32_t cylinder) {
  std::vector<std::int32_t> cylinders;
  std::vector<std::uint16_t> course_numbers, size_numbers;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    cylinders.push_back(runs[i].cylinder - cylinder);
    course_numbers.push_back(course(runs[i], counts[i]));
    size_numbers.push_back(size(runs[i].sectors));
  }
  const std::vector<std::uint32_t> jumps = jumps_between(runs, counts);
  const auto number = static_cast<std::uint32_t>(runs_.lists.size());
  runs_.lists.push_back({jumps_.place(jumps), cylinders_.place(cylinders),
                         course_numbers_.place(course_numbers), size_numbers_.place(size_numbers),
                         static_cast<std::uint32_t>(runs_.chunk_slots.size())});
  const std::uint64_t chunks = runs_.chunk_slots.size() + chunks_of(runs.size());
  runs_.chunk_slots.resize(chunks);
  runs_.chunk_angles.resize(chunks);
  return number;
}

}  // namespace platter::engine

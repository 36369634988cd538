// What lists of runs are made of, and how a model's runs become such lists (flat_tables.h): each
// course and each size once, and each series of items once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/flat_tables.h"
#include "model/drive_model.h"

namespace platter::engine {

struct RunArrays {
  std::vector<FlatRunList> lists;
  std::vector<FlatCourse> courses;
  std::vector<FlatSize> sizes;
  std::vector<std::uint32_t> jumps;
  std::vector<std::int32_t> cylinders;
  std::vector<std::uint16_t> course_numbers, size_numbers;
  std::vector<std::uint32_t> chunk_slots;  // what these two say follows from the others
  std::vector<std::uint64_t> chunk_angles;

  RunsView view() const;
};

// Appends series to an array; one that is there already is not appended again.
template <typename Item>
class Series {
 public:
  explicit Series(std::vector<Item>& all) : all_(all) {}

  // Where it begins.
  std::uint32_t place(std::span<const Item> items);

 private:
  std::vector<Item>& all_;
  struct Placed {
    std::uint32_t begin, size;
  };
  std::unordered_multimap<std::uint64_t, Placed> placed_{};  // by a hash of their items
};

class RunLister {
 public:
  explicit RunLister(RunArrays& runs)
      : runs_(runs),
        jumps_(runs.jumps),
        cylinders_(runs.cylinders),
        course_numbers_(runs.course_numbers),
        size_numbers_(runs.size_numbers) {}

  // How many of the nodes, from the first one on, are runs that one list can hold.
  std::size_t fitting(std::span<const model::LayoutNode> nodes) const;
  // The number of a list of as many nodes; `runs` are what node_of makes of them. Angles are told
  // from the first run's, cylinders from `cylinder`.
  std::uint32_t add(std::span<const FlatNode> runs, std::span<const std::uint32_t> counts,
                    std::int32_t cylinder);

 private:
  std::uint16_t course(const FlatNode& run, std::uint32_t count);
  std::uint16_t size(std::uint32_t sectors);

  using Course = std::tuple<std::uint64_t, std::uint32_t, std::int32_t, std::int16_t, std::int16_t>;

  RunArrays& runs_;
  Series<std::uint32_t> jumps_;
  Series<std::int32_t> cylinders_;
  Series<std::uint16_t> course_numbers_, size_numbers_;
  std::map<Course, std::uint16_t> courses_{};
  std::unordered_map<std::uint32_t, std::uint16_t> sizes_{};
};

}  // namespace platter::engine

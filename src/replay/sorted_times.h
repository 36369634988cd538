// Times of any number of requests in ascending order, by kinds, in little memory: what is more than
// fits is sorted piece by piece into temporary files, which are merged as they are read.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/units.h"

namespace platter::replay {

class SortedTimes {
 public:
  static constexpr std::size_t kKinds = 16;
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 20;  // times
  using Kinds = std::bitset<kKinds>;

  explicit SortedTimes(std::size_t most_in_memory = kMostInMemory) : most_(most_in_memory) {}

  // Throws Error(output) where the folder of temporary files has no room.
  void add(std::size_t kind, Nanoseconds time_ns);

  std::uint64_t count(const Kinds& kinds) const;

  class Reader;
  // All times of these kinds. None may be added once one was read.
  Reader read(const Kinds& kinds);

 private:
  class File;
  class Source;  // ascending times, of memory or of a part of a file
  // The times of all kinds, one kind behind the other, each ascending.
  struct Run {
    std::shared_ptr<File> file;
    std::array<std::uint64_t, kKinds + 1> begin{};
    std::size_t level = 0;
  };

  void spill();
  void sort_held();
  void merge_latest(std::size_t runs);
  static std::vector<Source> sources_of(std::span<const Run> runs, std::size_t kind);

  std::size_t most_;
  std::array<std::vector<Nanoseconds>, kKinds> held_{};
  std::size_t held_count_ = 0;
  std::array<std::uint64_t, kKinds> counts_{};
  std::vector<Run> runs_{};  // of each level fewer than are merged, the highest level first
};

class SortedTimes::Source {
 public:
  explicit Source(std::span<const Nanoseconds> held) : rest_(held) {}
  Source(std::shared_ptr<File> file, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(file)), at_(begin), end_(end) {}

  bool next(Nanoseconds& time_ns);

 private:
  bool refill();

  std::span<const Nanoseconds> rest_{};
  std::shared_ptr<File> file_{};
  std::uint64_t at_ = 0, end_ = 0;
  std::vector<Nanoseconds> piece_{};
};

class SortedTimes::Reader {
 public:
  explicit Reader(std::vector<Source> sources);
  bool next(Nanoseconds& time_ns);  // false: there are none left

 private:
  std::vector<Source> sources_;
  std::vector<std::pair<Nanoseconds, std::size_t>> heap_{};  // the next time of each source
};

}  // namespace platter::replay

// How many whole numbers there are of which size, in bounded memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace platter::trace {

// Numbers below 2^exact_bits are counted one by one. Above, classes double in width with every
// power of two, so that a class is at most 2^(1 - exact_bits) of its numbers wide; its middle
// stands for them. Count, least and most are exact always. With 13 bits that is at most 2 MiB.
class ClassCounts {
 public:
  explicit ClassCounts(int exact_bits) : exact_bits_(exact_bits) {}

  void add(std::uint64_t value) {
    const std::size_t index = index_of(value);
    if (index >= counts_.size()) [[unlikely]]
      make_room_for(index);
    ++counts_[index];
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    ++count_;
  }
  void add(const ClassCounts& others);  // of as many exact bits

  std::uint64_t count() const { return count_; }
  std::uint64_t least() const { return count_ == 0 ? 0 : least_; }  // 0 of none, as below
  std::uint64_t most() const { return most_; }
  std::uint64_t zeros() const { return counts_.empty() ? 0 : counts_.front(); }

  // The number at a place of the sorted ones, which is less than their count.
  double value_at(std::uint64_t place) const { return Walk(*this).value_at(place); }
  // The same for many places, best in ascending order.
  class Walk {
   public:
    explicit Walk(const ClassCounts& all) : all_(all) {}
    double value_at(std::uint64_t place);

   private:
    const ClassCounts& all_;
    std::size_t index_ = 0;
    std::uint64_t in_front_ = 0;  // numbers in the classes before
  };
  // At 0 <= share <= 1, linear between the places share * (n - 1) of the sorted numbers: the median
  // of an even number of them is the mean of the two in the middle.
  double quantile(double share) const;

  struct Class {
    std::uint64_t first = 0, last = 0, count = 0;
  };
  std::vector<Class> classes() const;  // those that hold a number, ascending

 private:
  std::size_t index_of(std::uint64_t value) const {
    const int shift = static_cast<int>(std::bit_width(value)) - exact_bits_;
    if (shift <= 0) return value;
    const std::uint64_t half = std::uint64_t{1} << (exact_bits_ - 1);
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * half + (value >> shift));
  }
  void make_room_for(std::size_t index);
  Class class_of(std::size_t index) const;

  int exact_bits_;
  std::vector<std::uint64_t> counts_{};
  std::uint64_t count_ = 0, least_ = ~std::uint64_t{0}, most_ = 0;
};

}  // namespace platter::trace

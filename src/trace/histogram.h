// Counts of whole numbers in bounded memory, and their quantiles.
#pragma once

#include <cstdint>
#include <vector>

namespace platter::trace {

// Numbers below 2^exact_bits are counted one by one. Above, classes double in width with every
// power of two, so that a class is at most 2^(1 - exact_bits) of its numbers wide; its middle
// stands for them. Count, mean, least and most are exact always. With 13 bits that is at most 2
// MiB.
class Histogram {
 public:
  static constexpr int kExactBits = 13;  // unless said otherwise

  explicit Histogram(int exact_bits = kExactBits) : exact_bits_(exact_bits) {}

  void add(std::uint64_t value);

  std::uint64_t count() const { return count_; }
  std::uint64_t least() const { return least_; }  // 0 of none, as all below
  std::uint64_t most() const { return most_; }
  std::uint64_t zeros() const { return counts_.empty() ? 0 : counts_.front(); }
  double mean() const;
  double deviation() const;  // standard deviation of the numbers as a population

  // At 0 <= share <= 1, linear between the places share * (n - 1) of the sorted numbers: the median
  // of an even number of them is the mean of the two in the middle.
  double quantile(double share) const;
  double median() const { return quantile(0.5); }

  struct Class {
    std::uint64_t first = 0, last = 0, count = 0;
  };
  // Those that hold a number, ascending: 0, 1, 2-3, 4-7, ...
  std::vector<Class> powers_of_two() const;
  // The classes with the most numbers, at most so many, by their counts.
  std::vector<Class> most_common(std::size_t at_most) const;

 private:
  __extension__ typedef unsigned __int128 Sum;

  std::size_t index_of(std::uint64_t value) const;
  Class class_of(std::size_t index) const;
  double value_at(std::uint64_t place) const;

  int exact_bits_;
  std::vector<std::uint64_t> counts_{};
  std::uint64_t count_ = 0, least_ = 0, most_ = 0;
  Sum sum_ = 0;
  double mean_ = 0, squares_ = 0;  // Welford's: sum of squared distances from the running mean
};

}  // namespace platter::trace

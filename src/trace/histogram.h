// Counts of whole numbers in bounded memory, their quantiles, mean and deviation.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/class_counts.h"

namespace platter::trace {

// Count, mean, least and most are exact always, quantiles those of ClassCounts.
class Histogram {
 public:
  static constexpr int kExactBits = 13;  // unless said otherwise

  explicit Histogram(int exact_bits = kExactBits) : counts_(exact_bits) {}

  void add(std::uint64_t value);

  std::uint64_t count() const { return counts_.count(); }
  std::uint64_t least() const { return counts_.least(); }  // 0 of none, as all below
  std::uint64_t most() const { return counts_.most(); }
  std::uint64_t zeros() const { return counts_.zeros(); }
  double mean() const;
  double deviation() const;  // standard deviation of the numbers as a population
  double quantile(double share) const { return counts_.quantile(share); }
  double median() const { return quantile(0.5); }

  using Class = ClassCounts::Class;
  // Those that hold a number, ascending: 0, 1, 2-3, 4-7, ...
  std::vector<Class> powers_of_two() const;
  // The classes with the most numbers, at most so many, by their counts.
  std::vector<Class> most_common(std::size_t at_most) const;

 private:
  __extension__ typedef unsigned __int128 Sum;

  ClassCounts counts_;
  Sum sum_ = 0;
  double mean_ = 0, squares_ = 0;  // Welford's: sum of squared distances from the running mean
};

}  // namespace platter::trace

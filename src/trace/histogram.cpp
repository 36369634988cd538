#include "trace/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace platter::trace {

void Histogram::add(std::uint64_t value) {
  counts_.add(value);
  sum_ += value;
  const double from_mean = static_cast<double>(value) - mean_;
  mean_ += from_mean / static_cast<double>(count());
  squares_ += from_mean * (static_cast<double>(value) - mean_);
}

double Histogram::mean() const {
  return count() == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count());
}

double Histogram::deviation() const {
  return count() == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count()));
}

std::vector<Histogram::Class> Histogram::powers_of_two() const {
  std::vector<Class> classes;
  for (const Class& each : counts_.classes()) {
    const std::uint64_t first = std::bit_floor(each.first);
    if (classes.empty() || classes.back().first != first)
      classes.push_back({first, first == 0 ? 0 : first + (first - 1), 0});
    classes.back().count += each.count;
  }
  return classes;
}

std::vector<Histogram::Class> Histogram::most_common(std::size_t at_most) const {
  std::vector<Class> classes = counts_.classes();
  std::ranges::stable_sort(classes, std::ranges::greater{}, &Class::count);
  if (classes.size() > at_most) classes.resize(at_most);
  return classes;
}

}  // namespace platter::trace

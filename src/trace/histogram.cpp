#include "trace/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace platter::trace {

void Histogram::add(std::uint64_t value) {
  const std::size_t index = index_of(value);
  if (index >= counts_.size()) counts_.resize(index + 1);
  ++counts_[index];
  least_ = count_ == 0 ? value : std::min(least_, value);
  most_ = std::max(most_, value);
  ++count_;
  sum_ += value;
  const double from_mean = static_cast<double>(value) - mean_;
  mean_ += from_mean / static_cast<double>(count_);
  squares_ += from_mean * (static_cast<double>(value) - mean_);
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double Histogram::deviation() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

std::size_t Histogram::index_of(std::uint64_t value) const {
  const int shift = static_cast<int>(std::bit_width(value)) - exact_bits_;
  if (shift <= 0) return value;
  const std::uint64_t half = std::uint64_t{1} << (exact_bits_ - 1);
  return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * half + (value >> shift));
}

Histogram::Class Histogram::class_of(std::size_t index) const {
  const std::uint64_t half = std::uint64_t{1} << (exact_bits_ - 1);
  if (index < 2 * half) return {index, index, counts_[index]};
  const std::uint64_t shift = index / half - 1;
  const std::uint64_t first = (index - shift * half) << shift;
  return {first, first + ((std::uint64_t{1} << shift) - 1), counts_[index]};
}

double Histogram::value_at(std::uint64_t place) const {
  std::size_t index = 0;
  for (std::uint64_t passed = counts_[0]; passed <= place; passed += counts_[index]) ++index;
  const Class found = class_of(index);
  const std::uint64_t middle = found.first + (found.last - found.first) / 2;
  return static_cast<double>(std::clamp(middle, least_, most_));
}

double Histogram::quantile(double share) const {
  if (count_ == 0) return 0;
  const double place = share * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::uint64_t>(place);
  const double lower = value_at(below);
  const double fraction = place - static_cast<double>(below);
  if (fraction == 0) return lower;
  return lower + fraction * (value_at(std::min(below + 1, count_ - 1)) - lower);
}

std::vector<Histogram::Class> Histogram::powers_of_two() const {
  std::vector<Class> classes;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    if (counts_[index] == 0) continue;
    const std::uint64_t value = class_of(index).first;
    const std::uint64_t first = std::bit_floor(value);
    if (classes.empty() || classes.back().first != first)
      classes.push_back({first, first == 0 ? 0 : first + (first - 1), 0});
    classes.back().count += counts_[index];
  }
  return classes;
}

std::vector<Histogram::Class> Histogram::most_common(std::size_t at_most) const {
  std::vector<Class> classes;
  for (std::size_t index = 0; index < counts_.size(); ++index)
    if (counts_[index] > 0) classes.push_back(class_of(index));
  std::ranges::stable_sort(classes, std::ranges::greater{}, &Class::count);
  if (classes.size() > at_most) classes.resize(at_most);
  return classes;
}

}  // namespace platter::trace

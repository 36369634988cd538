#include "trace/class_counts.h"

namespace platter::trace {

void ClassCounts::make_room_for(std::size_t index) { counts_.resize(index + 1); }

void ClassCounts::add(const ClassCounts& others) {
  counts_.resize(std::max(counts_.size(), others.counts_.size()));
  for (std::size_t index = 0; index < others.counts_.size(); ++index)
    counts_[index] += others.counts_[index];
  least_ = std::min(least_, others.least_);
  most_ = std::max(most_, others.most_);
  count_ += others.count_;
}

ClassCounts::Class ClassCounts::class_of(std::size_t index) const {
  const std::uint64_t half = std::uint64_t{1} << (exact_bits_ - 1);
  if (index < 2 * half) return {index, index, counts_[index]};
  const std::uint64_t shift = index / half - 1;
  const std::uint64_t first = (index - shift * half) << shift;
  return {first, first + ((std::uint64_t{1} << shift) - 1), counts_[index]};
}

double ClassCounts::Walk::value_at(std::uint64_t place) {
  if (place < in_front_) index_ = in_front_ = 0;
  while (in_front_ + all_.counts_[index_] <= place) in_front_ += all_.counts_[index_++];
  const Class found = all_.class_of(index_);
  const std::uint64_t middle = found.first + (found.last - found.first) / 2;
  return static_cast<double>(std::clamp(middle, all_.least_, all_.most_));
}

double ClassCounts::quantile(double share) const {
  if (count_ == 0) return 0;
  const double place = share * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::uint64_t>(place);
  const double lower = value_at(below);
  const double fraction = place - static_cast<double>(below);
  if (fraction == 0) return lower;
  return lower + fraction * (value_at(std::min(below + 1, count_ - 1)) - lower);
}

std::vector<ClassCounts::Class> ClassCounts::classes() const {
  std::vector<Class> classes;
  for (std::size_t index = 0; index < counts_.size(); ++index)
    if (counts_[index] > 0) classes.push_back(class_of(index));
  return classes;
}

}  // namespace platter::trace

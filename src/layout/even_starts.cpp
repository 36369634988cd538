#include "layout/even_starts.h"

#include <algorithm>
#include <cmath>

namespace platter::layout {
namespace {

constexpr double kWholeNumber = 1e-6;  // of a sector: starts that are whole numbers

}  // namespace

// Some line is below the next number, and none below this one.
bool EvenStarts::is_lowest(std::uint64_t index, std::uint64_t number) const {
  if (corners_.empty()) return false;
  const double i = index_of(index), low = unwrapped(i, number);
  return std::ranges::all_of(corners_, [&](const Line& line) {
    return line.at(i) > low - kWholeNumber;
  }) && std::ranges::any_of(corners_, [&](const Line& line) { return line.at(i) < low + 1; });
}

bool EvenStarts::is_greatest(std::uint64_t index, std::uint64_t number) const {
  if (corners_.empty()) return false;
  const double i = index_of(index), low = unwrapped(i, number);
  return std::ranges::all_of(corners_, [&](const Line& line) {
    return line.at(i) < low + 1 + kWholeNumber;
  }) && std::ranges::any_of(corners_, [&](const Line& line) { return line.at(i) > low; });
}

// The nearest to where the lines have it.
double EvenStarts::unwrapped(double i, std::uint64_t number) const {
  double sum = 0;
  for (const Line& line : corners_) sum += line.at(i);
  const double middle = sum / static_cast<double>(corners_.size()) - 0.5;
  const auto seen = static_cast<double>(number);
  return seen + numbers_ * std::round((middle - seen) / numbers_);
}

void EvenStarts::begin(std::uint64_t index, std::uint64_t number) {
  corners_.clear();
  first_index_ = index;
  first_number_ = static_cast<double>(number);
  seen_ = 1;
}

void EvenStarts::see(std::uint64_t index, std::uint64_t number) {
  if (seen_ == 0 || index <= first_index_) return begin(index, number);
  const double i = index_of(index);
  if (++seen_ == 2) {
    double second = static_cast<double>(number);
    if (second < first_number_) second += numbers_;
    for (const double start : {first_number_, first_number_ + 1})
      for (const double there : {second, second + 1})
        corners_.push_back({start, (there - start) / i});
    std::swap(corners_[2], corners_[3]);  // in the order of a walk around them
    return;
  }
  const double low = unwrapped(i, number);
  cut(i, 1, low - kWholeNumber);
  cut(i, -1, -(low + 1 + kWholeNumber));
  if (corners_.empty()) begin(index, number);
}

void EvenStarts::cut(double i, double sign, double bound) {
  std::vector<Line> left;
  for (std::size_t k = 0; k < corners_.size(); ++k) {
    const Line& one = corners_[k];
    const Line& next = corners_[(k + 1) % corners_.size()];
    const double here = sign * one.at(i) - bound, there = sign * next.at(i) - bound;
    if (here >= 0) left.push_back(one);
    if ((here > 0 && there < 0) || (here < 0 && there > 0)) {
      const double share = here / (here - there);
      left.push_back({one.start + share * (next.start - one.start),
                      one.step + share * (next.step - one.step)});
    }
  }
  corners_ = std::move(left);
}

}  // namespace platter::layout

#include "layout/even_starts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace platter::layout {
namespace {

constexpr double kWholeNumber = 1e-6;  // of a sector: starts that are whole numbers

}  // namespace

// Skews of whole sectors never rule out a line a little steeper. Such a line and a slip that makes
// up for it are rare both.
bool EvenStarts::tells(std::uint64_t index, std::uint64_t number) const {
  constexpr double kNearlyAll = 0.9;  // Chosen: what is left over is looked at more closely
  if (corners_.empty()) return false;
  const double i = index_of(index), low = unwrapped(i, number);
  const auto left = cut(cut(corners_, i, 1, low), i, -1, -(low + 1));
  return area(left) >= kNearlyAll * area(corners_);
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
  auto left = cut(cut(corners_, i, 1, low - kWholeNumber), i, -1, -(low + 1 + kWholeNumber));
  // A slip in front of a track's first block looks like a line that is just possible.
  constexpr double kHardlyAny = 1e-3;
  if (area(left) < kHardlyAny * area(corners_)) return begin(index, number);
  corners_ = std::move(left);
}

std::vector<EvenStarts::Line> EvenStarts::cut(const std::vector<Line>& corners, double i,
                                              double sign, double bound) {
  std::vector<Line> left;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Line& one = corners[k];
    const Line& next = corners[(k + 1) % corners.size()];
    const double here = sign * one.at(i) - bound, there = sign * next.at(i) - bound;
    if (here >= 0) left.push_back(one);
    if ((here > 0 && there < 0) || (here < 0 && there > 0)) {
      const double share = here / (here - there);
      left.push_back({one.start + share * (next.start - one.start),
                      one.step + share * (next.step - one.step)});
    }
  }
  return left;
}

double EvenStarts::area(const std::vector<Line>& corners) {
  double twice = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Line& one = corners[k];
    const Line& next = corners[(k + 1) % corners.size()];
    twice += (one.start - corners[0].start) * (next.step - corners[0].step) -
             (next.start - corners[0].start) * (one.step - corners[0].step);
  }
  return std::abs(twice) / 2;
}

}  // namespace platter::layout

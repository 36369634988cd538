// Numbers that move on evenly from one to the next, around a circle of so many, each cut down to a
// whole one: which number the next is. So do the numbers with which tracks begin at the same place
// of every cycle, where numbers start at the index.
#pragma once

#include <cstdint>
#include <vector>

namespace platter::layout {

class EvenStarts {
 public:
  explicit EvenStarts(std::uint64_t numbers) : numbers_(static_cast<double>(numbers)) {}

  // Whether nearly all lines that what was seen allows have this number at `index`.
  bool tells(std::uint64_t index, std::uint64_t number) const;
  // Where it contradicts those before, all begins anew with it.
  void see(std::uint64_t index, std::uint64_t number);

 private:
  // The number of index i is `start` + i * `step`, i counted from the first that was seen. What the
  // numbers seen allow is a convex polygon, of a few corners at any time.
  struct Line {
    double start = 0, step = 0;
    double at(double i) const { return start + step * i; }
  };
  double index_of(std::uint64_t index) const {
    return static_cast<double>(index) - static_cast<double>(first_index_);
  }
  double unwrapped(double i, std::uint64_t number) const;
  void begin(std::uint64_t index, std::uint64_t number);
  // Those for which sign * at(i) is not below sign * bound.
  static std::vector<Line> cut(const std::vector<Line>& corners, double i, double sign,
                               double bound);
  static double area(const std::vector<Line>& corners);

  double numbers_;
  std::uint64_t first_index_ = 0, seen_ = 0;
  double first_number_ = 0;
  std::vector<Line> corners_;
};

}  // namespace platter::layout

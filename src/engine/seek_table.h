// Seek time by distance: the model's curve as a table, linear between its points and past its end.
#pragma once

#include <vector>

#include "model/drive_model.h"

namespace platter::engine {

class SeekTable {
 public:
  // Throws Error(bad_input) if the points do not ascend or a time is no time.
  explicit SeekTable(const model::Seek& seek);

  // Time to move the arm by so many cylinders (read seek); 0 for no distance.
  Nanoseconds time_ns(std::uint32_t cylinders) const {
    if (cylinders == 0) return 0;
    std::size_t low = 0, high = points_.size() - 1;  // the line from points_[low] to points_[high]
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (points_[middle].cylinders <= cylinders ? low : high) = middle;
    }
    const Point& a = points_[low];
    const Point& b = points_[high];
    const std::int64_t along = static_cast<std::int64_t>(cylinders) - a.cylinders;
    const std::int64_t across = b.cylinders - a.cylinders;
    const std::int64_t time = a.time_ns + (b.time_ns - a.time_ns) * along / across;
    return time > 0 ? time : 0;
  }

 private:
  struct Point {
    std::int64_t cylinders;
    Nanoseconds time_ns;
  };
  std::vector<Point> points_;  // at least two
};

}  // namespace platter::engine

// Seek time by distance: the model's curve as a table, linear between its points and past its end.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bucket_index.h"
#include "engine/flat_tables.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::engine {

class SeekTable {
 public:
  // Throws Error(bad_input) if the points do not ascend or a time is no time.
  explicit SeekTable(const model::Seek& seek);
  // Over points that seek_defect found nothing wrong with; `owner` keeps them in memory.
  SeekTable(std::span<const FlatSeekPoint> points, std::span<const std::uint32_t> index,
            std::uint32_t shift, std::shared_ptr<const void> owner);

  // Time to move the arm by so many cylinders (read seek); 0 for no distance.
  Nanoseconds time_ns(std::uint32_t cylinders) const {
    if (cylinders == 0) return 0;
    std::size_t low = points_.size() - 2;  // the line from points_[low] to the next one
    if (cylinders < points_.back().cylinders) {
      const std::size_t reached =
          count_not_above(points_, &FlatSeekPoint::cylinders, index_, shift_, cylinders);
      low = std::max<std::size_t>(reached, 1) - 1;
    }
    const FlatSeekPoint& a = points_[low];
    const FlatSeekPoint& b = points_[low + 1];
    const std::int64_t along = static_cast<std::int64_t>(cylinders) - a.cylinders;
    const std::int64_t across = b.cylinders - a.cylinders;
    const std::int64_t time = a.time_ns + (b.time_ns - a.time_ns) * along / across;
    return time > 0 ? time : 0;
  }

  std::span<const FlatSeekPoint> points() const { return points_; }  // at least two
  std::span<const std::uint32_t> index() const { return index_; }
  std::uint32_t shift() const { return shift_; }

 private:
  std::span<const FlatSeekPoint> points_;
  std::span<const std::uint32_t> index_;
  std::uint32_t shift_;
  std::shared_ptr<const void> owner_;
};

// What is wrong with seek points for a drive of so many cylinders, to follow "its seek curve";
// nullopt: nothing, and no distance overflows.
std::optional<std::string> seek_defect(std::span<const FlatSeekPoint> points,
                                       std::uint32_t cylinders);
std::uint32_t seek_shift_of(std::span<const FlatSeekPoint> points);
std::vector<std::uint32_t> seek_index_of(std::span<const FlatSeekPoint> points);

}  // namespace platter::engine

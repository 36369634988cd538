#include "model/seek_curve.h"

#include <algorithm>

namespace platter::model {
namespace {

using Points = std::vector<SeekPoint>;

// The first point at or behind a distance.
Points::const_iterator point_behind(const Seek& seek, double cylinders) {
  return std::lower_bound(seek.points.begin(), seek.points.end(), cylinders,
                          [](const SeekPoint& point, double distance) { return point.cylinders < distance; });
}

}  // namespace

double seek_time_ms(const Seek& seek, double cylinders) {
  if (cylinders <= 0) return 0;
  auto right = point_behind(seek, cylinders);
  if (right == seek.points.end()) {
    if (seek.points.size() == 1) return seek.points[0].time_ms;
    --right;
  }
  const SeekPoint left = right == seek.points.begin() ? SeekPoint{} : *(right - 1);
  const double share =
      (cylinders - left.cylinders) / (static_cast<double>(right->cylinders) - left.cylinders);
  return left.time_ms + share * (right->time_ms - left.time_ms);
}

std::optional<double> seek_error_ms(const Seek& seek, double cylinders) {
  auto right = point_behind(seek, cylinders);
  if (right == seek.points.end()) --right;
  if (right->cylinders == cylinders || right == seek.points.begin()) return right->error_ms;
  const auto left = right - 1;
  if (!left->error_ms || !right->error_ms) return std::nullopt;
  return std::max(*left->error_ms, *right->error_ms);
}

double average_seek_ms(const Seek& seek, std::uint32_t cylinders) {
  const double all = cylinders;
  double sum = 0;
  for (std::uint32_t distance = 1; distance < cylinders; ++distance) {
    sum += (all - distance) * seek_time_ms(seek, distance);
  }
  return sum / (all * (all - 1) / 2);
}

}  // namespace platter::model

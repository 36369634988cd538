#include "model/seek_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/stand_ins.h"

namespace platter::model {
namespace {

using Points = std::vector<SeekPoint>;

// The first point at or behind a distance.
Points::const_iterator point_behind(const Seek& seek, double cylinders) {
  return std::lower_bound(
      seek.points.begin(), seek.points.end(), cylinders,
      [](const SeekPoint& point, double distance) { return point.cylinders < distance; });
}

// How much a curve that is known at `left` and `right` may stray between them, as variance: that of
// a Brownian bridge of variance 1 a cylinder.
double bridge(double left, double at, double right) {
  return (at - left) * (right - at) / (right - left);
}

// The variance a cylinder of that bridge, by the inner points nearest to points[right - 1] and
// points[right]; what their errors explain is taken off.
double roughness(const Points& points, std::size_t right) {
  constexpr std::size_t kOnEachSide = 3;  // Chosen: local, and not few points alone
  const std::size_t from = right > kOnEachSide ? right - kOnEachSide : 1;
  const std::size_t to = std::min(points.size() - 1, right + kOnEachSide);
  double sum = 0, count = 0;
  for (std::size_t i = std::max<std::size_t>(1, from); i < to; ++i) {
    const SeekPoint &before = points[i - 1], &point = points[i], &behind = points[i + 1];
    const double share = static_cast<double>(point.cylinders - before.cylinders) /
                         static_cast<double>(behind.cylinders - before.cylinders);
    const double off_ms = point.time_ms - before.time_ms -
                          share * (behind.time_ms - before.time_ms);
    const double error_ms = std::hypot(point.error_ms.value_or(0),
                                       (1 - share) * before.error_ms.value_or(0),
                                       share * behind.error_ms.value_or(0));
    sum += std::max(0.0, off_ms * off_ms - error_ms * error_ms) /
           bridge(before.cylinders, point.cylinders, behind.cylinders);
    ++count;
  }
  return count > 0 ? sum / count : 0;
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
  const double share = (cylinders - left.cylinders) /
                       (static_cast<double>(right->cylinders) - left.cylinders);
  return left.time_ms + share * (right->time_ms - left.time_ms);
}

std::set<std::uint32_t> seek_distances(std::initializer_list<const Seek*> curves) {
  std::set<std::uint32_t> distances;
  for (const Seek* seek : curves)
    for (const SeekPoint& point : seek->points) distances.insert(point.cylinders);
  return distances;
}

Seek outward_seek(const DriveModel& model) { return model.outward_seek.value_or(model.seek); }

Seek mean_seek(const DriveModel& model) {
  if (!model.outward_seek) return model.seek;
  Seek mean;
  mean.method = model.seek.method;
  for (const std::uint32_t distance : seek_distances({&model.seek, &*model.outward_seek}))
    mean.points.push_back(
        {distance,
         (seek_time_ms(model.seek, distance) + seek_time_ms(*model.outward_seek, distance)) / 2,
         std::nullopt, 0});
  return mean;
}

Seek write_seek(const DriveModel& model) {
  if (model.write_seek) return *model.write_seek;
  Seek seek = model.seek;
  for (SeekPoint& point : seek.points) {
    point.time_ms = std::max(0.0, point.time_ms + acting(model, model.write_settle));
    if (point.error_ms)
      point.error_ms = std::hypot(*point.error_ms, model.write_settle.error.value_or(0));
  }
  return seek;
}

std::optional<double> seek_error_ms(const Seek& seek, double cylinders) {
  auto right = point_behind(seek, cylinders);
  if (right == seek.points.end()) --right;
  if (right->cylinders == cylinders || right == seek.points.begin()) return right->error_ms;
  const auto left = right - 1;
  if (!left->error_ms || !right->error_ms) return std::nullopt;
  const auto number = static_cast<std::size_t>(right - seek.points.begin());
  return std::hypot(std::max(*left->error_ms, *right->error_ms),
                    std::sqrt(roughness(seek.points, number) *
                              bridge(left->cylinders, cylinders, right->cylinders)));
}

// The sum over all distances, line by line: over one, what is summed is a polynomial of the
// distance.
double average_seek_ms(const Seek& seek, std::uint32_t cylinders) {
  const double all = cylinders;
  double sum = 0;
  const auto add_line = [&](double first, double last) {
    if (first > last) return;
    const double start_ms = seek_time_ms(seek, first);
    const double slope = last > first ? (seek_time_ms(seek, last) - start_ms) / (last - first) : 0;
    const double count = last - first + 1, most = count - 1;  // distances first + 0 to first + most
    const double ones = count, steps = most * count / 2,
                 squares = most * count * (2 * most + 1) / 6;
    sum += (all - first) * (start_ms * ones + slope * steps) - start_ms * steps - slope * squares;
  };
  double next = 1;
  const double farthest = all - 1;
  for (const SeekPoint& point : seek.points) {
    if (point.cylinders < next) continue;
    const double end = std::min<double>(point.cylinders, farthest);
    add_line(next, end);
    next = end + 1;
    if (next > farthest) break;
  }
  add_line(next, farthest);
  return sum / (all * (all - 1) / 2);
}

}  // namespace platter::model

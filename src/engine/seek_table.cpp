#include "engine/seek_table.h"

#include <cmath>
#include <utility>

#include "model/error.h"

namespace platter::engine {
namespace {

constexpr Nanoseconds kLongestSeek = 60 * kSecond;
constexpr std::int64_t kFarthestSeek = std::int64_t{1} << 32;
constexpr std::size_t kSeekDensity = 2;

struct SeekArrays {
  std::vector<FlatSeekPoint> points;
  std::vector<std::uint32_t> index;
};

std::vector<FlatSeekPoint> points_of(const model::Seek& seek) {
  std::vector<FlatSeekPoint> points;
  for (const auto& point : seek.points) {
    if (!std::isfinite(point.time_ms) || point.time_ms < 0 || point.time_ms > 60'000)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve has a time that is none; correct the model file");
    if (point.cylinders == 0 || (!points.empty() && point.cylinders <= points.back().cylinders))
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve does not ascend by distance; correct the model file");
    points.push_back({point.cylinders, from_ms(point.time_ms)});
  }
  if (points.empty())
    throw Error(ExitStatus::bad_input,
                "the model has no seek curve; measure or import one before it can run");
  // A curve of one point is flat.
  if (points.size() == 1) points.push_back({points[0].cylinders + 1, points[0].time_ns});
  return points;
}

}  // namespace

SeekTable::SeekTable(const model::Seek& seek) {
  auto arrays = std::make_shared<SeekArrays>();
  arrays->points = points_of(seek);
  arrays->index = seek_index_of(arrays->points);
  points_ = arrays->points;
  index_ = arrays->index;
  shift_ = seek_shift_of(points_);
  owner_ = std::move(arrays);
}

SeekTable::SeekTable(std::span<const FlatSeekPoint> points, std::span<const std::uint32_t> index,
                     std::uint32_t shift, std::shared_ptr<const void> owner)
    : points_(points), index_(index), shift_(shift), owner_(std::move(owner)) {}

std::optional<std::string> seek_defect(std::span<const FlatSeekPoint> points,
                                       std::uint32_t cylinders) {
  if (points.size() < 2) return "has less than two points";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FlatSeekPoint& point = points[i];
    if (point.cylinders <= (i == 0 ? 0 : points[i - 1].cylinders) || point.cylinders > kFarthestSeek)
      return "does not ascend by distance";
    if (point.time_ns < 0 || point.time_ns > kLongestSeek) return "has a time that is none";
  }
  // |time| * distance must stay below 2^63 also before the first point and past the last.
  const FlatSeekPoint& a = points[points.size() - 2];
  const FlatSeekPoint& b = points.back();
  const auto farthest = static_cast<double>(std::max<std::int64_t>(cylinders, b.cylinders));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto rise = static_cast<double>(points[i].time_ns - points[i - 1].time_ns);
    const auto run = static_cast<double>(points[i].cylinders - points[i - 1].cylinders);
    const double before = i == 1 ? static_cast<double>(points[0].cylinders) : 0;
    const double past = i + 1 == points.size() ? farthest : 0;
    if (std::abs(rise) * (before + run + past) > 0x1p62) return "is too steep";
  }
  const double beyond = static_cast<double>(b.time_ns - a.time_ns) * farthest /
                        static_cast<double>(b.cylinders - a.cylinders);
  if (std::abs(beyond) > 100.0 * static_cast<double>(kLongestSeek))
    return "is too steep past its end";
  return std::nullopt;
}

std::uint32_t seek_shift_of(std::span<const FlatSeekPoint> points) {
  return bucket_shift(static_cast<std::uint64_t>(points.back().cylinders), points.size(),
                      kSeekDensity);
}

std::vector<std::uint32_t> seek_index_of(std::span<const FlatSeekPoint> points) {
  return build_index(points, &FlatSeekPoint::cylinders, seek_shift_of(points),
                     static_cast<std::uint64_t>(points.back().cylinders));
}

}  // namespace platter::engine

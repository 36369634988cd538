#include "engine/seek_table.h"

#include <cmath>
#include <utility>

#include "model/error.h"
#include "model/seek_curve.h"

namespace platter::engine {
namespace {

constexpr Nanoseconds kLongestSeek = 60 * kSecond;
constexpr std::uint64_t kFarthestSeek = std::uint64_t{1} << 32;
constexpr std::size_t kSeekDensity = 1;

constexpr std::size_t kKinds = 4;  // of reads inward and outward, of writes inward and outward

struct SeekArrays {
  std::vector<std::uint64_t> distances;  // padded
  std::vector<FlatSeekLine> lines;
  std::vector<std::uint32_t> buckets;
};

void check_points(const model::Seek& seek) {
  std::uint32_t before = 0;
  for (const auto& point : seek.points) {
    if (!std::isfinite(point.time_ms) || point.time_ms < 0 || point.time_ms > 60'000)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve has a time that is none; correct the model file");
    if (point.cylinders <= before)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve does not ascend by distance; correct the model file");
    before = point.cylinders;
  }
  if (seek.points.empty())
    throw Error(ExitStatus::bad_input,
                "the model has no seek curve; measure or import one before it can run");
}

// The model's curves at the distances of all of them.
std::vector<model::Seek> curves_of(const model::DriveModel& model) {
  check_points(model.seek);
  if (!model.outward_seek && !model.write_seek) return {model.seek};
  const model::Seek outward = model::outward_seek(model), write = model::write_seek(model);
  for (const model::Seek* seek : {&outward, &write}) check_points(*seek);
  std::vector<model::Seek> curves(kKinds);
  for (const std::uint32_t distance : model::seek_distances({&model.seek, &outward, &write})) {
    const auto add = [&](bool outwards, bool writes, double time_ms) {
      curves[SeekTable::curve(outwards, writes)].points.push_back(
          {distance, std::max(0.0, time_ms), std::nullopt, 0});
    };
    const double in = model::seek_time_ms(model.seek, distance);
    const double out = model::seek_time_ms(outward, distance);
    const double writing = model::seek_time_ms(write, distance);
    add(false, false, in);
    add(true, false, out);
    add(false, true, writing);
    add(true, true, writing + out - in);
  }
  return curves;
}

std::int64_t slope_between(std::uint64_t from, std::uint64_t to, Nanoseconds rise) {
  const auto run = static_cast<std::int64_t>(to - from);
  const std::int64_t scaled = rise << SeekTable::kSlopeBits;
  return (scaled + (scaled < 0 ? -run : run) / 2) / run;
}

// Of the line that begins at point i; the last point's goes on as the line before it.
std::int64_t slope_at(std::span<const std::uint64_t> distances, std::span<const FlatSeekLine> lines,
                      std::size_t i) {
  const std::size_t from = std::min(i, lines.size() - 2);
  return slope_between(distances[from], distances[from + 1],
                       lines[from + 1].time_ns - lines[from].time_ns);
}

// Curves of the same distances.
SeekPoints points_of(std::span<const model::Seek> curves) {
  SeekPoints points;
  points.curves = static_cast<std::uint32_t>(curves.size());
  for (const auto& point : curves[0].points) points.cylinders.push_back(point.cylinders);
  const bool flat = curves[0].points.size() == 1;  // a curve of one point
  if (flat) points.cylinders.push_back(points.cylinders[0] + 1);
  for (const model::Seek& seek : curves) {
    check_points(seek);
    for (const auto& point : seek.points) points.times_ns.push_back(from_ms(point.time_ms));
    if (flat) points.times_ns.push_back(points.times_ns.back());
  }
  return points;
}

}  // namespace

SeekTable::SeekTable(const model::Seek& seek) : SeekTable(points_of(std::span(&seek, 1))) {}

SeekTable::SeekTable(const model::DriveModel& model) : SeekTable(points_of(curves_of(model))) {}

SeekTable::SeekTable(const SeekPoints& points)
    : points_(points.cylinders.size()), curves_(points.curves) {
  auto arrays = std::make_shared<SeekArrays>();
  arrays->distances = points.cylinders;
  for (const Nanoseconds time_ns : points.times_ns) arrays->lines.push_back({time_ns, 0});
  for (std::uint32_t curve = 0; curve < curves_; ++curve) {
    const std::span lines = std::span(arrays->lines).subspan(curve * points_, points_);
    for (std::size_t i = 0; i < points_; ++i)
      lines[i].slope = slope_at(arrays->distances, lines, i);
  }
  const std::uint64_t last = arrays->distances.back();
  const std::uint32_t shift = bucket_shift(last, points_, kSeekDensity);
  arrays->buckets = build_buckets(arrays->distances, shift, last);
  pad(arrays->distances);
  distances_ = {arrays->distances, arrays->buckets, shift};
  lines_ = arrays->lines;
  owner_ = std::move(arrays);
}

SeekPoints SeekTable::points() const {
  SeekPoints points;
  points.curves = curves_;
  const auto distances = distances_.keys.first(points_);
  points.cylinders.assign(distances.begin(), distances.end());
  for (const FlatSeekLine& line : lines_) points.times_ns.push_back(line.time_ns);
  return points;
}

std::optional<std::string> seek_defect(const SeekPoints& seek, std::uint32_t cylinders) {
  if (seek.curves != 1 && seek.curves != kKinds) return "is neither one nor four";
  const std::size_t points = seek.cylinders.size();
  if (points < 2) return "has less than two points";
  if (seek.times_ns.size() != points * seek.curves) return "has times without distances";
  if (seek.cylinders[0] == 0 || seek.cylinders.back() > kFarthestSeek || !ascend(seek.cylinders))
    return "does not ascend by distance";
  for (const Nanoseconds time_ns : seek.times_ns)
    if (time_ns < 0 || time_ns > kLongestSeek) return "has a time that is none";
  for (std::uint32_t curve = 0; curve < seek.curves; ++curve) {
    const auto times = std::span(seek.times_ns).subspan(curve * points, points);
    const std::int64_t slope = slope_between(seek.cylinders[points - 2], seek.cylinders[points - 1],
                                             times[points - 1] - times[points - 2]);
    const double beyond = std::ldexp(static_cast<double>(slope), -SeekTable::kSlopeBits) *
                          cylinders;
    if (std::abs(beyond) > 100.0 * static_cast<double>(kLongestSeek))
      return "is too steep past its end";
  }
  return std::nullopt;
}

}  // namespace platter::engine

#include "emit/small/thin_seeks.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/seek_table.h"
#include "model/interruption.h"
#include "model/seek_curve.h"

namespace platter::emit_small {
namespace {

using engine::SeekPoints;

constexpr int kHalvings = 40;  // of the tolerance: to a picosecond

double time_at(const SeekPoints& points, std::uint32_t curve, std::size_t i) {
  return static_cast<double>(points.times_ns[curve * points.cylinders.size() + i]);
}

// The slopes of lines from a point that pass all points looked at so far no farther than the
// tolerance, for each curve.
class Cone {
 public:
  Cone(const SeekPoints& points, std::size_t from, double tolerance_ns)
      : points_(points), from_(from), tolerance_ns_(tolerance_ns), slopes_(points.curves) {}

  bool holds(std::size_t to) const {
    for (std::uint32_t curve = 0; curve < points_.curves; ++curve) {
      const double slope = rise(curve, to) / run(to);
      if (slope < slopes_[curve].low || slope > slopes_[curve].high) return false;
    }
    return true;
  }
  // false: no line is left.
  bool narrow(std::size_t by) {
    for (std::uint32_t curve = 0; curve < points_.curves; ++curve) {
      Slopes& slopes = slopes_[curve];
      slopes.low = std::max(slopes.low, (rise(curve, by) - tolerance_ns_) / run(by));
      slopes.high = std::min(slopes.high, (rise(curve, by) + tolerance_ns_) / run(by));
      if (slopes.low > slopes.high) return false;
    }
    return true;
  }

 private:
  struct Slopes {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
  };
  double rise(std::uint32_t curve, std::size_t to) const {
    return time_at(points_, curve, to) - time_at(points_, curve, from_);
  }
  double run(std::size_t to) const {
    return static_cast<double>(points_.cylinders[to] - points_.cylinders[from_]);
  }

  const SeekPoints& points_;
  std::size_t from_;
  double tolerance_ns_;
  std::vector<Slopes> slopes_;
};

// The fewest points, from the first to the last but one, whose lines pass all others within the
// tolerance.
std::vector<std::size_t> fewest(const SeekPoints& points, double tolerance_ns) {
  const std::size_t n = points.cylinders.size() - 1;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> lines(n, kNone), before(n, 0);
  lines[0] = 0;
  for (std::size_t from = 0; from + 1 < n; ++from) {
    stop_if_asked();
    Cone cone(points, from, tolerance_ns);
    for (std::size_t to = from + 1; to < n; ++to) {
      if (cone.holds(to) && lines[from] + 1 < lines[to]) {
        lines[to] = lines[from] + 1;
        before[to] = from;
      }
      if (!cone.narrow(to)) break;
    }
  }
  std::vector<std::size_t> kept{n - 1};
  while (kept.back() != 0) kept.push_back(before[kept.back()]);
  std::ranges::reverse(kept);
  return kept;
}

std::vector<std::size_t> kept_points(const SeekPoints& points, std::size_t most) {
  double low_ns = 0, high_ns = 0;
  for (const Nanoseconds time_ns : points.times_ns)
    high_ns = std::max(high_ns, 2 * static_cast<double>(time_ns) + 1);
  std::vector<std::size_t> kept = fewest(points, high_ns);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle_ns = (low_ns + high_ns) / 2;
    std::vector<std::size_t> tried = fewest(points, middle_ns);
    const bool fits = tried.size() <= most;
    (fits ? high_ns : low_ns) = middle_ns;
    if (fits) kept = std::move(tried);
  }
  return kept;
}

model::Seek at(const model::Seek& seek, const SeekPoints& points,
               const std::vector<std::size_t>& kept) {
  model::Seek thin;
  thin.method = seek.method;
  for (const std::size_t i : kept) {
    const auto cylinders = static_cast<std::uint32_t>(points.cylinders[i]);
    thin.points.push_back(
        {cylinders, std::max(0.0, model::seek_time_ms(seek, cylinders)), std::nullopt, 0});
  }
  return thin;
}

}  // namespace

std::size_t seek_points(const model::DriveModel& model) {
  return engine::SeekTable(model).points().cylinders.size();
}

void thin_seeks(model::DriveModel& model, std::size_t most_points) {
  const SeekPoints points = engine::SeekTable(model).points();
  if (points.cylinders.size() <= most_points) return;
  // The line past the last point is that of the last two: they stay together.
  std::vector<std::size_t> kept = kept_points(points, most_points - 1);
  kept.push_back(points.cylinders.size() - 1);
  if (model.outward_seek) model.outward_seek = at(model::outward_seek(model), points, kept);
  if (model.write_seek) model.write_seek = at(model::write_seek(model), points, kept);
  model.seek = at(model.seek, points, kept);
}

}  // namespace platter::emit_small

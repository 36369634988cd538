#include "model/seek_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::model {
namespace {

constexpr std::size_t kFewest = 3;       // points of a branch
constexpr std::size_t kMostKnees = 256;  // that are tried at once

// Least squares for a + b u + e v, with u = min(sqrt(d), sqrt(knee)) and v = max(d - knee, 0): what
// is linear in a, b and e meets at the knee whatever they are.
std::optional<SeekFit> fit_with_knee(const std::vector<SeekPoint>& points, std::uint32_t knee) {
  const double root = std::sqrt(knee), n = static_cast<double>(points.size());
  const auto u = [&](const SeekPoint& point) { return std::min(std::sqrt(point.cylinders), root); };
  const auto v = [&](const SeekPoint& point) {
    return point.cylinders > knee ? static_cast<double>(point.cylinders - knee) : 0.0;
  };
  double mean_u = 0, mean_v = 0, mean_y = 0;
  for (const SeekPoint& point : points) {
    mean_u += u(point) / n;
    mean_v += v(point) / n;
    mean_y += point.time_ms / n;
  }
  double uu = 0, vv = 0, uv = 0, uy = 0, vy = 0;
  for (const SeekPoint& point : points) {
    const double du = u(point) - mean_u, dv = v(point) - mean_v, dy = point.time_ms - mean_y;
    uu += du * du;
    vv += dv * dv;
    uv += du * dv;
    uy += du * dy;
    vy += dv * dy;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return std::nullopt;
  SeekFit fit;
  fit.knee = knee;
  fit.b_ms = (uy * vv - vy * uv) / determinant;
  fit.e_ms = (vy * uu - uy * uv) / determinant;
  fit.a_ms = mean_y - fit.b_ms * mean_u - fit.e_ms * mean_v;
  fit.c_ms = fit.a_ms + fit.b_ms * root - fit.e_ms * knee;
  double squares = 0;
  for (const SeekPoint& point : points) {
    const double left = point.time_ms - fit.time_ms(point.cylinders);
    squares += left * left;
  }
  fit.rms_ms = std::sqrt(squares / n);
  return fit;
}

}  // namespace

double SeekFit::time_ms(double cylinders) const {
  return cylinders <= knee ? a_ms + b_ms * std::sqrt(cylinders) : c_ms + e_ms * cylinders;
}

std::optional<SeekFit> fit_seek(const Seek& seek) {
  const auto& points = seek.points;
  if (points.size() < 2 * kFewest) return std::nullopt;
  // Each point may be the knee; of long curves some do at first, and then those about the best.
  std::optional<SeekFit> best;
  std::size_t first = kFewest - 1, end = points.size() - kFewest, at = first;
  for (std::size_t step = 0; step != 1;) {
    step = 1 + (end - first) / kMostKnees;
    for (std::size_t i = first; i < end; i += step) {
      const auto fit = fit_with_knee(points, points[i].cylinders);
      if (!fit || (best && fit->rms_ms >= best->rms_ms)) continue;
      best = fit;
      at = i;
    }
    first = std::max(first, at - std::min(at, step));
    end = std::min(end, at + step);
  }
  return best;
}

}  // namespace platter::model

#include "model/seek_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::model {
namespace {

constexpr std::size_t kFewest = 3;       // points of a branch
constexpr std::size_t kMostKnees = 256;  // that are tried at once

struct Place {
  std::uint32_t cylinders;
  double root;  // of the cylinders
  double time_ms;
};

struct Places {
  std::vector<Place> all{};
  double mean_ms = 0;
};

Places places_of(const std::vector<SeekPoint>& points) {
  Places places;
  for (const SeekPoint& point : points) {
    places.all.push_back({point.cylinders, std::sqrt(point.cylinders), point.time_ms});
    places.mean_ms += point.time_ms / static_cast<double>(points.size());
  }
  return places;
}

// Least squares for a + b u + e v, with u = min(sqrt(d), sqrt(knee)) and v = max(d - knee, 0): what
// is linear in a, b and e meets at the knee whatever they are.
std::optional<SeekFit> fit_with_knee(const Places& places, std::uint32_t knee) {
  const std::vector<Place>& points = places.all;
  const double root = std::sqrt(knee), n = static_cast<double>(points.size());
  const auto u = [&](const Place& point) { return std::min(point.root, root); };
  const auto v = [&](const Place& point) {
    return point.cylinders > knee ? static_cast<double>(point.cylinders - knee) : 0.0;
  };
  double mean_u = 0, mean_v = 0;
  const double mean_y = places.mean_ms;
  for (const Place& point : points) {
    mean_u += u(point) / n;
    mean_v += v(point) / n;
  }
  double uu = 0, vv = 0, uv = 0, uy = 0, vy = 0;
  for (const Place& point : points) {
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
  for (const Place& point : points) {
    const double left = point.time_ms - (point.cylinders <= knee
                                             ? fit.a_ms + fit.b_ms * point.root
                                             : fit.c_ms + fit.e_ms * point.cylinders);
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
  const Places places = places_of(points);
  // Each point may be the knee; of long curves some do at first, and then those about the best.
  std::optional<SeekFit> best;
  std::size_t first = kFewest - 1, end = points.size() - kFewest, at = first;
  for (std::size_t step = 0; step != 1;) {
    step = 1 + (end - first) / kMostKnees;
    for (std::size_t i = first; i < end; i += step) {
      const auto fit = fit_with_knee(places, points[i].cylinders);
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

#include "layout/index_rotation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "model/interruption.h"

namespace platter::layout {
namespace {

double fraction(double rev) { return rev - std::floor(rev); }
double nearest(double rev) { return rev - std::round(rev); }  // -0.5 to 0.5

// The angles of tracks as start + per_sweep * sweep + per_track * within, modulo a revolution.
struct Fit {
  double start = 0, per_sweep = 0, per_track = 0;
};

struct Point {
  double sweep = 0, within = 0, rev = 0;
};

double residual(const Fit& fit, const Point& point) {
  return nearest(point.rev - fit.start - fit.per_sweep * point.sweep -
                 fit.per_track * point.within);
}

// Both skews by the sharpest peak of the points' periodogram.
Fit coarse(const std::vector<Point>& points, double sweeps, double within) {
  constexpr double kStepsPerTurn = 3;  // the phase of the farthest track is a sixth off at most
  const double sweep_step = 1 / (kStepsPerTurn * (sweeps + 1));
  const double within_step = 1 / (kStepsPerTurn * (within + 1));
  const auto turn = [](double rev) { return std::polar(1.0, 2 * std::numbers::pi * rev); };
  Fit best;
  double highest = -1;
  std::vector<std::complex<double>> phase(points.size()), step(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) step[i] = turn(-sweep_step * points[i].sweep);
  for (double per_track = 0; per_track < 1; per_track += within_step) {
    for (std::size_t i = 0; i < points.size(); ++i)
      phase[i] = turn(points[i].rev - per_track * points[i].within);
    for (double per_sweep = 0; per_sweep < 1; per_sweep += sweep_step) {
      stop_if_asked();
      std::complex<double> sum = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        sum += phase[i];
        phase[i] *= step[i];
      }
      if (std::norm(sum) <= highest) continue;
      highest = std::norm(sum);
      best = {fraction(std::arg(sum) / (2 * std::numbers::pi)), per_sweep, per_track};
    }
  }
  return best;
}

// Least squares of what is left over, for the points that are not farther off.
Fit refined(Fit fit, const std::vector<Point>& points, double farthest) {
  std::array<std::array<double, 4>, 3> m{};
  for (int i = 0; i < 3; ++i) m[i][i] = 1e-9;  // a skew that no point tells stays as it was
  for (const Point& point : points) {
    const double left = residual(fit, point);
    if (std::abs(left) > farthest) continue;
    const std::array<double, 3> x{1, point.sweep, point.within};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += x[i] * x[j];
      m[i][3] += x[i] * left;
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int row = 0; row < 3; ++row) {
      if (row == i) continue;
      const double factor = m[row][i] / m[i][i];
      for (int j = i; j < 4; ++j) m[row][j] -= factor * m[i][j];
    }
  }
  fit.start += m[0][3] / m[0][0];
  fit.per_sweep += m[1][3] / m[1][1];
  fit.per_track += m[2][3] / m[2][2];
  return fit;
}

}  // namespace

double IndexRotation::at(std::uint64_t track) const {
  const Position& position = positions_.at(track);
  return fraction(start_ + per_sweep_ * position.sweep + per_track_ * position.within);
}

// A sweep ends with the rarer kind of step: to the next cylinder, or, where a surface is swept, to
// the next head.
std::vector<IndexRotation::Position> IndexRotation::positions(const TrackOrder& order,
                                                              std::uint64_t tracks) {
  std::vector<Position> result(tracks);
  std::uint64_t heads = 0, cylinders = 0;
  TrackPlace before = order.at(0);
  for (std::uint64_t track = 0; track < tracks; ++track) {
    const TrackPlace place = order.at(track);
    if (track > 0) ++(place.cylinder != before.cylinder ? cylinders : heads);
    result[track] = {static_cast<double>(cylinders), static_cast<double>(heads)};
    before = place;
  }
  if (heads < cylinders)
    for (Position& position : result) std::swap(position.sweep, position.within);
  const double sweeps = static_cast<double>(std::min(heads, cylinders));
  const double period = std::round(static_cast<double>(std::max(heads, cylinders)) / (sweeps + 1));
  for (Position& position : result) position.within -= period * position.sweep;
  return result;
}

std::optional<IndexRotation> fit_rotation(const TrackOrder& order, std::uint64_t tracks,
                                          const std::vector<TrackStart>& seen,
                                          double tolerance_rev) {
  constexpr std::size_t kFewest = 5, kMost = 40;
  constexpr double kMostSteps = 1e7;
  if (seen.size() < kFewest) return std::nullopt;
  IndexRotation rotation;
  rotation.positions_ = IndexRotation::positions(order, tracks);
  double sweeps = 0, least = 0, most = 0;
  for (const IndexRotation::Position& position : rotation.positions_) {
    sweeps = std::max(sweeps, position.sweep);
    least = std::min(least, position.within);
    most = std::max(most, position.within);
  }
  std::vector<Point> points;
  const std::size_t every = (seen.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < seen.size(); i += every) {
    if (seen[i].track >= tracks) continue;
    const auto& position = rotation.positions_[seen[i].track];
    points.push_back({position.sweep, position.within, seen[i].rev});
  }
  const double tried = 9 * (sweeps + 1) * (most - least + 1);
  if (tried > kMostSteps) return std::nullopt;
  Fit fit = coarse(points, sweeps, most - least);
  for (double farthest = 0.2; farthest > tolerance_rev; farthest /= 2)
    fit = refined(fit, points, farthest);
  const auto near = static_cast<double>(std::ranges::count_if(
      points, [&](const Point& point) { return std::abs(residual(fit, point)) <= tolerance_rev; }));
  // Three points are met by any three numbers; each further one by chance now and then.
  constexpr double kChance = 1e-3, kShare = 2.0 / 3;
  const double by_chance = tried * std::pow(2 * tolerance_rev, near - 3);
  if (by_chance > kChance || near < kShare * static_cast<double>(points.size()))
    return std::nullopt;
  rotation.start_ = fit.start;
  rotation.per_sweep_ = fit.per_sweep;
  rotation.per_track_ = fit.per_track;
  return rotation;
}

}  // namespace platter::layout

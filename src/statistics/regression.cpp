#include "statistics/regression.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "statistics/robust.h"

namespace platter::statistics {
namespace {

constexpr int kMaxRounds = 60;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Map<const RowMajor> view(const Matrix& matrix) {
  return {matrix.data.data(), static_cast<Eigen::Index>(matrix.rows),
          static_cast<Eigen::Index>(matrix.columns)};
}

Eigen::Map<const Vector> view(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

struct Solution {
  std::vector<double> coefficients;
  Vector length;  // by which columns were scaled
  Eigen::LLT<Eigen::MatrixXd> factor;

  // (X' W X)^-1, which costs more than all of the rest.
  Matrix inverse_normal() const {
    const Eigen::Index n = length.size();
    Matrix inverse(static_cast<std::size_t>(n), static_cast<std::size_t>(n));
    Eigen::Map<RowMajor>(inverse.data.data(), n, n) =
        length.cwiseInverse().asDiagonal() * factor.solve(Eigen::MatrixXd::Identity(n, n)) *
        length.cwiseInverse().asDiagonal();
    return inverse;
  }
};

std::vector<double> residuals_of(const Matrix& design, std::span<const double> observed,
                                 std::span<const double> coefficients) {
  const Vector residuals = view(observed) - view(design) * view(coefficients);
  return {residuals.begin(), residuals.end()};
}

// The rows tell all unknowns apart.
bool is_sure(const Eigen::LLT<Eigen::MatrixXd>& factor, const Eigen::MatrixXd& normal) {
  constexpr double kLeastPivot = 1e-11;  // of its diagonal's; the rest is rounding
  if (factor.info() != Eigen::Success) return false;
  const auto pivots = factor.matrixLLT().diagonal().array().square();
  return (pivots > kLeastPivot * normal.diagonal().array()).all();
}

// The normal equations by Cholesky. Columns are scaled to unit length first, so that unknowns of
// any size can be told apart.
std::optional<Solution> solve(const Matrix& design, std::span<const double> observed,
                              std::span<const double> weights) {
  const std::size_t n = design.columns;
  if (n == 0 || design.rows < n) return std::nullopt;
  const auto x = view(design);
  const auto w = view(weights);
  const Vector length = (x.array().square().matrix().transpose() * w).cwiseSqrt();
  if (!(length.array() > 0).all()) return std::nullopt;
  const RowMajor scaled = x * length.cwiseInverse().asDiagonal();
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);  // below its diagonal
  normal.selfadjointView<Eigen::Lower>().rankUpdate(
      (w.cwiseSqrt().asDiagonal() * scaled).transpose());
  Eigen::LLT<Eigen::MatrixXd> factor(normal);
  if (!is_sure(factor, normal)) return std::nullopt;

  // Once for the solution, once more on its residuals (iterative refinement).
  const auto weighted = [&](const Vector& values) -> Vector {
    return scaled.transpose() * w.cwiseProduct(values);
  };
  Vector found = factor.solve(weighted(view(observed)));
  found += factor.solve(weighted(view(observed) - scaled * found));
  found = found.cwiseQuotient(length);

  return Solution{{found.begin(), found.end()}, length, std::move(factor)};
}

std::vector<double> weights_or_ones(std::span<const double> weights, std::size_t rows) {
  return weights.empty() ? std::vector<double>(rows, 1.0)
                         : std::vector<double>(weights.begin(), weights.end());
}

LinearFit finished(const Matrix& design, std::span<const double> observed,
                   std::vector<double> coefficients, Matrix inverse_normal, double scale,
                   double variance_factor) {
  LinearFit fit;
  fit.residuals = residuals_of(design, observed, coefficients);
  fit.coefficients = std::move(coefficients);
  fit.covariance = std::move(inverse_normal);
  fit.scale = scale;
  for (double& entry : fit.covariance.data) entry *= variance_factor;
  return fit;
}

}  // namespace

std::vector<double> solve_symmetric(const Matrix& a, std::span<const double> b) {
  const Vector solved = Eigen::LDLT<Eigen::MatrixXd>(view(a)).solve(view(b));
  return {solved.begin(), solved.end()};
}

double LinearFit::predict(std::span<const double> row) const {
  double value = 0;
  for (std::size_t c = 0; c < coefficients.size(); ++c) value += row[c] * coefficients[c];
  return value;
}

double LinearFit::predict_error(std::span<const double> row) const {
  double variance = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    for (std::size_t j = 0; j < coefficients.size(); ++j)
      variance += row[i] * covariance.at(i, j) * row[j];
  return std::sqrt(std::max(variance, 0.0));
}

std::optional<LinearFit> huber_regression(const Matrix& design, std::span<const double> observed,
                                          std::span<const double> weights) {
  const std::vector<double> base = weights_or_ones(weights, design.rows);
  std::optional<Solution> solution = solve(design, observed, base);
  if (!solution) return std::nullopt;
  const auto n = static_cast<double>(design.rows);
  const double freedom = n - static_cast<double>(design.columns);
  // By which changes are judged: with less weight on some rows they are larger, not by much.
  const Matrix unweighted = solution->inverse_normal();
  std::vector<double> effective = base;
  std::vector<double> standard(design.rows);
  double scale = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<double> residuals = residuals_of(design, observed, solution->coefficients);
    for (std::size_t r = 0; r < standard.size(); ++r)
      standard[r] = residuals[r] * std::sqrt(base[r]);
    std::vector<double> sizes;
    for (double z : standard) sizes.push_back(std::abs(z));
    // As many residuals as unknowns can be made zero by the fit; they tell nothing of the spread.
    const double kept = 1.0 - 0.5 * std::max(freedom, 0.0) / n;
    scale = 1.4826 * quantile_of(sizes, kept);
    if (!(scale > 0)) break;
    for (std::size_t r = 0; r < effective.size(); ++r)
      effective[r] = base[r] * std::min(1.0, kHuber * scale / std::max(sizes[r], 1e-300));
    std::optional<Solution> next = solve(design, observed, effective);
    if (!next) break;
    double change = 0;
    for (std::size_t c = 0; c < design.columns; ++c) {
      const double step = next->coefficients[c] - solution->coefficients[c];
      change = std::max(change, std::abs(step) / (scale * std::sqrt(unweighted.at(c, c)) + 1e-300));
    }
    solution = std::move(next);
    if (change < 1e-6) break;
  }
  if (!(scale > 0) || freedom <= 0) {
    return finished(design, observed, solution->coefficients, solution->inverse_normal(), scale,
                    scale * scale);
  }
  // Covariance of an M-estimate: scale^2 * mean(psi^2) / mean(psi')^2 * (X' W X)^-1.
  double psi_squares = 0;
  double inside = 0;
  for (double z : standard) {
    const double psi = std::clamp(z / scale, -kHuber, kHuber);
    psi_squares += psi * psi;
    inside += std::abs(z) <= kHuber * scale ? 1.0 : 0.0;
  }
  const double factor = scale * scale * (psi_squares / freedom) / std::pow(inside / n, 2);
  return finished(design, observed, solution->coefficients, unweighted, scale, factor);
}

std::optional<LinearFit> huber_line(std::span<const double> x, std::span<const double> y,
                                    std::span<const double> weights) {
  Matrix design(x.size(), 2);
  for (std::size_t r = 0; r < x.size(); ++r) {
    design.at(r, 0) = 1.0;
    design.at(r, 1) = x[r];
  }
  return huber_regression(design, y, weights);
}

}  // namespace platter::statistics

// Linear regression with few unknowns: least squares with weights, and Huber's robust version.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace platter::statistics {

// Row-major, rows x columns.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> data;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), data(r * c, 0.0) {}
  double& at(std::size_t r, std::size_t c) { return data[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return data[r * columns + c]; }
};

// Solves a x = b; `a` is symmetric and positive but for rounding.
std::vector<double> solve_symmetric(const Matrix& a, std::span<const double> b);

struct LinearFit {
  std::vector<double> coefficients;
  Matrix covariance;              // of the coefficients
  std::vector<double> residuals;  // observed less fitted
  double scale = 0;               // spread of a residual of weight 1

  double predict(std::span<const double> row) const;
  double predict_error(std::span<const double> row) const;
};

// Huber's M-estimate by iterated reweighting, scale from the residuals' median absolute deviation.
// `weights` may be empty (all 1). nullopt: fewer rows than unknowns, or unknowns that the rows
// cannot tell apart.
std::optional<LinearFit> huber_regression(const Matrix& design, std::span<const double> observed,
                                          std::span<const double> weights = {});

// y = intercept + slope * x, robust; coefficients {intercept, slope}.
std::optional<LinearFit> huber_line(std::span<const double> x, std::span<const double> y,
                                    std::span<const double> weights = {});

}  // namespace platter::statistics

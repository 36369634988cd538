// Robust location and spread of one sample: median, median absolute deviation, Huber's M-estimate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace platter::statistics {

// Huber's limit, in standard deviations: 95 % efficient at the Gaussian.
constexpr double kHuber = 1.345;

struct Estimate {
  double value = 0;
  double error = 0;  // one standard error
  std::size_t samples = 0;
};

// Of estimates of the same thing, at least one, weighted by their errors, none of which is 0; of
// all their samples.
Estimate weighted_mean(std::span<const Estimate> values);

// Half way between two, as of a thing that is done either way as often.
Estimate midpoint(const Estimate& a, const Estimate& b);

// Mean of a[i] - b[i] with its standard error, which is no number for one pair. Both of one length.
Estimate mean_difference(std::span<const double> a, std::span<const double> b);

// Quantile and median of values in any order; 0 of no values.
double quantile_of(std::span<const double> values, double share);
double median(std::span<const double> values);

// 1.4826 * median absolute deviation about the median: the standard deviation of a Gaussian bulk.
double mad_sigma(std::span<const double> values);

// Standard deviation of the values within 4 mad_sigma() of the median: for skewed bulks, whose
// tails belong to them, but not for outliers. 0 below 2 values.
double clipped_deviation(std::span<const double> values);

// Median with the standard error that its order statistics give (no shape assumed): a quarter of
// the width of its 95 % interval, between the ranks n/2 -+ sqrt(n). nullopt below 3 values.
std::optional<Estimate> median_estimate(std::span<const double> values);

// Huber's M-estimate of location (k = 1.345, scale from the MAD) with its asymptotic standard
// error; Huber and Ronchetti, Robust Statistics, 2nd ed., section 6.7. nullopt below 2 values.
std::optional<Estimate> huber_location(std::span<const double> values);

}  // namespace platter::statistics

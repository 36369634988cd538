// The figures of two models side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::model {

// Two figures count as equal when they differ by no more than so many combined standard errors,
// which chance exceeds once in 370 comparisons.
constexpr double kEqualWithin = 3;

// The points of a curve are judged together: by so many standard errors that chance puts one of
// them outside once in 370 curves.
double equal_within(std::size_t points);

struct Difference {
  std::string path;  // in the model's JSON; seek[D] is the time of a seek over D cylinders
  std::string unit;
  std::optional<double> a, b;
  std::optional<double> difference;  // b - a
  std::optional<double> relative;    // (b - a) / |a|
  std::optional<double> in_errors;   // |b - a|, in combined standard errors; absent without any
  std::optional<bool> within_error;  // absent where one lacks the figure, or it is not judged
  std::string not_judged = {};       // why
  std::string instead = {};          // what is known of the one that has no value
};

Difference compare(std::string path, std::string unit, std::optional<double> a,
                   std::optional<double> a_error, std::optional<double> b,
                   std::optional<double> b_error, double equal_within = kEqualWithin);

// Every figure that at least one of the models has, but the layout: identity, rotation, seeks (at
// the distances of either, as far as both reach), head switch, settle, cache, overheads, bus,
// queue, arms and where their ranges begin.
std::vector<Difference> diff_parameters(const DriveModel& a, const DriveModel& b);

}  // namespace platter::model

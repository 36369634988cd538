// The figures: response-time distributions, zones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "report/gnuplot.h"

namespace platter::report {

struct Distribution {
  std::string label;
  std::vector<double> times_ms;  // in any order
};

struct DistributionAxes {
  bool log_time = false;
  bool complementary = false;  // the share that takes longer, on a logarithmic axis: tails
};

// Cumulative distributions of response times, as Schindler & Ganger 1999, figure 1: the drive first
// (grey), then the models. Where there are several, a panel below shows how much later than the
// first each is at the same share: good models' curves lie on the drive's. What lies beyond a scale
// is marked at its end.
void plot_distributions(const std::string& title, std::span<const Distribution> distributions,
                        const std::string& path, const Canvas& canvas = {.height = 820},
                        const DistributionAxes& axes = {});

// Sectors per track over the cylinders; one line for each head if the heads differ.
void plot_zones(const std::string& title, const model::Layout& layout, const std::string& path,
                const Canvas& canvas = {});

}  // namespace platter::report

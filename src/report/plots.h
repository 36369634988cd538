// The figures: response-time distributions, zones. By extension SVG or PNG.
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

// Cumulative distributions of response times, as Schindler & Ganger 1999, figure 1: the drive first
// (grey), then the models. Where there are several, a panel below shows how much later than the
// first each is at the same share: good models' curves lie on the drive's.
void plot_distributions(const std::string& title, std::span<const Distribution> distributions,
                        const std::string& path, const Canvas& canvas = {960, 820, 15});

// Sectors per track over the cylinders; one line for each head if the heads differ.
void plot_zones(const std::string& title, const model::Layout& layout, const std::string& path,
                const Canvas& canvas = {});

}  // namespace platter::report

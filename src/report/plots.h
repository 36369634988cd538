// The figures: response-time distributions, seek curves, zones. By extension SVG or PNG.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "model/seek_fit.h"
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

struct SeekCurve {
  std::string label;
  model::Seek seek;
};

// The curves of one model: of reads, and where they are others those outward and of writes; the
// first labelled `name` where it is alone.
std::vector<SeekCurve> seek_curves_of(const model::DriveModel& model, const std::string& name);

// The formula as gnuplot reads it, of x cylinders.
std::string formula_curve(const model::SeekFit& fit);

// Seek time over distance, with standard errors where they are known; one curve alone with the
// literature's formula beside it.
void plot_seeks(const std::string& title, std::span<const SeekCurve> curves,
                const std::string& path, const Canvas& canvas = {});

// Sectors per track over the cylinders; one line for each head if the heads differ.
void plot_zones(const std::string& title, const model::Layout& layout, const std::string& path,
                const Canvas& canvas = {});

}  // namespace platter::report

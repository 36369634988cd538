// Seek time over distance, with standard errors where they are known and the literature's formula.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "report/gnuplot.h"

namespace platter::report {

struct SeekCurve {
  std::string label;
  model::Seek seek;
};

// The curves of one model: of reads, and where they are others those outward and of writes; the
// first labelled `name` where it is alone.
std::vector<SeekCurve> seek_curves_of(const model::DriveModel& model, const std::string& name);

// The formula where one curve is alone: several may be of several drives.
void plot_seeks(const std::string& title, std::span<const SeekCurve> curves,
                const std::string& path, const Canvas& canvas = {}, bool log_distance = false);

// Of one model, for a column of text, with the formula of the first curve. Two panels more: what is
// left of the curves beside it; the first hundred cylinders.
void plot_seek_panels(std::span<const SeekCurve> curves, const std::string& path);

}  // namespace platter::report

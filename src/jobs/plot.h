// Figures of results and of models.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "model/drive_model.h"

namespace platter::jobs {

struct PlotRun {
  std::string what;                 // of figure_names()
  std::string output, title;        // title: "" for the figure's own, or none
  std::vector<std::string> files;   // results, the drive's first, or models
  std::vector<std::string> labels;  // none, or one for each file
  std::optional<double> width_mm{}, height_mm{};
  bool log = false, greys = false;
  bool script = false;  // gnuplot's, too
  Outputs outputs;
};

std::vector<std::string> figure_names();
// Throws Error(missing_program) without gnuplot, Error(usage, bad_input, output).
void plot(const PlotRun& run);

using DrawFigure = std::function<void(const std::string& path)>;
// Those that a model has: `figure` gets each one's file name and what draws it at a path.
void for_each_figure(const model::DriveModel& model,
                     const std::function<void(const char* file, const DrawFigure& draw)>& figure);
// All of them into a folder.
void draw_figures(const model::DriveModel& model, const std::string& folder,
                  const Outputs& outputs);

}  // namespace platter::jobs

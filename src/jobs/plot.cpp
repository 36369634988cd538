#include "jobs/plot.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "jobs/needs.h"
#include "model/error.h"
#include "model/json.h"
#include "replay/result_source.h"
#include "report/plots.h"
#include "report/response_times.h"
#include "report/seek_plots.h"

namespace platter::jobs {
namespace {

const std::string& name_of(const model::Identity& identity) {
  return identity.name.empty() ? identity.product : identity.name;
}

std::string script_of(const PlotRun& options) { return options.output + ".gp"; }

report::Canvas canvas_of(const PlotRun& options, double aspect) {
  report::Canvas canvas;
  canvas.height = static_cast<int>(canvas.width / aspect);
  if (options.width_mm || options.height_mm) {
    const double width_mm = options.width_mm ? *options.width_mm : *options.height_mm * aspect;
    canvas = report::paper_canvas(width_mm, options.height_mm.value_or(width_mm / aspect));
  }
  canvas.greys = options.greys;
  if (options.script) canvas.script = script_of(options);
  return canvas;
}

// The n-th file's, or what the file says.
std::string label_of(const PlotRun& options, std::size_t n, const std::string& otherwise) {
  return options.labels.empty() ? otherwise : options.labels[n];
}

void plot_times(const PlotRun& options, const report::Canvas& canvas) {
  std::vector<replay::OpenResult> results;
  for (const std::string& path : options.files) results.push_back(replay::result_source(path));
  report::ResponseTimes times = report::response_times_of(results);
  for (std::size_t i = 0; i < times.distributions.size(); ++i)
    times.distributions[i].label = label_of(options, i, times.distributions[i].label);
  report::plot_distributions(
      options.title.empty() && !options.width_mm ? times.title : options.title, times.distributions,
      options.output, canvas, {.log_time = options.log, .complementary = options.what == "ccdf"});
}

void plot_curves(const PlotRun& options, const report::Canvas& canvas) {
  std::vector<report::SeekCurve> curves;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const model::DriveModel model = model::load_model(options.files[i]);
    const std::string name = label_of(options, i, name_of(model.identity));
    if (options.files.size() == 1)
      curves = report::seek_curves_of(model, name);
    else
      curves.push_back({name, model.seek});
    if (model.seek.points.empty())
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: has no seek curve; name a model that has one", options.files[i]));
  }
  report::plot_seeks(options.title, curves, options.output, canvas, options.log);
}

void plot_tracks(const PlotRun& options, const report::Canvas& canvas) {
  if (options.files.size() != 1) throw Error(ExitStatus::usage, "zones are of one model; name one");
  if (options.log || !options.labels.empty())
    throw Error(ExitStatus::usage, "zones have no --log-axis and no --labels; leave them out");
  const model::DriveModel model = model::load_model(options.files.front());
  if (model.layout.zones.empty())
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: has no layout; name a model that has one", options.files.front()));
  report::plot_zones(options.title, model.layout, options.output, canvas);
}

struct Figure {
  void (*draw)(const PlotRun&, const report::Canvas&);
  double aspect;  // width to height, where no height is given
};

const std::map<std::string, Figure> kFigures = {{"cdf", {plot_times, 0.9}},
                                                {"ccdf", {plot_times, 1.3}},
                                                {"seeks", {plot_curves, 1.3}},
                                                {"zones", {plot_tracks, 1.3}}};

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const auto& [name, figure] : kFigures) names.push_back(name);
  return names;
}

void plot(const PlotRun& options) {
  require_needs("plot");
  report::require_form(options.output);
  if (!options.labels.empty() && options.labels.size() != options.files.size())
    throw Error(ExitStatus::usage, fmt::format("{} labels for {} files; give one for each",
                                               options.labels.size(), options.files.size()));
  for (const std::string& path : options.files) options.outputs.reads(path);
  options.outputs.writes(options.output);
  if (options.script) options.outputs.writes(script_of(options));
  const Figure& figure = kFigures.at(options.what);
  figure.draw(options, canvas_of(options, figure.aspect));
}

void for_each_figure(const model::DriveModel& model,
                     const std::function<void(const char* file, const DrawFigure& draw)>& figure) {
  const std::string& name = name_of(model.identity);
  if (!model.seek.points.empty())
    figure("seeks.svg", [&](const std::string& path) {
      report::plot_seeks("Seek time of " + name, report::seek_curves_of(model, name), path);
    });
  if (!model.layout.zones.empty())
    figure("zones.svg", [&](const std::string& path) {
      report::plot_zones("Zones of " + name, model.layout, path);
    });
}

void draw_figures(const model::DriveModel& model, const std::string& folder,
                  const Outputs& outputs) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto at = [&](const char* file) { return folder + "/" + file; };
  for_each_figure(model, [&](const char* file, const auto&) { outputs.writes(at(file)); });
  for_each_figure(model, [&](const char* file, const auto& plot) { plot(at(file)); });
}

}  // namespace platter::jobs

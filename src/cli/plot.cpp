#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/needs.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "model/error.h"
#include "model/json.h"
#include "replay/result_source.h"
#include "report/plots.h"
#include "report/response_times.h"
#include "report/seek_plots.h"

namespace platter::cli {
namespace {

struct Options {
  std::string what, output, title;
  std::vector<std::string> files, labels;
  std::optional<double> width_mm, height_mm;
  bool log = false, greys = false, script = false;
  Outputs outputs;
};

std::string script_of(const Options& options) { return options.output + ".gp"; }

report::Canvas canvas_of(const Options& options, double aspect) {
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
std::string label_of(const Options& options, std::size_t n, const std::string& otherwise) {
  return options.labels.empty() ? otherwise : options.labels[n];
}

void plot_times(const Options& options, const report::Canvas& canvas) {
  std::vector<replay::OpenResult> results;
  for (const std::string& path : options.files) results.push_back(replay::result_source(path));
  report::ResponseTimes times = report::response_times_of(results);
  for (std::size_t i = 0; i < times.distributions.size(); ++i)
    times.distributions[i].label = label_of(options, i, times.distributions[i].label);
  report::plot_distributions(
      options.title.empty() && !options.width_mm ? times.title : options.title, times.distributions,
      options.output, canvas, {.log_time = options.log, .complementary = options.what == "ccdf"});
}

std::string name_of(const model::Identity& identity) {
  return identity.name.empty() ? identity.product : identity.name;
}

void plot_curves(const Options& options, const report::Canvas& canvas) {
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

void plot_tracks(const Options& options, const report::Canvas& canvas) {
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
  void (*draw)(const Options&, const report::Canvas&);
  double aspect;  // width to height, where no height is given
};

const std::map<std::string, Figure> kFigures = {{"cdf", {plot_times, 0.9}},
                                                {"ccdf", {plot_times, 1.3}},
                                                {"seeks", {plot_curves, 1.3}},
                                                {"zones", {plot_tracks, 1.3}}};

void plot(const Options& options) {
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

}  // namespace

void add_plot(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plot", "a figure for a paper, of results or of models");
  command
      ->add_option("WHAT", options->what,
                   "cdf or ccdf: response times of results, the drive's first; seeks: of models; "
                   "zones: of a model")
      ->required()
      ->check(CLI::IsMember(kFigures));
  command->add_option("FILE", options->files, "results or models")->required();
  command
      ->add_option("-o,--output", options->output,
                   "the figure: .svg, .png, .pdf, .eps or .tex (TikZ)")
      ->required();
  command
      ->add_option("--width", options->width_mm,
                   "millimetres, with a font of 8 points; a column has 84")
      ->check(CLI::Range(30.0, 1000.0));
  command->add_option("--height", options->height_mm, "millimetres")
      ->check(CLI::Range(20.0, 1000.0));
  command->add_flag("--log-axis", options->log,
                    "a logarithmic axis of times, or of seek distances");
  command->add_option("--title", options->title, "above the figure");
  command->add_option("--labels", options->labels, "of the curves, with commas between")
      ->delimiter(',');
  command->add_flag("--greys", options->greys, "greys and dashes in place of colours");
  command->add_flag("--script", options->script,
                    "also gnuplot's script, with the data in it: FIGURE.gp");
  options->outputs.add_force(*command);
  command->callback([options] { plot(*options); });
}

}  // namespace platter::cli

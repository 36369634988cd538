#include "jobs/plot.h"

#include <memory>

#include "cli/subcommands.h"

namespace platter::cli {

void add_plot(CLI::App& app) {
  auto options = std::make_shared<jobs::PlotRun>();
  CLI::App* command = app.add_subcommand("plot", "a figure for a paper, of results or of models");
  command
      ->add_option("WHAT", options->what,
                   "cdf or ccdf: response times of results, the drive's first; seeks: of models; "
                   "zones: of a model")
      ->required()
      ->check(CLI::IsMember(jobs::figure_names()));
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
  add_force(*command, options->outputs);
  command->callback([options] { jobs::plot(*options); });
}

}  // namespace platter::cli

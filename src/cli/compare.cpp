#include "replay/compare.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/subcommands.h"
#include "replay/comparison_text.h"
#include "replay/result.h"
#include "report/response_times.h"

namespace platter::cli {
void add_compare(CLI::App& app) {
  struct Options {
    std::string drive, plot;
    std::vector<std::string> models;
    std::optional<double> hit_threshold_ms;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "models' results against the drive's: demerit, paired and folded errors");
  command->add_option("DRIVE", options->drive, "the drive's result, or its validate trace")
      ->required();
  command->add_option("MODEL", options->models, "results of models on the same trace")->required();
  command->add_option("--hit-threshold-ms", options->hit_threshold_ms,
                      "the drive's responses up to this are hits (else: a quarter of a revolution)");
  command->add_option("--plot", options->plot, "draw the distributions (.svg or .png)");
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] {
    const replay::Result drive = replay::load_result(options->drive);
    replay::Comparing comparing;
    if (options->hit_threshold_ms) comparing.hit_threshold_ns = *options->hit_threshold_ms * 1e6;
    std::vector<replay::Comparison> comparisons;
    std::vector<replay::Result> models;
    for (const std::string& path : options->models) {
      models.push_back(replay::load_result(path));
      comparisons.push_back(replay::compare(drive, models.back(), comparing));
    }
    if (!options->plot.empty()) report::plot_response_times(drive, models, options->plot);
    if (options->json) {
      fmt::print("{}", replay::comparison_json(comparisons));
      return;
    }
    for (const replay::Comparison& comparison : comparisons)
      fmt::print("{}{}", &comparison == comparisons.data() ? "" : "\n",
                 replay::comparison_table(comparison));
  });
}

}  // namespace platter::cli

#include "replay/compare.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/needs.h"
#include "cli/numbers.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "replay/comparison_text.h"
#include "replay/result_source.h"
#include "report/figure_form.h"
#include "report/response_times.h"

namespace platter::cli {
namespace {

const std::map<std::string, replay::HitsBy> kHitsBy = {{"waiting", replay::HitsBy::waiting},
                                                       {"response", replay::HitsBy::response}};
const std::map<std::string, replay::Half> kHalves = {{"first", replay::Half::first},
                                                     {"second", replay::Half::second}};

}  // namespace

void add_compare(CLI::App& app) {
  struct Options {
    std::string drive, plot;
    std::vector<std::string> models;
    std::optional<double> hit_threshold_ms;
    std::string hits_by = "waiting", half;
    std::optional<std::uint64_t> from, to;
    bool json = false;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "models' results against the drive's: demerit, paired and folded errors");
  command
      ->add_option("DRIVE", options->drive, "the drive's result, or a trace with its service times")
      ->required();
  command->add_option("MODEL", options->models, "results of models on the same trace")->required();
  command
      ->add_option(
          "--hits-by", options->hits_by,
          "waiting: a hit did not wait for the media, as the result knows, or else by its response "
          "less its data's time on the bus; response: by the response alone, on both sides")
      ->check(CLI::IsMember(kHitsBy))
      ->capture_default_str();
  command
      ->add_option("--hit-threshold-ms", options->hit_threshold_ms,
                   "shorter responses are hits (else: a quarter of a revolution)")
      ->transform(milliseconds(0));
  CLI::Option* half = command->add_option("--half", options->half, "only this half of the requests")
                          ->check(CLI::IsMember(kHalves));
  command->add_option("--from", options->from, "only from this request on; the first is 1")
      ->transform(at_least(1))
      ->excludes(half);
  command->add_option("--to", options->to, "only to this request")
      ->transform(at_least(1))
      ->excludes(half);
  command->add_option("--plot", options->plot,
                      "draw the distributions; platter plot has more to choose");
  options->outputs.add_force(*command);
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] {
    replay::Comparing comparing;
    if (options->hit_threshold_ms) comparing.hit_threshold_ns = *options->hit_threshold_ms * 1e6;
    comparing.hits_by = kHitsBy.at(options->hits_by);
    comparing.from = options->from;
    comparing.to = options->to;
    if (!options->half.empty()) comparing.half = kHalves.at(options->half);
    options->outputs.reads(options->drive);
    for (const std::string& path : options->models) options->outputs.reads(path);
    if (!options->plot.empty()) {
      require_needs("compare", "--plot");
      report::require_form(options->plot);
      options->outputs.writes(options->plot);
    }
    std::vector<replay::Comparison> comparisons;
    std::vector<replay::OpenResult> results(1);
    bool in_front = false;
    for (const std::string& path : options->models) {
      results.push_back(replay::result_source(path));
      in_front = in_front || results.back()()->head().think_in_front;
    }
    results.front() = replay::result_source(options->drive, in_front);
    for (const replay::OpenResult& model : std::span(results).subspan(1))
      comparisons.push_back(replay::compare(results.front(), model, comparing));
    if (!options->plot.empty()) report::plot_response_times(results, options->plot);
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

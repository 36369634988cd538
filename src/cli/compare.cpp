#include <fmt/core.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/results.h"
#include "replay/comparison_text.h"

namespace platter::cli {
namespace {

const std::map<std::string, replay::HitsBy> kHitsBy = {{"waiting", replay::HitsBy::waiting},
                                                       {"response", replay::HitsBy::response}};
const std::map<std::string, replay::Half> kHalves = {{"first", replay::Half::first},
                                                     {"second", replay::Half::second}};

}  // namespace

void add_compare(CLI::App& app) {
  struct Options {
    jobs::CompareRun run;
    std::optional<double> hit_threshold_ms;
    std::string hits_by = "waiting", half;
    std::optional<std::uint64_t> from, to;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "models' results against the drive's: demerit, paired and folded errors");
  command
      ->add_option("DRIVE", options->run.drive,
                   "the drive's result, or a trace with its service times")
      ->required();
  command->add_option("MODEL", options->run.models, "results of models on the same trace")
      ->required();
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
  command->add_option("--plot", options->run.plot,
                      "draw the distributions; platter plot has more to choose");
  add_force(*command, options->run.outputs);
  add_json(*command, options->json);
  command->callback([options] {
    replay::Comparing& comparing = options->run.comparing;
    if (options->hit_threshold_ms) comparing.hit_threshold_ns = *options->hit_threshold_ms * 1e6;
    comparing.hits_by = kHitsBy.at(options->hits_by);
    comparing.from = options->from;
    comparing.to = options->to;
    if (!options->half.empty()) comparing.half = kHalves.at(options->half);
    const std::vector<replay::Comparison> comparisons = jobs::compared(options->run);
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

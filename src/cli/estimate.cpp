#include "jobs/estimate.h"

#include <memory>

#include "cli/subcommands.h"

namespace platter::cli {

void add_estimate(CLI::App& app) {
  auto arguments = std::make_shared<jobs::EstimateRun>();
  auto* command = app.add_subcommand(
      "estimate", "make the model of a run again from its raw samples, without the drive");
  command->add_option("SAMPLES", arguments->samples, "what characterize kept, MODEL.samples.jsonl")
      ->required();
  command->add_option("-o,--output", arguments->output, "the model to write, MODEL.json")
      ->check(named_for(Written::json))
      ->required();
  add_json(*command, arguments->json, "print the model as JSON");
  add_force(*command, arguments->outputs);
  command->callback([arguments] {
    jobs::estimate(*arguments,
                   [&](std::string_view text) { print_beside(arguments->output, text); });
  });
}

}  // namespace platter::cli

#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "model/json.h"
#include "virtual_drive/open.h"

namespace platter::cli {

void add_truth(CLI::App& app) {
  struct Options {
    std::string drive, output;
    bool json = false;
    jobs::Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("truth",
                                         "what a virtual drive really is, as a model file");
  command->add_option("DRIVE", options->drive, "virtual:NAME or virtual:FILE.json")->required();
  command
      ->add_option("-o,--output", options->output, "the model file to write (none, or -: stdout)")
      ->check(named_for(Written::json));
  add_force(*command, options->outputs);
  add_json(*command, options->json, "write the model to stdout");
  command->callback([options] {
    const model::DriveModel truth = virtual_drive::truth_of(options->drive);
    const bool to_stdout = options->output.empty() ||
                           jobs::goes_to_standard_output(options->output);
    if (!to_stdout) {
      options->outputs.writes(options->output, jobs::content_of(truth));
      model::save_model(truth, options->output);
    }
    if (to_stdout || options->json) fmt::print("{}\n", model::to_json_text(truth));
  });
}

}  // namespace platter::cli

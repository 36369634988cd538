#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/differences.h"
#include "cli/subcommands.h"
#include "model/json.h"
#include "report/as_measured.h"
#include "report/model_diff.h"

namespace platter::cli {

void add_diff(CLI::App& app) {
  struct Options {
    std::string a, b;
    bool all = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff",
                                         "two models side by side; status 12 if they differ");
  command->add_option("A", options->a, "a model file")->required();
  command->add_option("B", options->b, "another one")->required();
  CLI::Option* all = command->add_flag("--all", options->all,
                                       "show the figures that are equal too");
  add_json(*command, options->json, "every figure, for programs")->excludes(all);
  command->callback([options] {
    const model::DriveModel a = model::load_model(options->a), b = model::load_model(options->b);
    const auto differences = report::diff_models(a, b);
    if (!options->json &&
        (report::are_truth_and_measured(a, b) || report::are_truth_and_measured(b, a)))
      fmt::print(
          "the truth's sums are as a host measures them, its delay in them "
          "(docs/validation.md, Stated errors)\n");
    print_differences(differences, options->a, options->b, {options->all, options->json});
  });
}

}  // namespace platter::cli

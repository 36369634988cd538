#include "calibrate/calibrate.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "calibrate/outcome_text.h"
#include "cli/calibration.h"
#include "cli/numbers.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/subcommands.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/json.h"
#include "model/say.h"
#include "replay/result.h"

namespace platter::cli {
void add_calibrate(CLI::App& app) {
  struct Options {
    std::string model, result, output, half = "first";
    std::vector<std::string> only;
    std::uint64_t most_replayed = calibrate::Options{}.most_replayed;
    bool json = false;
    ProgressKind progress = ProgressKind::fitting;
    Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "a model refined by a trace that was measured on its drive: learned from one half "
      "of the requests, judged by the other, left as it is if it is no better there");
  command->add_option("MODEL", options->model, "the model file to start from")->required();
  command
      ->add_option("--with", options->result,
                   "the drive's result (platter replay), or a trace with its service times")
      ->required();
  command->add_option("-o,--output", options->output, "the model file to write")
      ->check(named_for(Written::json))
      ->required();
  command->add_option("--half", options->half, "which half to learn from")
      ->check(CLI::IsMember({"first", "second"}))
      ->capture_default_str();
  command->add_option("--only", options->only, "only these groups of parameters")
      ->delimiter(',')
      ->check(CLI::IsMember(group_names()));
  command
      ->add_option("--most-replayed", options->most_replayed,
                   "replayed requests after which no new search begins")
      ->capture_default_str();
  add_progress_option(*command, options->progress);
  command->add_flag("--json", options->json, "for programs");
  options->outputs.add_force(*command);
  command->callback([options] {
    const model::DriveModel model = model::load_model(options->model);
    model::require_what_predicts(model, options->model, "be calibrated");
    model::require_nothing_passed_over(model.passed_over);
    options->outputs.reads(options->result);
    options->outputs.writes(options->output, content_of(model));
    const calibrate::Measurement measured = halved(replay::load_result(options->result),
                                                   options->half == "first");
    Progress bar(options->progress);
    calibrate::Options how;
    how.groups = groups_named(options->only);
    how.most_replayed = options->most_replayed;
    how.progress = [&](const std::string& stage, double share) { bar.show(stage, share); };
    const calibrate::Outcome outcome = calibrate::calibrate(model, measured, how);
    bar.clear();
    model::save_model(outcome.model, options->output);
    if (options->json && outcome.kept != calibrate::Kept::all)
      model::say("platter: {}", calibrate::verdict_text(outcome));
    print_beside(options->output, options->json ? calibrate::outcome_json(outcome)
                                                : calibrate::outcome_text(outcome));
  });
}

}  // namespace platter::cli

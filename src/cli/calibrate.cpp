#include <fmt/core.h>

#include <memory>
#include <string>

#include "calibrate/outcome_text.h"
#include "cli/subcommands.h"
#include "jobs/calibration.h"
#include "model/say.h"

namespace platter::cli {
void add_calibrate(CLI::App& app) {
  struct Options {
    jobs::CalibrateRun run;
    std::string half = "first";
    bool json = false;
    ProgressKind progress = ProgressKind::fitting;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "a model refined by a trace that was measured on its drive: learned from one half "
      "of the requests, judged by the other, left as it is if it is no better there");
  command->add_option("MODEL", options->run.model, "the model file to start from")->required();
  command
      ->add_option("--with", options->run.result,
                   "the drive's result (platter replay), or a trace with its service times")
      ->required();
  command->add_option("-o,--output", options->run.output, "the model file to write")
      ->check(named_for(Written::json))
      ->required();
  command->add_option("--half", options->half, "which half to learn from")
      ->check(CLI::IsMember({"first", "second"}))
      ->capture_default_str();
  command->add_option("--only", options->run.only, "only these groups of parameters")
      ->delimiter(',')
      ->check(CLI::IsMember(jobs::group_names()));
  command
      ->add_option("--most-replayed", options->run.most_replayed,
                   "replayed requests after which no new search begins")
      ->capture_default_str();
  add_progress_option(*command, options->progress);
  add_json(*command, options->json);
  add_force(*command, options->run.outputs);
  command->callback([options] {
    options->run.learn_first = options->half == "first";
    Progress progress(options->progress);
    const calibrate::Outcome outcome = jobs::calibrated_model(options->run, progress);
    if (options->json && outcome.kept != calibrate::Kept::all)
      model::say("platter: {}", calibrate::verdict_text(outcome));
    print_beside(options->run.output, options->json ? calibrate::outcome_json(outcome)
                                                    : calibrate::outcome_text(outcome));
  });
}

}  // namespace platter::cli

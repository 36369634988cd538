#include "jobs/validate.h"

#include <memory>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/needs.h"

namespace platter::cli {

void add_validate(CLI::App& app) {
  struct Options {
    jobs::ValidationRun run;
    ProgressKind progress = ProgressKind::fitting;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "validate", "replay the DIXtrac workloads on a drive and its models, and compare");
  command->add_option("DEVICE", options->run.device, "the drive")->required();
  command
      ->add_option("MODEL", options->run.models,
                   "models of it, tables (.ptab) or DiskSim files (.parv) of those")
      ->required();
  command->add_option("-o,--output", options->run.output, "folder for traces, results and plots")
      ->check(named_for(Written::folder))
      ->required()
      ->type_name("DIR");
  // Of fewer the demerit says nothing.
  command->add_option("--requests", options->run.requests, "in each workload, 20 or more")
      ->transform(at_least(20))
      ->capture_default_str();
  command->add_option("--seed", options->run.seed, "of the workloads")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_option("--allow-writes", options->run.writes,
                      "LBN ranges FIRST-LAST, or all, that may be rewritten with what they hold");
  command->add_flag("--update-model", options->run.update,
                    "note the demerits and the ranges checked in the models' files");
  command->add_option("--disksim", options->run.disksim,
                      "a DiskSim, which then runs each model's DiskSim files beside the models "
                      "(else: a disksim on PATH); none: no DiskSim");
  add_force(*command, options->run.outputs);
  add_not_in_use_option(*command, options->run.not_in_use);
  add_quiet_host_option(*command, options->run.quiet);
  add_progress_option(*command, options->progress);
  CLI::Option* tables = command->add_flag("--tables", options->run.tables,
                                          "for reads, writes and each size of request as well");
  add_json(*command, options->run.json)->excludes(tables);
  command->callback([options] {
    options->run.undrawn = jobs::no_pictures({"random.svg", "mixed.svg"});
    Progress progress(options->progress);
    jobs::validate(options->run, progress, print_text);
  });
}

}  // namespace platter::cli

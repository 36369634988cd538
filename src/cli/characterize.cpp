#include "jobs/characterize.h"

#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <set>

#include "cli/drives_progress.h"
#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/better_model.h"
#include "jobs/characterize_many.h"

namespace platter::cli {
namespace {

struct Arguments {
  std::vector<std::string> devices;
  jobs::Characterization run;
  std::optional<std::size_t> jobs;
  bool share_bus = false;
  ProgressKind progress = ProgressKind::fitting;
};

// The options of every one of several runs: all that were given, but for those that are about the
// call as a whole.
std::vector<std::string> options_of_each(const CLI::App& command) {
  const std::set<std::string> of_the_call = {"output",    "resume", "jobs",
                                             "share-bus", "json",   "progress"};
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty() || of_the_call.contains(option->get_lnames()[0])) continue;
    for (const std::string& value : option->results())
      words.push_back("--" + option->get_lnames()[0] + "=" + value);
  }
  return words;
}

void characterize_many(const Arguments& arguments, const CLI::App& command) {
  const jobs::Characterization& run = arguments.run;
  jobs::require_folder(run);
  const jobs::ManyRuns runs{.devices = arguments.devices,
                            .not_in_use = run.not_in_use,
                            .folder = run.output,
                            .resumes = !run.resume.empty(),
                            .jobs = arguments.jobs,
                            .share_bus = arguments.share_bus,
                            .options = options_of_each(command)};
  DrivesProgress progress(arguments.progress, arguments.devices);
  const jobs::DriveOutcomes outcomes = jobs::characterize_many(runs, progress);
  fmt::print("{}", run.json ? jobs::outcomes_json(outcomes.of_each, run.output)
                            : jobs::outcomes_text(outcomes.of_each));
  jobs::require_all_done(runs, outcomes);
}

}  // namespace

void add_characterize(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("characterize",
                                     "measure a drive and write its model: the main job");
  command
      ->add_option("DEVICE", arguments->devices,
                   "the drive: /dev/..., virtual:NAME, exec:COMMAND; or several")
      ->required();
  command
      ->add_option("-o,--output", arguments->run.output,
                   "the model to write, MODEL.json; of several drives their folder, DIR/")
      ->check(named_for(Written::model_and_samples))
      ->required();
  command
      ->add_option("--samples", arguments->run.samples,
                   "where the raw samples go (default: beside the model)")
      ->check(named_for(Written::samples));
  command->add_option(
      "--resume", arguments->run.resume,
      "go on with an interrupted run, from its raw samples FILE.samples.jsonl; with those of a "
      "folder, DIR");
  command->add_option(
      "--allow-writes", arguments->run.writable,
      "LBNs FIRST-LAST, or all, that may be rewritten with what they hold (repeatable)");
  command
      ->add_option("--skip", arguments->run.skip,
                   "LBNs FIRST-LAST[,...] that are never accessed on the media (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--journal", arguments->run.journal,
                      "folder of the safety journal, not on the drive that is measured (default: "
                      "~/.local/state/platter)");
  command->add_option("--seed", arguments->run.seed, "seed of the experiments' random choices")
      ->transform(whole_number());
  command
      ->add_option("--budget", arguments->run.budget_s,
                   "drive time that the run may take, in seconds, or as 15m or 2h; a short one "
                   "costs precision")
      ->transform(seconds(1, 1e7));
  command
      ->add_option("--precision", arguments->run.precision,
                   "enough: what a prediction needs (default); high: several times the trials")
      ->check(CLI::IsMember({"enough", "high"}));
  command
      ->add_option("--shingles", arguments->run.shingles,
                   "of a drive whose rewritten blocks show that it is shingled (--allow-writes): "
                   "recognize (default); bands: cleaning and bands, in minutes; all: its media "
                   "cache, too, by rewriting many GB")
      ->check(CLI::IsMember({"recognize", "bands", "all"}));
  CLI::Option* full = command->add_flag(
      "--full-map", arguments->run.full_map,
      "a map by timing takes all the time that it needs, whatever the budget");
  command
      ->add_flag("--no-map", arguments->run.no_map,
                 "no map by timing: only what needs no map, in minutes (status 13)")
      ->excludes(full);
  command->add_flag("--power", arguments->run.power,
                    "also how long the drive takes to wake from each power condition: some two "
                    "minutes more");
  command
      ->add_option("--jobs", arguments->jobs,
                   "of several drives, so many at once (default: virtual ones and programs as many "
                   "as there are processors, of real ones one on each bus)")
      ->transform(at_least(1));
  command->add_flag("--share-bus", arguments->share_bus,
                    "several drives also at once where they share a bus, and disturb each other");
  add_not_in_use_option(*command, arguments->run.not_in_use);
  add_quiet_host_option(*command, arguments->run.quiet);
  add_progress_option(*command, arguments->progress);
  add_json(*command, arguments->run.json, "print the model as JSON; of several drives the summary");
  add_force(*command, arguments->run.outputs);
  command->callback([arguments, command] {
    jobs::Characterization& run = arguments->run;
    if (!jobs::is_single(arguments->devices, run.output))
      return characterize_many(*arguments, *command);
    run.device = arguments->devices[0];
    run.output = jobs::behind_links(run.output);
    run.says_expected_time = ::isatty(STDERR_FILENO) != 0;
    Progress progress(arguments->progress);
    jobs::characterize(run, progress, print_text);
  });
}

}  // namespace platter::cli

#include "extract/characterize.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/interrupt.h"
#include "cli/lbn_ranges.h"
#include "cli/numbers.h"
#include "cli/open_device.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/subcommands.h"
#include "extract/save.h"
#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/json.h"
#include "replay/replay_drive.h"
#include "report/model_summary.h"
#include "safety/journal.h"

namespace platter::cli {
namespace {

struct Arguments {
  std::string device, output, samples, journal = safety::default_journal_folder();
  std::vector<std::string> writable;
  std::uint64_t seed = 1;
  double budget_s = 0;
  bool json = false;
  Outputs outputs;
};

std::string without_json(std::string path) {
  if (path.ends_with(".json")) path.resize(path.size() - 5);
  return path;
}

// Where a run's results go.
struct Places {
  std::string model, samples;
};

Places places(const Arguments& arguments) {
  return {arguments.output, arguments.samples.empty()
                                ? without_json(arguments.output) + ".samples.jsonl"
                                : arguments.samples};
}

// A run that was cut off does not replace a model that is whole: it is kept beside that.
Places places_beside(const Arguments& arguments) {
  const std::string stem = without_json(arguments.output) + ".partial";
  return {stem + ".json", stem + ".samples.jsonl"};
}

bool holds_whole_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) ||
      std::filesystem::file_size(path, ignored) == 0)
    return false;
  try {
    return model::load_model(path).provenance.complete;
  } catch (const Error&) {
    return false;  // no model: it was claimed, or forced
  }
}

void characterize(const Arguments& arguments) {
  const auto began = std::chrono::steady_clock::now();
  const Places wanted = places(arguments);
  if (std::filesystem::weakly_canonical(wanted.model) ==
      std::filesystem::weakly_canonical(wanted.samples))
    throw Error(ExitStatus::usage, "the model and its raw samples would go to the same file, " +
                                       arguments.output + "; give --samples another name");
  model::require_writable(arguments.output);
  model::require_writable(wanted.samples);
  catch_interrupts();
  const auto device = open_device(arguments.device);
  const model::Identity drive = replay::identity_of(*device);
  arguments.outputs.reads(arguments.device);
  const auto may_write = [&](const Places& to) {
    arguments.outputs.writes(to.model, measured_model_of(drive));
    arguments.outputs.writes(to.samples, samples_of(drive));
  };
  may_write(wanted);
  if (holds_whole_model(wanted.model)) may_write(places_beside(arguments));
  ProgressBar bar;
  extract::Options options;
  options.writable = lbn_ranges(arguments.writable);
  options.seed = arguments.seed;
  options.device_name = arguments.device;
  options.journal_folder = arguments.journal;
  if (arguments.budget_s > 0) options.budget_s = arguments.budget_s;
  options.expected = [&](double seconds) {
    if (::isatty(STDERR_FILENO) || arguments.budget_s > 0)
      fmt::print(stderr, "the run will take about {:.0f} s of the drive's time\n", seconds);
  };
  options.progress = [&](const std::string& stage, double share) { bar.show(stage, share); };
  options.interrupted = interrupted;
  extract::Run run = [&] {
    try {
      return extract::characterize(*device, options);
    } catch (const Error& error) {
      throw Error(error.status(), fmt::format("{}; nothing was written to files", error.what()));
    }
  }();
  const Uninterruptible in_order;  // what was measured is saved
  bar.clear();

  model::Provenance& provenance = run.model.provenance;
  provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  provenance.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const bool beside = !provenance.complete && holds_whole_model(wanted.model);
  const auto [output, samples] = beside ? places_beside(arguments) : wanted;
  extract::save(run, output, samples);
  if (run.not_verified) fmt::print(stderr, "platter: {}\n", *run.not_verified);
  const char* const kept = run.model.provenance.complete
                               ? "has all that was to be measured"
                               : "has what was measured, and says what is missing";
  if (run.ended_by && run.ended_by->status() != ExitStatus::incomplete)
    throw Error(run.ended_by->status(),
                fmt::format("{}{}; {} {}", run.ended_by->what(),
                            run.not_restored ? "; " + *run.not_restored : "", output, kept));
  if (run.not_restored)
    throw Error(ExitStatus::drive_error,
                fmt::format("{} ({} is written)", *run.not_restored, output));
  fmt::print("{}",
             arguments.json ? model::to_json_text(run.model) : report::model_as_text(run.model));
  if (run.ended_by)
    throw Error(run.ended_by->status(),
                fmt::format("{}; {} {}", run.ended_by->what(), output, kept));
  if (arguments.json) return;
  fmt::print(stderr, "written: {} and its raw samples, {}\n", output, samples);
}

}  // namespace

void add_characterize(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("characterize",
                                     "measure a drive and write its model: the main job");
  command
      ->add_option("DEVICE", arguments->device, "the drive: /dev/..., virtual:NAME, exec:COMMAND")
      ->required();
  command->add_option("-o,--output", arguments->output, "the model to write, MODEL.json")
      ->required();
  command->add_option("--samples", arguments->samples,
                      "where the raw samples go (default: beside the model)");
  command->add_option("--allow-writes", arguments->writable,
                      "LBNs FIRST-LAST that may be rewritten with what they hold (repeatable)");
  command->add_option("--journal", arguments->journal,
                      "folder of the safety journal, not on the drive that is measured (default: "
                      "~/.local/state/platter)");
  command->add_option("--seed", arguments->seed, "seed of the experiments' random choices")
      ->check(seed_number());
  command
      ->add_option("--budget", arguments->budget_s,
                   "drive time that the run may take, in seconds; a short one costs precision")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double seconds = 0;
            const bool is_number = CLI::detail::lexical_cast(text, seconds);
            return is_number && seconds >= 1 && seconds <= 1e7 ? ""
                                                               : text + " is not from 1 to 1e7";
          },
          "SECONDS"));
  command->add_flag("--json", arguments->json, "print the model as JSON");
  arguments->outputs.add_force(*command);
  command->callback([arguments] { characterize(*arguments); });
}

}  // namespace platter::cli

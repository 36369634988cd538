#include "jobs/validate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

#include "emit/disksim_run/disksim.h"
#include "jobs/careful_replay.h"
#include "jobs/each_output.h"
#include "jobs/numbers.h"
#include "jobs/open_device.h"
#include "jobs/subject.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json.h"
#include "model/printable.h"
#include "model/say.h"
#include "model/user_folder.h"
#include "replay/comparison_text.h"
#include "replay/result.h"
#include "replay/validate.h"
#include "replay/verdict.h"
#include "report/response_times.h"

namespace platter::jobs {
namespace {

// DiskSim beside the models that are validated: the one that --disksim names, or the one on PATH.
class DiskSimColumn {
 public:
  // `option`: what --disksim says, "" for what is on PATH. Tries DiskSim on each model, so that
  // what cannot work is known before a drive is asked. Where it was named, throws Error(usage)
  // without a model file, Error(missing_program) if it is not there or does not run the files,
  // Error(unsupported) for a model that they cannot hold; else each is a warning.
  DiskSimColumn(const std::string& option, const std::vector<LoadedSubject>& judged,
                const std::vector<std::string>& paths);

  // Of the models that DiskSim runs, their places in `judged`.
  const std::vector<std::size_t>& models() const { return models_; }
  // The program, where one is run; else "".
  const std::string& program() const { return program_; }

  // Without one where DiskSim failed, which is a warning here.
  std::optional<replay::Result> replay(const LoadedSubject& subject, const replay::Result& drive);
  // Throws Error(some_failed) where it failed and was named; all else is written by then.
  void require_answers() const;

 private:
  bool named_ = false;
  std::string program_{};
  std::vector<std::size_t> models_{};
  std::string failure_{};
};

constexpr const char* kNoDiskSim = "none";

// It runs in a folder of its own, where others mean something else.
std::optional<std::string> disksim_on_path(const std::string& name) {
  return model::program_on_path(name, model::PathFolders::absolute);
}

// The path of what --disksim names.
std::string program_of_option(const std::string& option) {
  if (option.find('/') != std::string::npos) {
    if (model::is_file(option)) return model::absolute_path(option);
  } else if (const auto found = disksim_on_path(option)) {
    return *found;
  }
  throw Error(ExitStatus::missing_program,
              fmt::format("--disksim: there is no program {}; give the path of a DiskSim, or none",
                          model::printable(option)));
}

void warn_of_disksim(const std::string& sentence) {
  model::say("platter: warning: {}\n", model::printable(sentence));
}

DiskSimColumn::DiskSimColumn(const std::string& option, const std::vector<LoadedSubject>& judged,
                             const std::vector<std::string>& paths)
    : named_(!option.empty()) {
  if (option == kNoDiskSim) return;
  const auto is_model = [](const LoadedSubject& subject) { return subject.model.has_value(); };
  if (std::ranges::none_of(judged, is_model)) {
    if (named_)
      throw Error(ExitStatus::usage,
                  "--disksim runs the DiskSim files of models (.json), and none of these is one; "
                  "leave it out");
    return;
  }
  if (named_) {
    program_ = program_of_option(option);
  } else if (const auto found = disksim_on_path("disksim")) {
    program_ = *found;
    model::say("platter: {} runs the models' DiskSim files; --disksim none leaves it out\n",
               model::printable(program_));
  } else {
    return;
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].model) continue;
    try {
      emit_disksim_run::try_disksim(program_, *judged[i].model);
      models_.push_back(i);
    } catch (const emit_disksim_run::Failed& failed) {
      const std::string sentence = fmt::format("{}: {}", paths[i], failed.what());
      if (named_)
        throw Error(ExitStatus::missing_program,
                    sentence + "; give a DiskSim that runs such files, or --disksim none");
      warn_of_disksim(sentence);
    } catch (const Error& error) {
      let_interruptions_pass(error);
      if (named_)
        throw Error(error.status(),
                    fmt::format("{}: {}; leave --disksim out", paths[i], error.what()));
      warn_of_disksim(fmt::format("{}: no DiskSim: {}", paths[i], error.what()));
    }
  }
  if (models_.empty()) program_.clear();
}

std::optional<replay::Result> DiskSimColumn::replay(const LoadedSubject& subject,
                                                    const replay::Result& drive) {
  try {
    return emit_disksim_run::replay_on_disksim(program_, *subject.model, subject.subject, drive);
  } catch (const emit_disksim_run::Failed& failed) {
    failure_ = failed.what();
  } catch (const Error& error) {
    let_interruptions_pass(error);
    failure_ = error.what();
  }
  warn_of_disksim(failure_);
  return std::nullopt;
}

void DiskSimColumn::require_answers() const {
  if (named_ && !failure_.empty())
    throw Error(ExitStatus::some_failed,
                failure_ + "; all but its results is written, --disksim none leaves it out");
}

namespace fs = std::filesystem;

// DIR/random.trace, DIR/random.drive.csv, DIR/random.MODEL.csv, DIR/random.json, DIR/random.svg.
std::string file_of(const ValidationRun& options, const std::string& workload,
                    const std::string& rest) {
  return (fs::path(options.output) / (workload + "." + rest)).string();
}

// All that the run will write, before it begins.
void check_outputs(const ValidationRun& options, const std::vector<std::string>& names,
                   const std::vector<LoadedSubject>& judged, const model::Identity& drive) {
  for (const std::string& model : options.models) options.outputs.reads(model);
  options.outputs.reads(options.device);
  for (const char* const workload : replay::kValidationWorkloads) {
    options.outputs.writes(file_of(options, workload, "drive.csv"), result_of(drive));
    for (const char* const rest : {"trace", "json", "svg"})
      options.outputs.writes(file_of(options, workload, rest));
    for (const std::string& name : names)
      options.outputs.writes(file_of(options, workload, name + ".csv"));
  }
  for (std::size_t i = 0; options.update && i < judged.size(); ++i)
    if (judged[i].model) options.outputs.updates(options.models[i], content_of(*judged[i].model));
}

void save(const replay::Validated& validated, const ValidationRun& options,
          const std::vector<std::string>& names) {
  const auto file = [&](const std::string& rest) {
    return file_of(options, validated.workload, rest);
  };
  const auto writer = trace::create_trace(file("trace"), trace::Format::ascii);
  trace::copy(*trace::reader_of(validated.trace), *writer);
  writer->finish();
  replay::save_result(validated.drive, file("drive.csv"));
  for (std::size_t i = 0; i < validated.models.size(); ++i)
    replay::save_result(validated.models[i], file(names[i] + ".csv"));
  model::write_file(file("json"), replay::comparison_json(validated.comparisons));
  if (!options.undrawn) report::plot_response_times(validated.drive, validated.models, file("svg"));
}

void show(const replay::Validated& validated, const Print& print) {
  print(fmt::format("{} workload, {} requests{}, caches {}\n", validated.workload,
                    validated.drive.requests.size(),
                    validated.comparisons.front().classes[2].n_drive == 0 ? " (reads only)" : "",
                    validated.drive.caches));
  for (const replay::Comparison& comparison : validated.comparisons)
    print(replay::comparison_table(comparison) + "\n");
}

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

// Adds DiskSim's results. The names of all that have answered, a DiskSim that failed left out.
std::vector<std::string> with_disksim(replay::Validated& validated,
                                      const std::vector<LoadedSubject>& judged,
                                      DiskSimColumn& disksim,
                                      const std::vector<std::string>& names) {
  const std::size_t others = validated.models.size();
  std::vector<std::string> answered(names.begin(),
                                    names.begin() + static_cast<std::ptrdiff_t>(others));
  for (std::size_t i = 0; i < disksim.models().size(); ++i) {
    auto result = disksim.replay(judged[disksim.models()[i]], validated.drive);
    if (!result) continue;
    validated.comparisons.push_back(replay::compare_with_error(validated.drive, *result));
    validated.models.push_back(std::move(*result));
    answered.push_back(names[others + i]);
  }
  return answered;
}

}  // namespace

void validate(const ValidationRun& options, Progress& progress, const Print& print) {
  std::vector<LoadedSubject> judged;
  std::vector<replay::Subject> subjects;
  for (const std::string& path : options.models) {
    judged.push_back(load_subject(path));
    subjects.push_back(judged.back().subject);
    if (options.update && judged.back().model)
      model::require_nothing_passed_over(judged.back().model->passed_over);
  }
  const auto is_model = [](const LoadedSubject& subject) { return subject.model.has_value(); };
  if (options.update && std::ranges::none_of(judged, is_model))
    throw Error(ExitStatus::usage,
                "--update-model notes demerits in model files (.json), and none of these is one; "
                "leave it out");
  std::vector<std::string> contenders = options.models;
  DiskSimColumn disksim(options.disksim, judged, options.models);
  const std::unique_ptr<scsi::Device> device = open_device(options.device,
                                                           {.not_in_use = options.not_in_use});
  replay::require_same_size(*device, subjects);
  for (const std::size_t model : disksim.models())
    contenders.push_back(stem_of(options.models[model]) + ".disksim");
  const ResultFolder folder(options.output);
  const std::vector<std::string> names = subject_file_names(contenders);
  const model::Identity drive = replay::identity_of(*device);
  if (!disksim.program().empty()) options.outputs.reads(disksim.program());
  check_outputs(options, names, judged, drive);
  if (options.undrawn) model::say("platter: {}\n", *options.undrawn);
  if (options.writes.empty())
    model::say("platter: reads only; pass --allow-writes FIRST-LAST to validate writes as well\n");
  CarefulReplay careful(*device, options.device, progress);
  const HostKeptQuiet quiet(options.quiet, options.device);
  replay::Validation validation;
  validation.requests = options.requests;
  validation.seed = options.seed;
  validation.permission.writes = writable_ranges(options.writes, drive.blocks);
  validation.drive = careful.options("validate");
  std::vector<replay::Comparison> comparisons;
  std::vector<replay::Judged> at_a_glance;
  const auto keep = [&](replay::Validated validated) {
    for (std::size_t i = 0; i < judged.size(); ++i)
      if (judged[i].model) add_to_validity(validated, i, *judged[i].model);
    const std::vector<std::string> answered = with_disksim(validated, judged, disksim, names);
    save(validated, options, answered);
    if (options.tables) show(validated, print);
    for (std::size_t i = 0; i < answered.size(); ++i)
      at_a_glance.push_back({validated.workload, answered[i], validated.comparisons[i]});
    comparisons.insert(comparisons.end(), validated.comparisons.begin(),
                       validated.comparisons.end());
  };
  // What was compared is told, whatever happens after it: also where the drive does not show what
  // was written to it.
  std::optional<Error> trouble;
  try {
    careful.run([&] { replay::validate(*device, subjects, validation, keep); });
  } catch (const Error& error) {
    if (comparisons.empty()) throw;
    trouble = error;
  }
  if (options.json)
    print(replay::comparison_json(comparisons));
  else
    print(replay::overview(at_a_glance) + "\n" + replay::verdicts(at_a_glance));
  if (trouble) throw *trouble;
  for (std::size_t i = 0; options.update && i < judged.size(); ++i)
    if (judged[i].model) model::save_model(*judged[i].model, options.models[i]);
  require_journal_gone(careful.journal_stays());
  disksim.require_answers();
}

}  // namespace platter::jobs

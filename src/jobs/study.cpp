#include "jobs/study.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "jobs/each_output.h"
#include "jobs/needs.h"
#include "jobs/numbers.h"
#include "jobs/signals.h"
#include "jobs/study_models.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"
#include "report/gnuplot.h"
#include "study/figures.h"
#include "study/locked_file.h"
#include "study/run.h"
#include "study/store.h"
#include "study/table.h"

namespace platter::jobs {
namespace {

// For sh, whatever is in it.
std::string in_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string absolute(const std::string& path) {
  return std::filesystem::path(model::absolute_path(path)).lexically_normal().string();
}

// A name that squeue shows; no line of comments may end in it.
std::string job_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    const bool usual = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    plain += usual ? letter : '_';
  }
  return plain;
}

// A study with all that is known before anything is computed.
struct Prepared {
  study::Study study;
  study::Program program;
  study::Store store;
  study::Points points;
};

// 3 of 20.
struct WhichPart {
  std::uint64_t number = 0, of = 0;
};
WhichPart part_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::uint64_t number = whole_number(text.substr(0, slash)).value_or(0);
  const std::uint64_t of = slash == text.npos ? 0
                                              : whole_number(text.substr(slash + 1)).value_or(0);
  if (number < 1 || number > of)
    throw Error(ExitStatus::usage,
                fmt::format("--part {}: is no I/N, as 3/20 for the third of twenty parts", text));
  return {number, of};
}

// Of the figures, if one is named.
class PlotFolder {
 public:
  explicit PlotFolder(const std::string& path) {
    if (!path.empty()) folder_.emplace(path);
  }

 private:
  std::optional<ResultFolder> folder_{};
};

// Of a plan, which needs none: where there may be one, what it learns of traces is kept there.
class PlannedFolder {
 public:
  explicit PlannedFolder(const std::string& path) {
    try {
      folder_.emplace(path);
    } catch (const Error& error) {
      let_interruptions_pass(error);
    }
  }

 private:
  std::optional<ResultFolder> folder_{};
};

// Another study's table is no file that somebody would miss, for its points stay; but he should
// know.
void tell_replaced(const StudyRun& options, const Prepared& prepared,
                   const std::string& json_lines) {
  const std::string path = options.table(".jsonl");
  if (!model::is_file(path)) return;
  const std::string before = model::beginning_of(path, model::kLargestFile);
  if (before == json_lines) return;
  const std::uint64_t others = study::rows_of_others(before, prepared.study, prepared.points);
  if (others == 0) return;
  model::say(
      "platter: {}: had {} rows of another study or of {} before it was changed; platter "
      "study collect makes such a table again, -C names another folder\n",
      options.table(".csv"), others, options.path);
}

// Several runs may come to their ends at once, each with the same table.
void write_tables(const StudyRun& options, const Prepared& prepared, const study::Table& table) {
  const std::string json_lines = study::json_lines_of(table);
  tell_replaced(options, prepared, json_lines);
  study::Claim::on(options.table(".csv"), true)->commit(study::csv_of(table), true);
  study::Claim::on(options.table(".jsonl"), true)->commit(json_lines, true);
}

std::vector<std::string> figure_paths(const StudyRun& options, const study::Study& study) {
  std::vector<std::string> paths;
  if (options.plots.empty()) return paths;
  for (const std::string& name : study::figure_names(study))
    paths.push_back((std::filesystem::path(options.plots) / name).string());
  return paths;
}

void draw_figures(const std::vector<std::string>& paths, const study::Study& study,
                  const study::Table& table) {
  constexpr int kWidth = 960, kTitle = 80, kPanel = 380;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const study::Figure figure = study::figure_of(study.plots[i], table);
    report::draw(figure.script, paths[i],
                 {.width = kWidth, .height = kTitle + kPanel * static_cast<int>(figure.panels)});
  }
}

// `writes`: tables and figures, of which none may lie in the way of anything. Nothing is written
// before that is known.
Prepared prepare(const StudyRun& options, bool counted, bool writes) {
  study::Study study = study::read_study(options.path);
  if (options.most_requests) study.budget.allow(model::Cost::requests, *options.most_requests);
  study::Program program{options.program};
  study::Store store(options.results());
  if (writes) {
    for (const study::ModelSpec& model : study.models) {
      if (model.array.empty()) options.outputs.reads(model.source);
      for (const study::ModelSpec& member : model.members) options.outputs.reads(member.source);
    }
    for (const study::TraceSpec& trace : study.traces)
      if (!trace.workload) options.outputs.reads(trace.path);
    for (const char* const ending : {".csv", ".jsonl"})
      options.outputs.writes(options.table(ending));
    for (const std::string& path : figure_paths(options, study)) options.outputs.writes(path);
  }
  study::Points points = study::points_of(
      study, program,
      study_models(options.registry, {options.path, store.folder(), options.program}),
      store.folder(), counted);
  study::require_an_end(study, points);
  return {std::move(study), std::move(program), std::move(store), std::move(points)};
}

std::string point_words(const Prepared& prepared, std::size_t index) {
  const study::Point& point = prepared.points.points[index];
  std::string words = fmt::format("{} on {}", prepared.study.traces[point.trace].name,
                                  prepared.study.models[point.model].name);
  if (!point.device.empty()) words += ", device " + point.device;
  for (const study::Dimension& dimension : prepared.study.options)
    words += fmt::format(", {} {}", dimension.option,
                         model::json_text(point.options->at(dimension.option)));
  return model::printable(words);
}

StudyOutcome outcome_of(const StudyRun& options, const Prepared& prepared,
                        const study::Table* table, const study::RunOutcome& ran,
                        std::vector<std::string> figures) {
  StudyOutcome outcome{.study = prepared.study.name,
                       .points = prepared.points.points.size(),
                       .computed = ran.computed,
                       .failed = table ? table->failed : ran.failed,
                       .found = ran.found,
                       .replay_s = ran.replay_s,
                       .figures = std::move(figures)};
  if (table) outcome.missing = table->missing.size();
  if (table) outcome.table = options.table(".csv");
  return outcome;
}

constexpr std::size_t kNamedMissing = 10, kToldReasons = 10;

// "4 of 9 points failed" and, where that is one reason, why. Several have been told before, a line
// each.
std::string failed_words(const Prepared& prepared, std::span<const std::size_t> which,
                         const char* what) {
  const study::Failures failures = study::failures_of(prepared.points, prepared.store, which);
  const std::vector<study::Reason>& reasons = failures.reasons;
  const std::string words = fmt::format("{} of {} {} failed", failures.points, which.size(), what);
  if (reasons.size() == 1) return words + ": " + reasons.front().sentence;
  for (const study::Reason& reason :
       std::span(reasons).first(std::min(kToldReasons, reasons.size())))
    model::say("platter: failed: {}: {}\n",
               reason.points == 1 ? point_words(prepared, reason.first)
                                  : fmt::format("{} points", reason.points),
               reason.sentence);
  if (reasons.size() > kToldReasons)
    model::say("platter: failed: {} more reasons\n", reasons.size() - kToldReasons);
  return words;
}

// Nobody should find out after a day that it takes a month.
void tell_long(const StudyRun& options, std::uint64_t missing, double estimated_s) {
  constexpr double kLong_s = 600;
  if (estimated_s / options.jobs < kLong_s) return;
  model::say(
      "platter: {}: {} points are to be computed, by estimate {:.3g} hours with --jobs {}; "
      "what is computed is kept whenever it ends\n",
      options.path, missing, estimated_s / options.jobs / 3600, options.jobs);
}

std::vector<std::size_t> all_of(const Prepared& prepared) {
  std::vector<std::size_t> all(prepared.points.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void require_all(const StudyRun& options, const Prepared& prepared, const study::Table& table) {
  if (!table.missing.empty()) {
    for (std::size_t i = 0; i < std::min(kNamedMissing, table.missing.size()); ++i)
      model::say("platter: missing: {}\n",
                 model::without_middle(point_words(prepared, table.missing[i])));
    throw Error(ExitStatus::incomplete,
                fmt::format("{}: {} of {} points are missing in {}; platter study run computes "
                            "them",
                            options.path, table.missing.size(), prepared.points.points.size(),
                            prepared.store.folder()));
  }
  if (table.failed == 0) return;
  throw Error(ExitStatus::some_failed,
              fmt::format("{}: {}; the column error of {} says of which, the next run tries them "
                          "again",
                          options.path, failed_words(prepared, all_of(prepared), "points"),
                          options.table(".csv")));
}

}  // namespace

std::string slurm_script(const SlurmStudy& study) {
  std::error_code unknown;
  return fmt::format(
      R"(#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={jobs}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={name}-%A_%a.log
# Run this by sh: it submits itself as an array of {parts} parts, then a job that makes the table and
# names what is missing. Where points are missing, run it once more: what is there stays.
set -eu
platter={platter}
study={study}
folder={folder}
if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  job=$(sbatch --parsable "$0" | cut -d ';' -f 1)
  export platter study folder
  sbatch --parsable --job-name={name}-table --dependency="afterany:$job" --requeue --open-mode=append \
    --output={name}-table.log --export=ALL --wrap 'exec "$platter" study collect "$study" -C "$folder"{more}'
  exit
fi
exec "$platter" study run "$study" -C "$folder" --part "$SLURM_ARRAY_TASK_ID/{parts}" --jobs {jobs} --progress none{more}
)",
      fmt::arg("name", job_name(study.name)), fmt::arg("parts", study.parts),
      fmt::arg("jobs", study.jobs),
      fmt::arg("more", study.most_requests
                           ? fmt::format(" --most-requests {}", *study.most_requests)
                           : std::string()),
      fmt::arg("platter", in_quotes(absolute(
                              std::filesystem::read_symlink("/proc/self/exe", unknown).string()))),
      fmt::arg("study", in_quotes(absolute(study.study))),
      fmt::arg("folder", in_quotes(absolute(study.folder))));
}

void run_study(const StudyRun& options, Progress& progress, const TellStudy& tell) {
  if (!options.plots.empty()) require_needs("study run", "--plots");
  const bool in_part = !options.part.empty();
  const WhichPart part = in_part ? part_of(options.part) : WhichPart{};
  const ResultFolder folder(options.results());
  const PlotFolder plots(options.plots);
  const Prepared prepared = prepare(options, in_part, !in_part);
  const std::vector<std::string> figures = figure_paths(options, prepared.study);
  const std::vector<std::size_t> which =
      in_part ? study::parts_of(prepared.points, part.of)[part.number - 1].points
              : all_of(prepared);
  catch_interrupts();
  const study::RunOutcome ran = study::run_points(
      prepared.study, prepared.points, which, prepared.program, prepared.store,
      {.jobs = options.jobs, .keep_results = options.keep_results},
      [&](std::uint64_t missing, double estimated_s) { tell_long(options, missing, estimated_s); },
      [&](double share, std::uint64_t ended, std::uint64_t of) {
        progress.show(fmt::format("{} of {} points", ended, of), share);
      });
  progress.clear();
  end_at_once_on_signals();
  if (in_part) {
    if (options.json || ran.failed == 0) tell(outcome_of(options, prepared, nullptr, ran, {}));
    if (ran.failed == 0) return;
    throw Error(ExitStatus::some_failed,
                fmt::format("{}: {}; platter study collect makes the table, whose column error "
                            "says of which",
                            options.path, failed_words(prepared, which, "points of the part")));
  }
  prepared.store.tidy_up();
  const study::Table table = study::table_of(prepared.study, prepared.points, prepared.store);
  write_tables(options, prepared, table);
  draw_figures(figures, prepared.study, table);
  tell(outcome_of(options, prepared, &table, ran, figures));
  require_all(options, prepared, table);
}

void collect_study(const StudyRun& options, const TellStudy& tell) {
  if (!options.plots.empty()) require_needs("study collect", "--plots");
  if (!model::is_folder(options.results()))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no folder of results; name the one that platter study run "
                            "wrote with -C",
                            options.results()));
  const ResultFolder tables(options.output.empty() ? options.results() : options.output);
  const PlotFolder plots(options.plots);
  const Prepared prepared = prepare(options, false, true);
  const std::vector<std::string> figures = figure_paths(options, prepared.study);
  const study::Table table = study::table_of(prepared.study, prepared.points, prepared.store);
  if (options.output.empty()) prepared.store.tidy_up();  // else it may be one that is only read
  write_tables(options, prepared, table);
  draw_figures(figures, prepared.study, table);
  tell(outcome_of(options, prepared, &table, {.found = table.rows.size()}, figures));
  require_all(options, prepared, table);
}

PlannedStudy plan_study(const StudyRun& options) {
  const PlannedFolder folder(options.results());
  const Prepared prepared = prepare(options, true, false);
  const std::size_t many = study::sensible_parts(prepared.points, options.parts, options.least_s);
  return {prepared.study.name, prepared.points.points.size(),
          study::parts_of(prepared.points, many)};
}

std::string slurm_study(const StudyRun& options) {
  const PlannedStudy planned = plan_study(options);
  return slurm_script({.study = options.path,
                       .folder = options.results(),
                       .name = planned.study,
                       .parts = planned.parts.size(),
                       .jobs = options.jobs,
                       .most_requests = options.most_requests});
}

}  // namespace platter::jobs

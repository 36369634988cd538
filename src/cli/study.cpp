#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/needs.h"
#include "cli/numbers.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/registry_folder.h"
#include "cli/result_folder.h"
#include "cli/study_models.h"
#include "cli/study_slurm.h"
#include "cli/subcommands.h"
#include "cli/version.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"
#include "report/gnuplot.h"
#include "study/failures.h"
#include "study/figures.h"
#include "study/locked_file.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/table.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

struct StudyOptions {
  std::string path, folder, part, plots, output;
  RegistryFolder registry;
  std::size_t parts = 1;
  std::optional<std::uint64_t> most_requests;
  double least_s = 60;
  unsigned jobs = 1;
  bool keep_results = false, json = false;
  ProgressKind progress = ProgressKind::fitting;
  Outputs outputs;

  // Where no folder is named: beside nothing of the user's, called as the study.
  std::string results() const {
    return folder.empty() ? std::filesystem::path(path).stem().string() + ".study" : folder;
  }
  std::string table(const char* ending) const {
    return (output.empty() ? results() : output) + "/table" + ending;
  }
};

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
void tell_replaced(const StudyOptions& options, const Prepared& prepared,
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
void write_tables(const StudyOptions& options, const Prepared& prepared,
                  const study::Table& table) {
  const std::string json_lines = study::json_lines_of(table);
  tell_replaced(options, prepared, json_lines);
  study::Claim::on(options.table(".csv"), true)->commit(study::csv_of(table), true);
  study::Claim::on(options.table(".jsonl"), true)->commit(json_lines, true);
}

std::vector<std::string> figure_paths(const StudyOptions& options, const study::Study& study) {
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
Prepared prepare(const StudyOptions& options, bool counted, bool writes) {
  study::Study study = study::read_study(options.path);
  if (options.most_requests) study.budget.allow(model::Cost::requests, *options.most_requests);
  const std::string version = version_text();
  study::Program program{version.substr(0, version.find('\n'))};
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
      study, program, study_models(options.registry, store.folder(), options.path), store.folder(),
      counted);
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

// Of a run or a collection, for programs and people.
void tell(const StudyOptions& options, const Prepared& prepared, const study::Table* table,
          const study::RunOutcome& ran, const std::vector<std::string>& figures) {
  const auto of = prepared.points.points.size();
  if (options.json) {
    Json members = {{"study", prepared.study.name}, {"points", of},
                    {"computed", ran.computed},     {"failed", table ? table->failed : ran.failed},
                    {"found", ran.found},           {"replay_s", ran.replay_s}};
    members["missing"] = table ? Json(table->missing.size()) : Json();
    members["table"] = table ? Json(options.table(".csv")) : Json();
    members["figures"] = figures;
    cli::print_json("platter-study-run", members);
    return;
  }
  model::say("platter: {}: {} points, {} computed now, {} were there", options.path, of,
             ran.computed, ran.found);
  if (table) model::say("; {}", options.table(".csv"));
  model::say("\n");
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
void tell_long(const StudyOptions& options, std::uint64_t missing, double estimated_s) {
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

void require_all(const StudyOptions& options, const Prepared& prepared, const study::Table& table) {
  if (!table.missing.empty()) {
    for (std::size_t i = 0; i < std::min(kNamedMissing, table.missing.size()); ++i)
      model::say("platter: missing: {}\n", point_words(prepared, table.missing[i]));
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

void run_study(const StudyOptions& options) {
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
  study::RunOutcome ran;
  {
    std::optional<Progress> progress;  // it has a thread: begins when the processes have
    ran = study::run_points(
        prepared.study, prepared.points, which, prepared.program, prepared.store,
        {.jobs = options.jobs, .keep_results = options.keep_results},
        [&](std::uint64_t missing, double estimated_s) {
          tell_long(options, missing, estimated_s);
        },
        [&](double share, std::uint64_t ended, std::uint64_t of) {
          if (!progress) progress.emplace(options.progress);
          progress->show(fmt::format("{} of {} points", ended, of), share);
        });
  }
  end_at_once_on_signals();
  if (in_part) {
    if (options.json || ran.failed == 0) tell(options, prepared, nullptr, ran, {});
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
  tell(options, prepared, &table, ran, figures);
  require_all(options, prepared, table);
}

void collect(const StudyOptions& options) {
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
  tell(options, prepared, &table, {.found = table.rows.size()}, figures);
  require_all(options, prepared, table);
}

void plan(const StudyOptions& options) {
  const PlannedFolder folder(options.results());
  const Prepared prepared = prepare(options, true, false);
  const std::size_t many = study::sensible_parts(prepared.points, options.parts, options.least_s);
  const std::vector<study::Part> parts = study::parts_of(prepared.points, many);
  if (options.json) {
    Json list = Json::array();
    for (std::size_t i = 0; i < parts.size(); ++i)
      list.push_back({{"part", fmt::format("{}/{}", i + 1, many)},
                      {"points", parts[i].points.size()},
                      {"estimated_s", parts[i].estimated_s}});
    return cli::print_json("platter-study-plan", {{"study", prepared.study.name},
                                                  {"points", prepared.points.points.size()},
                                                  {"parts", list}});
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    fmt::print("{}/{}  {} points  {:.0f} s\n", i + 1, many, parts[i].points.size(),
               parts[i].estimated_s);
}

void print_slurm(const StudyOptions& options) {
  const PlannedFolder folder(options.results());
  const Prepared prepared = prepare(options, true, false);
  fmt::print(
      "{}",
      slurm_script({.study = options.path,
                    .folder = options.results(),
                    .name = prepared.study.name,
                    .parts = study::sensible_parts(prepared.points, options.parts, options.least_s),
                    .jobs = options.jobs,
                    .most_requests = options.most_requests}));
}

CLI::App* add_verb(CLI::App& study, const char* name, const char* about,
                   const std::shared_ptr<StudyOptions>& options) {
  CLI::App* verb = study.add_subcommand(name, about);
  verb->add_option("STUDY", options->path, "the study's file (docs/studies.md)")->required();
  verb->add_option("-C,--folder", options->folder,
                   "of the results (else: the study's name and .study)")
      ->check([](const std::string& name) {
        return name.empty() ? std::string("an empty name is no folder") : std::string();
      });
  options->registry.add_to(*verb);
  verb->add_option("--most-requests", options->most_requests,
                   "of all points together (else: as docs/limits.md says)")
      ->transform(at_least(1));
  return verb;
}

void add_figures(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--plots", options.plots, "a folder for the study's figures (needs gnuplot)")
      ->check(named_for(Written::folder));
  options.outputs.add_force(verb);
}

void add_json(CLI::App& verb, StudyOptions& options) {
  verb.add_flag("--json", options.json, "what was done, for programs");
}

void add_jobs(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--jobs", options.jobs, "so many processes")
      ->transform(between(1, 4096))
      ->capture_default_str();
}

void add_parts(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--parts", options.parts, "at most so many")
      ->required()
      ->transform(between(1, 1e6));
  verb.add_option("--least", options.least_s,
                  "fewer parts, so that each takes this long: seconds, or 5m")
      ->transform(seconds(0, 1e9))
      ->capture_default_str();
}

}  // namespace

void add_study(CLI::App& app) {
  CLI::App* study = app.add_subcommand(
      "study", "traces on models under every combination of options, in one table");
  study->require_subcommand(1);
  auto options = std::make_shared<StudyOptions>();

  CLI::App* run = add_verb(*study, "run", "computes the points that are missing, then the table",
                           options);
  add_jobs(*run, *options);
  run->add_option("--part", options->part, "only the points of part I/N, and no table")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "is empty; write I/N, as 3/20, or leave it out" : "");
      });
  run->add_flag("--keep-results", options->keep_results,
                "every request of every point, for compare");
  add_figures(*run, *options);
  add_progress_option(*run, options->progress);
  add_json(*run, *options);
  run->callback([options] { run_study(*options); });

  CLI::App* planned = add_verb(*study, "plan", "parts of equal estimated cost", options);
  add_parts(*planned, *options);
  add_json(*planned, *options);
  planned->callback([options] { plan(*options); });

  CLI::App* collected = add_verb(*study, "collect", "the table of the points that are there",
                                 options);
  collected
      ->add_option("-o,--output", options->output,
                   "a folder for the table (else: that of the results)")
      ->check(named_for(Written::folder))
      ->type_name("DIR");
  add_figures(*collected, *options);
  add_json(*collected, *options);
  collected->callback([options] { collect(*options); });

  CLI::App* slurm = add_verb(*study, "slurm", "the script that runs the parts by Slurm", options);
  add_parts(*slurm, *options);
  add_jobs(*slurm, *options);
  slurm->callback([options] { print_slurm(*options); });
}

}  // namespace platter::cli

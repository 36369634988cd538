#include "jobs/study.h"

#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "cli/version.h"
#include "model/say.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDone = "what was done, for programs";

struct StudyOptions {
  jobs::StudyRun run;
  ProgressKind progress = ProgressKind::fitting;
};

// For programs and people.
jobs::TellStudy telling(const jobs::StudyRun& run) {
  return [&run](const jobs::StudyOutcome& outcome) {
    if (run.json)
      return print_json("platter-study-run",
                        {{"study", outcome.study},
                         {"points", outcome.points},
                         {"computed", outcome.computed},
                         {"failed", outcome.failed},
                         {"found", outcome.found},
                         {"replay_s", outcome.replay_s},
                         {"missing", outcome.missing ? Json(*outcome.missing) : Json()},
                         {"table", outcome.table ? Json(*outcome.table) : Json()},
                         {"figures", outcome.figures}});
    model::say("platter: {}: {} points, {} computed now, {} were there{}\n", run.path,
               outcome.points, outcome.computed, outcome.found,
               outcome.table ? "; " + *outcome.table : "");
  };
}

void plan(const jobs::StudyRun& run) {
  const jobs::PlannedStudy planned = jobs::plan_study(run);
  Json list = Json::array();
  for (const study::Part& part : planned.parts) {
    const std::string name = fmt::format("{}/{}", list.size() + 1, planned.parts.size());
    if (!run.json)
      fmt::print("{}  {} points  {:.0f} s\n", name, part.points.size(), part.estimated_s);
    list.push_back(
        {{"part", name}, {"points", part.points.size()}, {"estimated_s", part.estimated_s}});
  }
  if (run.json)
    print_json("platter-study-plan",
               {{"study", planned.study}, {"points", planned.points}, {"parts", list}});
}

CLI::App* add_verb(CLI::App& study, const char* name, const char* about,
                   const std::shared_ptr<StudyOptions>& options) {
  CLI::App* verb = study.add_subcommand(name, about);
  verb->add_option("STUDY", options->run.path, "the study's file (docs/studies.md)")->required();
  verb->add_option("-C,--folder", options->run.folder,
                   "of the results (else: the study's name and .study)");
  add_registry_option(*verb, options->run.registry);
  verb->add_option("--most-requests", options->run.most_requests,
                   "of all points together (else: as docs/limits.md says)")
      ->transform(at_least(1));
  return verb;
}

void add_figures(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--plots", options.run.plots, "a folder for the study's figures (needs gnuplot)")
      ->check(named_for(Written::folder));
  add_force(verb, options.run.outputs);
}

void add_jobs(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--jobs", options.run.jobs, "so many processes")
      ->transform(between(1, 4096))
      ->capture_default_str();
}

void add_parts(CLI::App& verb, StudyOptions& options) {
  verb.add_option("--parts", options.run.parts, "at most so many")
      ->required()
      ->transform(between(1, 1e6));
  verb.add_option("--least", options.run.least_s,
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
  const std::string version = version_text();
  options->run.program = version.substr(0, version.find('\n'));

  CLI::App* run = add_verb(*study, "run", "computes the points that are missing, then the table",
                           options);
  add_jobs(*run, *options);
  run->add_option("--part", options->run.part, "only the points of part I/N, and no table")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "is empty; write I/N, as 3/20, or leave it out" : "");
      });
  run->add_flag("--keep-results", options->run.keep_results,
                "every request of every point, for compare");
  add_figures(*run, *options);
  add_progress_option(*run, options->progress);
  add_json(*run, options->run.json, kDone);
  run->callback([options] {
    Progress progress(options->progress);
    jobs::run_study(options->run, progress, telling(options->run));
  });

  CLI::App* planned = add_verb(*study, "plan", "parts of equal estimated cost", options);
  add_parts(*planned, *options);
  add_json(*planned, options->run.json, kDone);
  planned->callback([options] { plan(options->run); });

  CLI::App* collected = add_verb(*study, "collect", "the table of the points that are there",
                                 options);
  collected
      ->add_option("-o,--output", options->run.output,
                   "a folder for the table (else: that of the results)")
      ->check(named_for(Written::folder))
      ->type_name("DIR");
  add_figures(*collected, *options);
  add_json(*collected, options->run.json, kDone);
  collected->callback([options] { jobs::collect_study(options->run, telling(options->run)); });

  CLI::App* slurm = add_verb(*study, "slurm", "the script that runs the parts by Slurm", options);
  add_parts(*slurm, *options);
  add_jobs(*slurm, *options);
  slurm->callback([options] { fmt::print("{}", jobs::slurm_study(options->run)); });
}

}  // namespace platter::cli

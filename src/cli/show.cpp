#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/several.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "jobs/better_model.h"
#include "jobs/needs.h"
#include "jobs/plot.h"
#include "jobs/show_table.h"
#include "model/error.h"
#include "model/json.h"
#include "model/nearest.h"
#include "report/explanations.h"
#include "report/gnuplot.h"
#include "report/model_summary.h"

namespace platter::cli {
namespace {

const std::map<std::string, report::Section> kSections = {
    {"summary", report::Section::head},        {"validity", report::Section::validity},
    {"layout", report::Section::layout},       {"seeks", report::Section::seeks},
    {"mechanics", report::Section::mechanics}, {"cache", report::Section::cache},
    {"overheads", report::Section::overheads}, {"bus", report::Section::bus},
    {"queue", report::Section::queue},         {"missing", report::Section::missing},
    {"notes", report::Section::notes}};

const report::Explanation& explanation_named(const std::string& path) {
  if (const report::Explanation* found = report::explanation_of(path)) return *found;
  std::vector<std::string> paths;
  for (const report::Explanation& each : report::explanations()) paths.emplace_back(each.path);
  throw Error(ExitStatus::usage,
              fmt::format("there is no parameter {}; {}platter show --json lists them", path,
                          model::did_you_mean(path, paths)));
}

struct ShowOptions {
  std::vector<std::string> models, sections;
  std::string plots, explain;
  bool json = false, brief = false, plot = false;
  jobs::Outputs outputs;
};

void show_table(const std::string& path, const ShowOptions& options, const Print& print) {
  const bool of_models = !options.plots.empty() || !options.explain.empty() ||
                         !options.sections.empty() || options.brief || options.plot;
  if (of_models)
    throw Error(ExitStatus::usage,
                "--plots, --plot, --brief, --section and --explain are for models; give the model "
                "that the table is of");
  print(jobs::table_in_words(path, options.json));
}

void show_model(const std::string& path, const ShowOptions& options, const Print& print) {
  const model::DriveModel model = model::load_model(path);
  jobs::tell_doubts(model);
  if (!options.plots.empty()) jobs::draw_figures(model, options.plots, options.outputs);
  if (options.json) return print(report::model_as_json(model));
  if (!options.explain.empty())
    return print(report::explained(model, explanation_named(options.explain)));
  if (options.plot) {
    constexpr report::Section kHead[] = {report::Section::head};
    print(report::model_as_text(model, kHead));
    return jobs::for_each_figure(
        model, [&](const char*, const auto& plot) { print("\n" + report::drawn(plot)); });
  }
  if (options.brief) return print(report::model_in_brief(model));
  std::vector<report::Section> sections;
  for (const std::string& name : options.sections) sections.push_back(kSections.at(name));
  print(sections.empty() ? report::model_as_text(model) : report::model_as_text(model, sections));
}

void show(const ShowOptions& options) {
  if (options.models.size() > 1 && !options.plots.empty())
    throw Error(ExitStatus::usage,
                "--plots draws the figures of one model under names of their own; give one model");
  if (!options.plots.empty()) jobs::require_needs("show", "--plots");
  if (options.plot) jobs::require_needs("show", "--plot");
  for_each_of(options.models, options.json, Heading::name,
              [&](const std::string& path, const Print& print) {
                if (emit_table::is_table_file(path))
                  show_table(path, options, print);
                else
                  show_model(path, options, print);
              });
}

}  // namespace

void add_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "what a model says about its drive");
  command->add_option("MODEL", options->models, "the model file, or a table (.ptab), or several")
      ->required();
  CLI::Option* json = add_json(*command, options->json, "the same for programs");
  command
      ->add_option("--plots", options->plots,
                   "also draw the seek curve and the zones into this folder (SVG)")
      ->check(named_for(Written::folder));
  CLI::Option* plot = command
                          ->add_flag(
                              "--plot", options->plot,
                              "the summary, and the seek curve and the zones in the terminal")
                          ->excludes(json);
  CLI::Option* brief = command->add_flag("--brief", options->brief, "the summary and no more")
                           ->excludes(json)
                           ->excludes(plot);
  CLI::Option* section =
      command->add_option("--section", options->sections, "only these, with commas between")
          ->delimiter(',')
          ->check(CLI::IsMember(kSections))
          ->excludes(json)
          ->excludes(plot)
          ->excludes(brief);
  command
      ->add_option("--explain", options->explain,
                   "what a parameter is, how it was measured, how sure: rotation.period")
      ->excludes(json)
      ->excludes(plot)
      ->excludes(brief)
      ->excludes(section);
  add_force(*command, options->outputs);
  command->callback([options] { show(*options); });
}

}  // namespace platter::cli

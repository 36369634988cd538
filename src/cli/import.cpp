#include "emit/disksim/import.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/disksim_files.h"
#include "model/error.h"
#include "model/json.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

struct Question {
  std::string file, trace;
  emit_disksim::Program program = emit_disksim::Program::cmu4;
};

void print_findings(const Question& question, bool as_json) {
  const std::string& file = question.file;
  const std::vector<emit_disksim_check::Finding> findings = jobs::disksim_findings(
      file, question.program, question.trace);
  const bool runs = emit_disksim_check::runs(findings);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const emit_disksim_check::Finding& finding : findings) {
    list.push_back({{"effect", emit_disksim_check::name_of(finding.effect)},
                    {"where", finding.where},
                    {"what", finding.what},
                    {"source", finding.source}});
    if (!as_json) fmt::print("{}\n", model::printable(emit_disksim_check::in_words(finding)));
  }
  if (as_json)
    print_json("platter-disksim-check", {{"file", file}, {"runs", runs}, {"findings", list}});
  if (!runs)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: DiskSim would stop at these files, or not answer; mend what is "
                            "told above",
                            file));
}

}  // namespace

void add_import(CLI::App& app) {
  struct Options {
    Question question;
    std::string output, drive, with;
    emit_disksim::TakenAs taken_as = emit_disksim::TakenAs::by_rule;
    bool json = false, check = false;
    jobs::Outputs outputs;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("import",
                                         "a model from another program's parameter files");
  command->require_subcommand(1);
  CLI::App* disksim = command->add_subcommand(
      "disksim", "from a DiskSim 4.0 .parv, .diskspecs or .model file");
  disksim
      ->add_option("FILE", options->question.file,
                   "the parameter file; what it names with source is read too")
      ->required();
  CLI::Option* output = disksim
                            ->add_option("-o,--output", options->output,
                                         "the model file to write (else: to stdout)")
                            ->check(named_for(Written::json));
  CLI::Option* check = disksim->add_flag(
      "--check", options->check,
      "no model: what DiskSim itself would stop at, never end with, or take otherwise");
  check->excludes(output);
  disksim
      ->add_option("--trace", options->question.trace,
                   "with --check: what the requests of this trace meet (else: any block)")
      ->needs(check);
  disksim
      ->add_option("--program", options->question.program,
                   "with --check: which DiskSim: Carnegie Mellon's 4.0 (cmu4), Western Digital's "
                   "2.01.016 (wd) or its 64-bit one (wd64) (default: cmu4)")
      ->transform(one_of(emit_disksim_programs()))
      ->needs(check)
      ->type_name("NAME");
  disksim->add_option("--drive", options->drive,
                      "the disksim_disk block, where the files hold several");
  disksim->add_option(
      "--with", options->with,
      "a model (.json) or DiskSim file that has what FILE, a .model or a layout alone, lacks");
  static const std::map<std::string, emit_disksim::TakenAs> kTakenAs{
      {"meant", emit_disksim::TakenAs::meant}, {"run", emit_disksim::TakenAs::run}};
  disksim
      ->add_option("--as", options->taken_as,
                   "where DiskSim's manual and its code differ: as meant (by the manual) or as "
                   "DiskSim runs it (else: each as traces of real drives have it)")
      ->transform(one_of(kTakenAs))
      ->type_name("NAME");
  add_force(*disksim, options->outputs);
  add_json(*disksim, options->json, "write the model, or with --check the findings, to stdout");
  disksim->callback([options] {
    if (options->check) return print_findings(options->question, options->json);
    const emit_disksim::Imported imported = emit_disksim::import_disksim(
        options->question.file, options->drive, options->with, options->taken_as);
    for (const std::string& warning : imported.warnings)
      model::say("platter: warning: {}\n", model::printable(warning));
    if (!options->output.empty()) {
      options->outputs.writes(options->output, jobs::content_of(imported.model));
      model::save_model(imported.model, options->output);
    }
    if (options->output.empty() ||
        (options->json && !jobs::goes_to_standard_output(options->output)))
      fmt::print("{}", model::to_json_text(imported.model));
  });
}

}  // namespace platter::cli

#include "extract/estimate.h"

#include <fmt/core.h>

#include <memory>

#include "cli/better_model.h"
#include "cli/doubts.h"
#include "cli/interrupt.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/samples_at.h"
#include "cli/subcommands.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "report/model_summary.h"

namespace platter::cli {
namespace {

struct EstimateArguments {
  std::string samples, output;
  bool json = false;
  Outputs outputs;
};

void estimate(const EstimateArguments& arguments) {
  catch_interrupts();
  arguments.outputs.reads(arguments.samples);
  const extract::KeptRecord kept = samples_at(arguments.samples);
  arguments.outputs.writes(arguments.output, measured_model_of(kept.record.identity));
  const model::DriveModel model = [&] {
    try {
      return extract::estimate(kept.record);
    } catch (const Error& error) {
      if (error.status() == ExitStatus::interrupted) throw;
      throw Error(error.status(), fmt::format("{}: {}", arguments.samples, error.what()));
    }
  }();
  if (const auto better = better_there(arguments.output, model);
      better && !arguments.outputs.forced())
    throw Error(ExitStatus::refused,
                fmt::format("{}: holds a better model of the drive ({}), so it is left alone; name "
                            "another file, or replace it with --force",
                            arguments.output, *better));
  model::save_model(model, arguments.output);
  print_beside(arguments.output,
               arguments.json ? model::to_json_text(model) : report::model_as_text(model));
  if (kept.cut || !kept.ended)
    model::say("platter: {} ends {}: it was read up to there\n", arguments.samples,
               kept.cut ? "in the middle of a line" : "before the run did");
  if (!model.provenance.complete)
    throw Error(ExitStatus::incomplete, fmt::format("{} lacks {}", arguments.output,
                                                    model::what_is_missing(model.provenance)));
  require_what_a_run_is_for(model, arguments.output);
  if (!arguments.json) model::say("written: {}\n", arguments.output);
}

}  // namespace

void add_estimate(CLI::App& app) {
  auto arguments = std::make_shared<EstimateArguments>();
  auto* command = app.add_subcommand(
      "estimate", "make the model of a run again from its raw samples, without the drive");
  command->add_option("SAMPLES", arguments->samples, "what characterize kept, MODEL.samples.jsonl")
      ->required();
  command->add_option("-o,--output", arguments->output, "the model to write, MODEL.json")
      ->check(named_for(Written::json))
      ->required();
  command->add_flag("--json", arguments->json, "print the model as JSON");
  arguments->outputs.add_force(*command);
  command->callback([arguments] { estimate(*arguments); });
}

}  // namespace platter::cli

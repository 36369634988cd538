#include "jobs/estimate.h"

#include <fmt/core.h>

#include <fstream>

#include "extract/estimate.h"
#include "jobs/better_model.h"
#include "jobs/signals.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "report/model_summary.h"

namespace platter::jobs {

extract::KeptRecord samples_at(const std::string& path) {
  if (!model::is_file(path))
    throw Error(ExitStatus::bad_input, path +
                                           ": is no file, or is not there; give the raw samples "
                                           "that platter characterize kept");
  std::ifstream file(path);
  if (!file) throw Error(ExitStatus::permission, path + ": may not be read");
  return extract::read_record(file, path);
}

void estimate(const EstimateRun& arguments, const Print& print) {
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
  if (const auto better = better_there(arguments.output, model); better && !arguments.outputs.force)
    throw Error(ExitStatus::refused,
                fmt::format("{}: holds a better model of the drive ({}), so it is left alone; name "
                            "another file, or replace it with --force",
                            arguments.output, *better));
  model::save_model(model, arguments.output);
  print(arguments.json ? model::to_json_text(model) : report::model_as_text(model));
  if (kept.cut || !kept.ended)
    model::say("platter: {} ends {}: it was read up to there\n", arguments.samples,
               kept.cut ? "in the middle of a line" : "before the run did");
  if (!model.provenance.complete)
    throw Error(ExitStatus::incomplete, fmt::format("{} lacks {}", arguments.output,
                                                    model::what_is_missing(model.provenance)));
  require_what_a_run_is_for(model, arguments.output);
  if (!arguments.json) model::say("written: {}\n", arguments.output);
}

}  // namespace platter::jobs

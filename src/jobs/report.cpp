#include "jobs/report.h"

#include <filesystem>

#include "fleet/fleet_text.h"
#include "jobs/needs.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "report/html_report.h"

namespace platter::jobs {

void write_report(const ReportRun& run) {
  std::vector<report::ReportedModel> models;
  for (const std::string& path : run.models)
    models.push_back({std::filesystem::path(path).stem().string(), model::load_model(path)});
  std::vector<report::WorkloadResults> workloads;
  if (!run.results.empty()) workloads = report::load_workloads(run.results);
  run.outputs.writes(run.output);
  if (const auto why = no_pictures({"figure in " + run.output})) model::say("platter: {}\n", *why);
  std::vector<fleet::Drive> drives;
  for (const report::ReportedModel& reported : models)
    drives.push_back({reported.file, reported.model});
  model::write_file(run.output, report::html_report(models, workloads, fleet::found_among(drives)));
}

}  // namespace platter::jobs

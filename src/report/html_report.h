// The report: one HTML file about one or more models, and how they stand against their drive.
#pragma once

#include <span>
#include <string>

#include "model/drive_model.h"
#include "report/fleet_found.h"
#include "report/html_results.h"

namespace platter::report {

struct ReportedModel {
  std::string file;  // its name without folder and extension, as result files are called by it
  model::DriveModel model;
};

// Self-contained: style and figures are inline, there are no scripts and no references. The same
// input gives the same bytes. Figures need gnuplot: throws Error(missing_program) without it.
// `models` must not be empty; `workloads` may be. `found`: of three models and more.
std::string html_report(std::span<const ReportedModel> models,
                        std::span<const WorkloadResults> workloads, const FleetFound& found = {});

}  // namespace platter::report

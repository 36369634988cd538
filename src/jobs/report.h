// One HTML file about models.
#pragma once

#include <string>
#include <vector>

#include "jobs/outputs.h"

namespace platter::jobs {

struct ReportRun {
  std::vector<std::string> models;
  std::string results, output;  // results: the folder of a validation; "": none
  Outputs outputs;
};

void write_report(const ReportRun& run);

}  // namespace platter::jobs

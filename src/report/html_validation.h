// The part of the report in which models stand against their drive.
#pragma once

#include <span>
#include <string>

#include "report/html_results.h"

namespace platter::report::html {

// Distributions and metrics of each workload.
std::string validation_chapter(std::span<const WorkloadResults> workloads);

}  // namespace platter::report::html

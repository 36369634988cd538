// The part of the report in which models stand against their drive.
#pragma once

#include <span>
#include <string>

#include "model/drive_model.h"
#include "report/html_results.h"

namespace platter::report::html {

// How good a model is, in a sentence: by its results in the workloads (those of the files called
// `file`), else by what its validity states, else that nobody knows.
std::string verdict(const model::DriveModel& model, const std::string& file,
                    std::span<const WorkloadResults> workloads);

// Distributions and metrics of each workload.
std::string validation_chapter(std::span<const WorkloadResults> workloads);

}  // namespace platter::report::html

// What a reader sees first: how good the model is, of which drive it is, what it may be used for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "replay/verdict.h"
#include "report/html_results.h"

namespace platter::report::html {

// What is known of how good a model is: from its results in the workloads (those of the files
// called `file`), else what its validity states; empty: nobody compared it with the drive.
std::vector<replay::Judged> judged(const model::DriveModel& model, const std::string& file,
                                   std::span<const WorkloadResults> workloads);

std::string verdict_box(const model::DriveModel& model, std::span<const replay::Judged> judged);
std::string uses(const model::DriveModel& model, std::span<const replay::Judged> judged);
std::string fingerprint(const model::DriveModel& model);

}  // namespace platter::report::html

// A result's file: summed up, or written in another form.
#pragma once

#include <string>

#include "jobs/outputs.h"
#include "replay/summary.h"

namespace platter::jobs {

struct SummedResult {
  replay::ResultHead head;
  replay::Summary summary;
};
SummedResult result_at(const std::string& path);

void export_result(const std::string& path, const std::string& output, const Outputs& outputs);

}  // namespace platter::jobs

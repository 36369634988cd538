// The figure of a comparison: the response times of a drive and of its models.
#pragma once

#include <span>
#include <string>

#include "replay/result.h"
#include "replay/result_source.h"
#include "report/plots.h"

namespace platter::report {

void plot_response_times(const replay::Result& drive, std::span<const replay::Result> models,
                         const std::string& path);

Distribution distribution_of(const replay::Result& result, const std::string& label);

// The same of results of any length, the drive's first.
void plot_response_times(std::span<const replay::OpenResult> results, const std::string& path);

}  // namespace platter::report

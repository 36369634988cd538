// The figure of a comparison: the response times of a drive and of its models.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "replay/result.h"
#include "replay/result_source.h"
#include "report/plots.h"

namespace platter::report {

void plot_response_times(const replay::Result& drive, std::span<const replay::Result> models,
                         const std::string& path);

Distribution distribution_of(const replay::Result& result, const std::string& label);

// The same of results of any length, the drive's first; one alone is drawn alone.
void plot_response_times(std::span<const replay::OpenResult> results, const std::string& path);

// What plot_response_times() draws of them, and the title that it gives it.
struct ResponseTimes {
  std::string title{};
  std::vector<Distribution> distributions{};
};
ResponseTimes response_times_of(std::span<const replay::OpenResult> results);

}  // namespace platter::report

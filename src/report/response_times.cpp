#include "report/response_times.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "report/plots.h"

namespace platter::report {
namespace {

Distribution distribution_of(const replay::Result& result) {
  Distribution distribution{result.name, {}};
  for (const replay::Response& request : result.requests)
    distribution.times_ms.push_back(to_ms(request.response_ns));
  return distribution;
}

}  // namespace

void plot_response_times(const replay::Result& drive, std::span<const replay::Result> models,
                         const std::string& path) {
  std::vector<Distribution> distributions = {distribution_of(drive)};
  for (const replay::Result& model : models) distributions.push_back(distribution_of(model));
  plot_distributions(fmt::format("Response times, {}",
                                 std::filesystem::path(drive.trace).filename().string()),
                     distributions, path);
}

}  // namespace platter::report

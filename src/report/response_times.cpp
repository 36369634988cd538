#include "report/response_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "replay/sorted_times.h"
#include "report/plots.h"

namespace platter::report {
namespace {

// So many of its times, at even distances in their order, that a picture shows no more.
Distribution distribution_of(replay::ResultReader& result) {
  constexpr std::uint64_t kMost = 100'000;
  replay::SortedTimes times;
  replay::Part part = replay::Part::trace;
  for (std::vector<replay::Response> rows; result.read(part, rows);)
    for (const replay::Response& row : rows)
      if (part == replay::Part::trace) times.add(0, row.response_ns);
  Distribution distribution{result.head().name, {}};
  const std::uint64_t count = times.count(1), steps = std::min(count, kMost) - 1;
  replay::SortedTimes::Reader sorted = times.read(1);
  Nanoseconds time_ns = 0;
  std::uint64_t given = 0;
  for (std::uint64_t place = 0; sorted.next(time_ns); ++place)
    if (steps == 0 || place == given * (count - 1) / steps) {
      distribution.times_ms.push_back(to_ms(time_ns));
      ++given;
    }
  return distribution;
}

std::string title_of(const std::string& trace) {
  return fmt::format("Response times, {}", std::filesystem::path(trace).filename().string());
}

}  // namespace

Distribution distribution_of(const replay::Result& result, const std::string& label) {
  Distribution distribution{label, {}};
  for (const replay::Response& request : result.requests)
    distribution.times_ms.push_back(to_ms(request.response_ns));
  return distribution;
}

ResponseTimes response_times_of(std::span<const replay::OpenResult> results) {
  ResponseTimes times;
  for (const replay::OpenResult& open : results) {
    const std::unique_ptr<replay::ResultReader> result = open();
    if (times.distributions.empty()) times.title = title_of(result->head().trace);
    times.distributions.push_back(distribution_of(*result));
  }
  return times;
}

void plot_response_times(std::span<const replay::OpenResult> results, const std::string& path) {
  const ResponseTimes times = response_times_of(results);
  plot_distributions(times.title, times.distributions, path);
}

void plot_response_times(const replay::Result& drive, std::span<const replay::Result> models,
                         const std::string& path) {
  std::vector<Distribution> distributions = {distribution_of(drive, drive.name)};
  for (const replay::Result& model : models)
    distributions.push_back(distribution_of(model, model.name));
  plot_distributions(title_of(drive.trace), distributions, path);
}

}  // namespace platter::report

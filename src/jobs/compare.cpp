#include "jobs/compare.h"

#include <span>

#include "jobs/needs.h"
#include "replay/result_source.h"
#include "report/figure_form.h"
#include "report/response_times.h"

namespace platter::jobs {

std::vector<replay::Comparison> compared(const CompareRun& run) {
  run.outputs.reads(run.drive);
  for (const std::string& path : run.models) run.outputs.reads(path);
  if (!run.plot.empty()) {
    require_needs("compare", "--plot");
    report::require_form(run.plot);
    run.outputs.writes(run.plot);
  }
  std::vector<replay::Comparison> comparisons;
  std::vector<replay::OpenResult> results(1);
  bool in_front = false;
  for (const std::string& path : run.models) {
    results.push_back(replay::result_source(path));
    in_front = in_front || results.back()()->head().think_in_front;
  }
  results.front() = replay::result_source(run.drive, in_front);
  for (const replay::OpenResult& model : std::span(results).subspan(1))
    comparisons.push_back(replay::compare(results.front(), model, run.comparing));
  if (!run.plot.empty()) report::plot_response_times(results, run.plot);
  return comparisons;
}

}  // namespace platter::jobs

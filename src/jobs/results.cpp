#include "jobs/results.h"

#include <memory>
#include <span>

#include "jobs/needs.h"
#include "model/file.h"
#include "replay/result_file.h"
#include "replay/result_source.h"
#include "report/figure_form.h"
#include "report/response_times.h"

namespace platter::jobs {
namespace {

// Hands all requests on, piece by piece.
void read_all(replay::ResultReader& reader, const std::vector<replay::Rows*>& receivers) {
  replay::Part part = replay::Part::trace;
  for (std::vector<replay::Response> rows; reader.read(part, rows);)
    for (replay::Rows* receiver : receivers) receiver->add(part, rows);
}

}  // namespace

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

SummedResult result_at(const std::string& path) {
  const std::unique_ptr<replay::ResultReader> reader = replay::open_result(path);
  replay::Summarizer summarizer;
  read_all(*reader, {&summarizer});
  return {reader->head(), summarizer.summary()};
}

void export_result(const std::string& path, const std::string& output, const Outputs& outputs) {
  replay::require_result_name(output);
  const std::unique_ptr<replay::ResultReader> reader = replay::open_result(path);
  outputs.writes(output, content_of(reader->head()));
  replay::Summarizer summarizer;
  const std::unique_ptr<replay::ResultWriter> writer = replay::create_result(output,
                                                                             reader->head());
  read_all(*reader, {writer.get(), &summarizer});
  replay::ResultHead head = reader->head();
  head.lateness = summarizer.lateness();
  writer->finish(head);
}

}  // namespace platter::jobs

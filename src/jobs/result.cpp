#include "jobs/result.h"

#include <memory>
#include <vector>

#include "model/file.h"
#include "replay/result_file.h"

namespace platter::jobs {
namespace {

// Hands all requests on, piece by piece.
void read_all(replay::ResultReader& reader, const std::vector<replay::Rows*>& receivers) {
  replay::Part part = replay::Part::trace;
  for (std::vector<replay::Response> rows; reader.read(part, rows);)
    for (replay::Rows* receiver : receivers) receiver->add(part, rows);
}

}  // namespace

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

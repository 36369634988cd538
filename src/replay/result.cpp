#include "replay/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "replay/result_csv.h"
#include "replay/summary.h"
#include "trace/compression.h"
#include "trace/front.h"
#include "trace/record.h"

namespace platter::replay {
namespace {

// The result of the drive that a trace was measured on, row by row.
class Measured {
 public:
  explicit Measured(const trace::Source& trace) : trace_(trace) {}

  ResultHead head() const {
    ResultHead head;
    head.name = fmt::format("the drive of {}",
                            std::filesystem::path(trace_.name).filename().string());
    head.trace = trace_.name;
    head.kind = trace_.kind;
    head.caches = "unknown";
    head.block_bytes = trace_.block_bytes;
    return head;
  }

  Response next(const trace::Request& request) {
    ++requests_;
    if (!request.service_ns)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: request {} has no measured service time, so that it is no result "
                      "of a drive; replay it",
                      trace_.name, requests_));
    if (trace_.kind == trace::Kind::open) issue_ns_ = request.arrival_ns;
    const Response row{.lbn = request.lbn,
                       .blocks = request.blocks,
                       .write = request.write,
                       .due_ns = issue_ns_,
                       .issue_ns = issue_ns_,
                       .response_ns = *request.service_ns};
    issue_ns_ += *request.service_ns + request.think_ns;
    return row;
  }

 private:
  trace::Source trace_;
  std::uint64_t requests_ = 0;
  Nanoseconds issue_ns_ = 0;
};

class MeasuredReader final : public ResultReader {
 public:
  explicit MeasuredReader(std::unique_ptr<trace::Reader> trace)
      : trace_(std::move(trace)), measured_(trace_->source()), head_(measured_.head()) {}

  const ResultHead& head() const override { return head_; }
  bool read(Part& part, std::vector<Response>& rows) override {
    part = Part::trace;
    rows.clear();
    requests_.resize(kPiece);
    const std::size_t count = trace_->read(requests_);
    for (std::size_t i = 0; i < count; ++i) rows.push_back(measured_.next(requests_[i]));
    return count > 0;
  }

 private:
  static constexpr std::size_t kPiece = 4096;

  std::unique_ptr<trace::Reader> trace_;
  Measured measured_;
  ResultHead head_;
  std::vector<trace::Request> requests_{};
};

// A result begins with a line of JSON behind "#", and has its columns below. Traces may begin with
// remarks.
bool begins_a_result(std::string_view begin) {
  if (!begin.starts_with('#')) return false;
  const std::size_t first = begin.find_first_not_of(" \t\r", 1);
  if (first != begin.npos && begin[first] == '{') return true;
  while (begin.starts_with('#'))
    begin.remove_prefix(std::min(begin.find('\n'), begin.size() - 1) + 1);
  return begin.empty() || begin.starts_with("part,");
}

}  // namespace

void require_result_name(const std::string& path) {
  std::filesystem::path name = path;
  if (trace::is_compressed_name(path)) name.replace_extension();
  if (name.extension().empty() || name.extension() == ".csv" || model::is_stream(path)) return;
  throw Error(ExitStatus::usage,
              fmt::format("{}: a result is CSV, and its name says something else; let it end in "
                          ".csv, .csv.gz or .csv.zst",
                          path));
}

std::unique_ptr<ResultWriter> create_result(const std::string& path, const ResultHead& head) {
  require_result_name(path);
  model::require_nothing_passed_over(head.passed_over);
  return csv_writer(path, head);
}

std::unique_ptr<ResultReader> open_result(const std::string& path, bool think_in_front) {
  constexpr std::size_t kBegin = 4096;
  std::unique_ptr<trace::ByteSource> bytes = trace::plain_bytes(trace::file_source(path), path);
  std::string begin(kBegin, '\0');
  begin.resize(trace::read_whole(*bytes, begin.data(), begin.size()));
  const bool is_result = begins_a_result(begin);
  bytes = trace::prefixed_source(std::move(begin), std::move(bytes));
  if (is_result) return csv_reader(std::move(bytes), path);
  try {
    return std::make_unique<MeasuredReader>(
        trace::open_trace(std::move(bytes), path, {.think_in_front = think_in_front}));
  } catch (const trace::BadRecord&) {  // the format is not told by the beginning
    throw Error(ExitStatus::bad_input,
                fmt::format("{} is neither a result of platter replay nor a trace with its service "
                            "times whose format can be told; of one whose format you know, platter "
                            "trace convert makes one",
                            path));
  }
}

Result load_result(const std::string& path, bool think_in_front) {
  const std::unique_ptr<ResultReader> reader = open_result(path, think_in_front);
  Result result;
  static_cast<ResultHead&>(result) = reader->head();
  Part part = Part::trace;
  for (std::vector<Response> rows; reader->read(part, rows);) {
    std::vector<Response>& all = part == Part::trace ? result.requests : result.reference;
    if (all.empty())
      all = std::move(rows);
    else
      all.insert(all.end(), rows.begin(), rows.end());
  }
  if (result.requests.empty())
    throw Error(ExitStatus::bad_input, fmt::format("{}: holds no request", path));
  return result;
}

void save_result(const Result& result, const std::string& path) {
  ResultHead head = result;
  head.lateness = summary_of(result).lateness;
  const std::unique_ptr<ResultWriter> writer = create_result(path, head);
  writer->add(Part::reference, result.reference);
  writer->add(Part::trace, result.requests);
  writer->finish(head);
}

Result result_of_trace(const trace::Trace& trace) {
  Measured measured({.name = trace.name, .kind = trace.kind});
  Result result;
  static_cast<ResultHead&>(result) = measured.head();
  for (const trace::Request& request : trace.requests)
    result.requests.push_back(measured.next(request));
  return result;
}

}  // namespace platter::replay

#include "replay/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/temporary_folder.h"
#include "replay/result_forms.h"
#include "replay/summary.h"

namespace platter::replay {
namespace {

// The result of the drive that a closed trace was measured on, row by row.
class Measured {
 public:
  explicit Measured(const trace::Source& trace) : trace_(trace) {}

  ResultHead head() const {
    ResultHead head;
    head.name = fmt::format("the drive of {}",
                            std::filesystem::path(trace_.name).filename().string());
    head.trace = trace_.name;
    head.kind = trace::Kind::closed;
    head.caches = "unknown";
    return head;
  }

  Response next(const trace::Request& request) {
    ++requests_;
    if (trace_.kind != trace::Kind::closed || !request.service_ns)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: request {} has no measured service time, so that it is no result "
                      "of a drive; replay it",
                      trace_.name, requests_));
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

// May a trace of the validate format begin so, compressed or not?
bool begins_a_trace(std::string_view begin) {
  constexpr std::string_view kGzip = "\x1f", kZstd = "\x28", kText = "RW \t\r\n";
  return begin.empty() || begin == kGzip || begin == kZstd || kText.find(begin) != kText.npos;
}

}  // namespace

bool has_possible_times(const Response& row) {
  constexpr Nanoseconds kMost = Nanoseconds{1} << 61;  // 73 years
  const auto possible = [](Nanoseconds time_ns) { return time_ns >= -kMost && time_ns <= kMost; };
  return possible(row.due_ns) && possible(row.issue_ns) && possible(row.waited_ns) &&
         row.response_ns >= 0 && possible(row.response_ns);
}

void Bytes::fill(std::string& out, std::size_t bytes) {
  if (out.size() < bytes && !held_.empty()) {
    const std::size_t count = std::min(bytes - out.size(), held_.size());
    out.append(held_, 0, count);
    held_.erase(0, count);
  }
  constexpr std::size_t kPiece = 1 << 16;
  while (out.size() < bytes) {
    const std::size_t had = out.size();
    out.resize(had + std::min(kPiece, bytes - had));
    const std::size_t got = source_->read(out.data() + had, out.size() - had);
    out.resize(had + got);
    if (got == 0) return;
  }
}

// A result may be longer than memory.
struct HeadedFile::Held {
  model::TemporaryFolder folder{model::temporary_name("platter-result")};
  std::string path = folder.file("rows");
  model::FileWriter file{path};

  void write_to(model::FileWriter& out) {
    file.commit();
    const std::unique_ptr<trace::ByteSource> rows = trace::file_source(path);
    std::string piece(1 << 16, '\0');
    while (const std::size_t count = rows->read(piece.data(), piece.size()))
      out.write(std::string_view(piece).substr(0, count));
  }
};

HeadedFile::HeadedFile(const std::string& path, std::size_t head_bytes)
    : file_(path), head_bytes_(head_bytes) {
  if (file_.is_stream())
    held_ = std::make_unique<Held>();
  else
    file_.write(std::string(head_bytes, ' '));
}
HeadedFile::~HeadedFile() = default;

void HeadedFile::write(std::string_view content) { (held_ ? held_->file : file_).write(content); }

void HeadedFile::finish(std::string_view head) {
  if (head.size() != head_bytes_)
    throw Error(ExitStatus::internal, "the head of a result has outgrown the room that it had");
  if (held_) {
    file_.write(head);
    held_->write_to(file_);
  } else {
    file_.rewrite_beginning(head);
  }
  file_.commit();
}

std::unique_ptr<ResultWriter> create_result(const std::string& path, const ResultHead& head) {
  std::error_code told_when_written;
  const bool file = model::is_file(path) || !std::filesystem::exists(path, told_when_written);
  return path.ends_with(".csv") || !file ? csv_writer(path, head) : columns_writer(path, head);
}

std::unique_ptr<ResultReader> open_result(const std::string& path, bool think_in_front) {
  std::unique_ptr<trace::ByteSource> source = trace::file_source(path);
  std::string begin(1, '\0');
  begin.resize(source->read(begin.data(), begin.size()));
  if (begin == "#") return csv_reader(Bytes(std::move(source), begin), path);
  if (begin == "{") return columns_reader(Bytes(std::move(source), begin), path);
  if (!begins_a_trace(begin))
    throw Error(
        ExitStatus::bad_input,
        fmt::format(
            "{} is neither a result of platter replay nor a validate trace with its service "
            "times",
            path));
  return std::make_unique<MeasuredReader>(
      trace::open_trace(trace::prefixed_source(begin, std::move(source)), path,
                        {.format = trace::Format::validate, .think_in_front = think_in_front}));
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

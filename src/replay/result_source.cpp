#include "replay/result_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "model/error.h"
#include "replay/temporary_file.h"

namespace platter::replay {
namespace {

// Its end without any request of the trace is an error.
class NotEmpty final : public ResultReader {
 public:
  NotEmpty(std::unique_ptr<ResultReader> reader, std::string path)
      : reader_(std::move(reader)), path_(std::move(path)) {}

  const ResultHead& head() const override { return reader_->head(); }
  bool read(Part& part, std::vector<Response>& rows) override {
    const bool more = reader_->read(part, rows);
    empty_ = empty_ && !(more && part == Part::trace && !rows.empty());
    if (!more && empty_)
      throw Error(ExitStatus::bad_input, fmt::format("{}: holds no request", path_));
    return more;
  }

 private:
  std::unique_ptr<ResultReader> reader_;
  std::string path_;
  bool empty_ = true;
};

class MemoryReader final : public ResultReader {
 public:
  explicit MemoryReader(const Result& result) : result_(result), rest_(result.reference) {}

  const ResultHead& head() const override { return result_; }
  bool read(Part& part, std::vector<Response>& rows) override {
    if (rest_.empty() && part_ == Part::reference) {
      part_ = Part::trace;
      rest_ = result_.requests;
    }
    constexpr std::size_t kPiece = 4096;
    const auto piece = rest_.first(std::min(kPiece, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    rows.assign(piece.begin(), piece.end());
    part = part_;
    return !rows.empty();
  }

 private:
  const Result& result_;
  Part part_ = Part::reference;
  std::span<const Response> rest_;
};

std::shared_ptr<TemporaryFile> kept(ResultReader& reader) {
  auto file = std::make_shared<TemporaryFile>("result.csv");
  const std::unique_ptr<ResultWriter> writer = create_result(file->path(), reader.head());
  Part part = Part::trace;
  for (std::vector<Response> rows; reader.read(part, rows);) writer->add(part, rows);
  writer->finish(reader.head());
  return file;
}

}  // namespace

const Response* TraceRows::next() {
  while (at_ == rows_.size()) {
    Part part = Part::trace;
    if (!reader_.read(part, rows_)) {
      rows_.clear();  // and so it is at the end however often one asks
      at_ = 0;
      return nullptr;
    }
    at_ = part == Part::trace ? 0 : rows_.size();
    if (part == Part::reference && reference_)
      reference_->insert(reference_->end(), rows_.begin(), rows_.end());
  }
  return &rows_[at_++];
}

OpenResult result_source(const Result& result) {
  return [&result] { return std::make_unique<MemoryReader>(result); };
}

OpenResult result_source(const std::string& path, bool think_in_front) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none))
    return [=] { return std::make_unique<NotEmpty>(open_result(path, think_in_front), path); };
  const std::shared_ptr<TemporaryFile> copy = kept(*open_result(path, think_in_front));
  return [=] { return std::make_unique<NotEmpty>(open_result(copy->path()), path); };
}

}  // namespace platter::replay

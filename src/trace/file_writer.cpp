#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/name_promise.h"
#include "trace/compression.h"
#include "trace/formats.h"
#include "trace/made_here.h"

namespace platter::trace {
namespace {

class FileWriter final : public Writer {
 public:
  FileWriter(std::unique_ptr<RecordWriter> records, std::unique_ptr<ByteSink> sink, Format format,
             bool marked)
      : records_(std::move(records)), sink_(std::move(sink)), format_(format), unmarked_(marked) {
    records_->begin(buffer_);
  }

  Kind kind() const override { return records_->kind(); }

  void write(std::span<const Request> requests) override {
    constexpr std::size_t kEnough = 128 * 1024;
    for (const Request& request : requests) {
      records_->append(buffer_, request);
      if (buffer_.size() >= kEnough) flush();
    }
  }

  void finish() override {
    records_->end(buffer_);
    flush();
    sink_->finish();
  }

 private:
  void flush() {
    if (unmarked_) mark_first_line(buffer_, format_);
    unmarked_ = false;
    sink_->write(buffer_);
    buffer_.clear();
  }

  std::unique_ptr<RecordWriter> records_;
  std::unique_ptr<ByteSink> sink_;
  std::string buffer_;
  Format format_;
  bool unmarked_;  // the mark of platter's files is still to come
};

std::unique_ptr<RecordWriter> record_writer(Format format, std::uint32_t block_bytes) {
  const FormatRow* const row = row_of(format);
  if (row && row->writer) return row->writer(block_bytes);
  throw Error(ExitStatus::usage,
              fmt::format("traces of the format {} are read, not written; written are {}",
                          name_of(format), fmt::join(written_format_names(), ", ")));
}

}  // namespace

void require_trace_name(const std::string& path, Format format) {
  require_written_name(path);
  const model::Promise promise = model::promise_of(
      is_compressed_name(path) ? std::filesystem::path(path).replace_extension().string() : path);
  const FormatRow* const row = row_of(format);
  const bool csv = row && row->writes_csv && promise.ending == ".csv";
  if (promise.form.empty() || promise.ending == ".trace" || csv || model::is_stream(path)) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("{}: its name promises {}, and a trace{} is written; let it end in .trace", path,
                  promise.form, row ? fmt::format(" of the format {}", row->name) : ""));
}

std::unique_ptr<Writer> create_trace(std::unique_ptr<ByteSink> bytes, const std::string& name,
                                     Format format, const Writing& writing) {
  return std::make_unique<FileWriter>(record_writer(format, writing.block_bytes),
                                      compressed(std::move(bytes), name), format, false);
}

std::unique_ptr<Writer> create_trace(const std::string& path, Format format,
                                     const Writing& writing) {
  require_trace_name(path, format);
  return std::make_unique<FileWriter>(record_writer(format, writing.block_bytes),
                                      compressed(file_sink(path), path), format, true);
}

}  // namespace platter::trace

#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "model/error.h"

namespace platter::trace {
namespace {

class TraceReader final : public Reader {
 public:
  explicit TraceReader(const Trace& trace)
      : source_{.name = trace.name, .kind = trace.kind}, rest_(trace.requests) {}

  const Source& source() const override { return source_; }

  std::size_t read(std::span<Request> out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), count, out.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  Source source_;
  std::span<const Request> rest_;
};

}  // namespace

Trace read_trace(Reader& reader) {
  Trace trace{.kind = reader.source().kind, .name = reader.source().name};
  std::array<Request, 512> batch;
  while (const std::size_t count = reader.read(batch))
    trace.requests.insert(trace.requests.end(), batch.begin(), batch.begin() + count);
  return trace;
}

Trace read_trace(std::istream& in, const std::string& name, const Reading& reading) {
  return read_trace(*open_trace(stream_source(in, name), name, reading));
}

Trace read_trace_file(const std::string& path, const Reading& reading) {
  return read_trace(*open_trace(path, reading));
}

std::unique_ptr<Reader> reader_of(const Trace& trace) {
  return std::make_unique<TraceReader>(trace);
}

void require_within(const Trace& trace, std::uint64_t blocks) {
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& request = trace.requests[i];
    if (request.lbn >= blocks || request.blocks > blocks - request.lbn)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: request {} (LBN {}, {} blocks) lies past the end of the drive, "
                              "which has {} blocks; make a trace for this drive, or place this one "
                              "with --fit wrap, scale or compact",
                              trace.name, i + 1, request.lbn, request.blocks, blocks));
  }
}

Trace converted(const Trace& trace, Kind kind) {
  return read_trace(*as_kind(reader_of(trace), kind));
}

void write_trace(std::ostream& out, const Trace& trace, Format format) {
  std::string bytes;
  const std::unique_ptr<Writer> writer = create_trace(string_sink(bytes), trace.name, format);
  copy(*reader_of(trace), *writer);
  writer->finish();
  out << bytes;
}

}  // namespace platter::trace

#include <fmt/format.h>

#include <array>
#include <utility>

#include "model/error.h"
#include "trace/stream.h"

namespace platter::trace {
namespace {

constexpr std::size_t kBatch = 1024;

// The requests of another reader, one at a time.
class Single {
 public:
  explicit Single(Reader& reader) : reader_(reader) {}

  std::optional<Request> next() {
    if (at_ == filled_) {
      filled_ = reader_.read(batch_);
      at_ = 0;
      if (filled_ == 0) return std::nullopt;
    }
    return batch_[at_++];
  }

 private:
  Reader& reader_;
  std::array<Request, kBatch> batch_{};
  std::size_t at_ = 0, filled_ = 0;
};

class Converted : public Reader {
 public:
  Converted(Reader& reader, Kind kind)
      : reader_(reader), source_(reader.source()), single_(reader) {
    source_.kind = kind;
  }

  const Source& source() const override { return source_; }
  std::vector<Skipped> skipped() const override { return reader_.skipped(); }

 private:
  Reader& reader_;

 protected:
  Source source_;
  Single single_;
};

class Same final : public Reader {
 public:
  explicit Same(Reader& reader) : reader_(reader) {}
  const Source& source() const override { return reader_.source(); }
  std::vector<Skipped> skipped() const override { return reader_.skipped(); }
  std::size_t read(std::span<Request> out) override { return reader_.read(out); }

 private:
  Reader& reader_;
};

// A reader together with the one that it reads from.
class Owning final : public Reader {
 public:
  Owning(std::unique_ptr<Reader> from, std::unique_ptr<Reader> reader)
      : from_(std::move(from)), reader_(std::move(reader)) {}
  const Source& source() const override { return reader_->source(); }
  std::vector<Skipped> skipped() const override { return reader_->skipped(); }
  std::size_t read(std::span<Request> out) override { return reader_->read(out); }

 private:
  std::unique_ptr<Reader> from_, reader_;
};

class Closed final : public Converted {
 public:
  explicit Closed(Reader& reader) : Converted(reader, Kind::closed), ahead_(single_.next()) {}

  std::size_t read(std::span<Request> out) override {
    std::size_t count = 0;
    for (; count < out.size() && ahead_; ++count) {
      Request& request = out[count] = *ahead_;
      ahead_ = single_.next();
      request.think_ns = ahead_ ? ahead_->arrival_ns - request.arrival_ns : 0;
      request.arrival_ns = 0;
    }
    return count;
  }

 private:
  std::optional<Request> ahead_;
};

class Open final : public Converted {
 public:
  explicit Open(Reader& reader) : Converted(reader, Kind::open) {}

  std::size_t read(std::span<Request> out) override {
    std::size_t count = 0;
    for (; count < out.size(); ++count) {
      const std::optional<Request> next = single_.next();
      if (!next) break;
      if (!known_)
        throw Error(
            ExitStatus::bad_input,
            fmt::format("{}: request {} has no measured service time, so that the arrival of "
                        "the next one is not known; replay it on a drive first",
                        source_.name, number_));
      if (now_ns_ > kLongestTime_ns)
        throw Error(
            ExitStatus::bad_input,
            fmt::format("{}: request {} would arrive after more than 104 days, longer than a "
                        "trace may last",
                        source_.name, number_ + 1));
      Request& request = out[count] = *next;
      request.arrival_ns = now_ns_;
      known_ = request.service_ns.has_value();
      now_ns_ += request.service_ns.value_or(0) + request.think_ns;
      request.think_ns = 0;
      ++number_;
    }
    return count;
  }

 private:
  Nanoseconds now_ns_ = 0;
  std::uint64_t number_ = 0;
  bool known_ = true;  // when the next one arrives
};

}  // namespace

std::unique_ptr<Reader> as_kind(Reader& reader, Kind kind) {
  if (reader.source().kind == kind) return std::make_unique<Same>(reader);
  if (kind == Kind::closed) return std::make_unique<Closed>(reader);
  return std::make_unique<Open>(reader);
}

std::unique_ptr<Reader> as_kind(std::unique_ptr<Reader> reader, Kind kind) {
  if (reader->source().kind == kind) return reader;
  std::unique_ptr<Reader> converted = as_kind(*reader, kind);
  return std::make_unique<Owning>(std::move(reader), std::move(converted));
}

void copy(Reader& reader, Writer& writer) {
  const std::unique_ptr<Reader> converted = as_kind(reader, writer.kind());
  std::array<Request, kBatch> batch;
  while (const std::size_t count = converted->read(batch))
    writer.write(std::span(batch).first(count));
}

}  // namespace platter::trace

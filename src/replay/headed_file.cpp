#include "replay/headed_file.h"

#include "model/error.h"
#include "replay/temporary_file.h"
#include "trace/bytes.h"
#include "trace/compression.h"

namespace platter::replay {
namespace {

// Archives may follow one another, so the head is one of its own.
std::string compressed_as(const std::string& path, const std::string& text) {
  std::string bytes;
  const auto sink = trace::compressed(trace::string_sink(bytes), path);
  sink->write(text);
  sink->finish();
  return bytes;
}

}  // namespace

// May be longer than memory.
struct HeadedFile::Rest {
  explicit Rest(const std::string& path)
      : sink(trace::compressed(trace::file_sink(file.path()), path)) {}

  void write_to(model::FileWriter& out) {
    sink->finish();
    const std::unique_ptr<trace::ByteSource> bytes = trace::file_source(file.path());
    std::string piece(1 << 16, '\0');
    while (const std::size_t count = bytes->read(piece.data(), piece.size()))
      out.write(std::string_view(piece).substr(0, count));
  }

  TemporaryFile file{"rows"};
  std::unique_ptr<trace::ByteSink> sink;
};

HeadedFile::HeadedFile(const std::string& path, std::size_t room)
    : file_(path), path_(path), room_(room) {
  if (file_.is_stream() || trace::is_compressed_name(path))
    rest_ = std::make_unique<Rest>(path);
  else
    file_.write(std::string(room, ' '));
}
HeadedFile::~HeadedFile() = default;

void HeadedFile::write(std::string_view content) {
  if (rest_)
    rest_->sink->write(content);
  else
    file_.write(content);
}

void HeadedFile::finish(const std::string& head) {
  if (rest_) {
    file_.write(compressed_as(path_, head + '\n'));
    rest_->write_to(file_);
  } else if (head.size() < room_) {
    file_.rewrite_beginning(head + std::string(room_ - 1 - head.size(), ' ') + '\n');
  } else {
    throw Error(ExitStatus::internal, "the head of a result has outgrown the room that it had");
  }
  file_.commit();
}

}  // namespace platter::replay

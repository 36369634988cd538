#include "trace/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <istream>
#include <utility>

#include "model/claims.h"
#include "model/error.h"
#include "model/file.h"

namespace platter::trace {
namespace {

[[noreturn]] void cannot_open(const std::string& path, int error) {
  if (error == EACCES || error == EPERM)
    throw Error(ExitStatus::permission,
                fmt::format("{} may not be read by this user; check its permissions", path));
  throw Error(ExitStatus::bad_input,
              error == ENOENT ? fmt::format("{} cannot be opened; is its name right?", path)
                              : fmt::format("{} cannot be opened: {}", path, std::strerror(error)));
}

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path == "-" ? "the standard input" : path) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
      model::note_input(descriptor_, path_);
      return;
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) cannot_open(path, errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      throw Error(ExitStatus::bad_input, fmt::format("{} is a folder, a file is needed", path));
    }
    model::note_input(descriptor_, path);
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* out, std::size_t most) override {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, out, most);
    } while (got < 0 && errno == EINTR);
    if (got >= 0) return static_cast<std::size_t>(got);
    throw Error(ExitStatus::bad_input,
                fmt::format("{} cannot be read to its end: {}", path_, std::strerror(errno)));
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* out, std::size_t most) override {
    const std::size_t count = bytes_.copy(out, most, at_);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* out, std::size_t most) override {
    const std::size_t count = prefix_.read(out, most);
    return count > 0 ? count : rest_->read(out, most);
  }

 private:
  MemorySource prefix_;
  std::unique_ptr<ByteSource> rest_;
};

class StreamSource final : public ByteSource {
 public:
  StreamSource(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  std::size_t read(char* out, std::size_t most) override {
    in_.read(out, static_cast<std::streamsize>(most));
    if (in_.bad())
      throw Error(ExitStatus::bad_input, fmt::format("{} cannot be read to its end", name_));
    return static_cast<std::size_t>(in_.gcount());
  }

 private:
  std::istream& in_;
  std::string name_;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) override { file_.write(bytes); }
  void finish() override { file_.commit(); }

 private:
  model::FileWriter file_;
};

class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& bytes) : bytes_(bytes) {}
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void finish() override {}

 private:
  std::string& bytes_;
};

}  // namespace

std::size_t read_whole(ByteSource& bytes, char* out, std::size_t most) {
  std::size_t have = 0;
  while (have < most) {
    const std::size_t got = bytes.read(out + have, most - have);
    if (got == 0) break;
    have += got;
  }
  return have;
}

std::unique_ptr<ByteSource> file_source(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> memory_source(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

std::unique_ptr<ByteSource> prefixed_source(std::string prefix, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixedSource>(std::move(prefix), std::move(rest));
}

std::unique_ptr<ByteSource> stream_source(std::istream& in, const std::string& name) {
  return std::make_unique<StreamSource>(in, name);
}

std::unique_ptr<ByteSink> file_sink(const std::string& path) {
  return std::make_unique<FileSink>(path);
}

std::unique_ptr<ByteSink> string_sink(std::string& bytes) {
  return std::make_unique<StringSink>(bytes);
}

}  // namespace platter::trace

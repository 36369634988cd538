#include "emit/table/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/error.h"
#include "model/file.h"

namespace platter::emit_table {
namespace {

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw Error(error == EACCES || error == EPERM ? ExitStatus::permission : ExitStatus::bad_input,
              fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

// Closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) cannot_read(path, errno);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

std::size_t size_of_table(const Descriptor& file, const std::string& path) {
  struct stat status {};
  const bool regular = ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
  if (regular && static_cast<std::uint64_t>(status.st_size) > model::kLargestFile)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is larger than the {} MiB that a table may have", path,
                            model::kLargestFile >> 20));
  if (!regular || status.st_size == 0)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no table file; write one with platter emit table", path));
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

WholeFile::WholeFile(const std::string& path) {
  const Descriptor file(path);
  size_ = size_of_table(file, path);
  words_.resize((size_ + 7) / 8);
  auto* const to = reinterpret_cast<std::byte*>(words_.data());
  for (std::size_t done = 0; done < size_;) {
    const ssize_t got = ::read(file.number(), to + done, size_ - done);
    if (got < 0 && errno != EINTR) cannot_read(path, errno);
    if (got == 0)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: became shorter while it was read; try again when it is written", path));
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

}  // namespace platter::emit_table

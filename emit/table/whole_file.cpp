#include "emit/table/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/descriptor.h"
#include "model/error.h"
#include "model/file.h"

namespace platter::emit_table {
namespace {

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw Error(error == EACCES || error == EPERM ? ExitStatus::permission : ExitStatus::bad_input,
              fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

std::size_t size_of(const model::Descriptor& file, const std::string& path, const char* kind,
                    const char* advice) {
  struct stat status {};
  const bool regular = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (regular && static_cast<std::uint64_t>(status.st_size) > model::kLargestFile)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is larger than the {} MiB that a {} may have", path,
                            model::kLargestFile >> 20, kind));
  if (!regular || status.st_size == 0)
    throw Error(ExitStatus::bad_input, fmt::format("{}: is no {} file; {}", path, kind, advice));
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

WholeFile::WholeFile(const std::string& path, const char* kind, const char* advice) {
  const model::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) cannot_read(path, errno);
  size_ = size_of(file, path, kind, advice);
  words_.resize((size_ + 7) / 8);
  auto* const to = reinterpret_cast<std::byte*>(words_.data());
  for (std::size_t done = 0; done < size_;) {
    const ssize_t got = ::read(file.get(), to + done, size_ - done);
    if (got < 0 && errno != EINTR) cannot_read(path, errno);
    if (got == 0)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: became shorter while it was read; try again when it is written", path));
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

}  // namespace platter::emit_table

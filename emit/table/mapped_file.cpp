#include "emit/table/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
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

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) cannot_read(path, errno);
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  const bool fits = regular && static_cast<std::uint64_t>(status.st_size) <= model::kLargestFile;
  const bool usable = fits && status.st_size > 0;
  void* address = MAP_FAILED;
  int error = 0;
  if (usable) {
    size_ = static_cast<std::size_t>(status.st_size);
    address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    error = errno;
  }
  ::close(file);
  if (regular && !fits)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is larger than the {} MiB that a table may have", path,
                            model::kLargestFile >> 20));
  if (!usable)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is no table file; write one with platter emit table", path));
  if (address == MAP_FAILED) cannot_read(path, error);
  address_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(address_), size_); }

}  // namespace platter::emit_table

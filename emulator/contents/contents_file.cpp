#include "emulator/contents/contents_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/error.h"

namespace platter::emulator {
namespace {

constexpr std::uint64_t kPage = 4096;

bool all_zeros(std::span<const std::uint8_t> bytes) {
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

int write_at(int file, std::uint64_t offset, std::span<const std::uint8_t> from) {
  while (!from.empty()) {
    const ssize_t wrote = pwrite(file, from.data(), from.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    offset += static_cast<std::uint64_t>(wrote);
    from = from.subspan(static_cast<std::size_t>(wrote));
  }
  return 0;
}

int punch(int file, std::uint64_t offset, std::uint64_t bytes) {
  while (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                   static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

bool has_no_holes(int error) { return error == EOPNOTSUPP || error == ENOSYS; }

int write_zeros(int file, std::uint64_t offset, std::uint64_t bytes) {
  static const std::uint8_t zeros[64 * 1024] = {};
  for (std::uint64_t done = 0; done < bytes;) {
    const auto part = std::min<std::uint64_t>(bytes - done, sizeof zeros);
    if (const int error = write_at(file, offset + done, {zeros, part})) return error;
    done += part;
  }
  return 0;
}

[[noreturn]] void cannot(ExitStatus status, const std::string& path, const std::string& why,
                         const char* what_to_do) {
  throw Error(status, fmt::format("{} {}; {}", path, why, what_to_do));
}

[[noreturn]] void cannot_open(const std::string& path) {
  const int error = errno;
  const auto status = error == EACCES || error == EPERM   ? ExitStatus::permission
                      : error == EISDIR || error == ENXIO ? ExitStatus::bad_input
                                                          : ExitStatus::output;
  cannot(status, path, fmt::format("cannot be opened: {}", std::strerror(error)),
         "give another file for the contents");
}

}  // namespace

ContentsFile::ContentsFile(std::uint64_t bytes)
    : file_(memfd_create("contents", MFD_CLOEXEC)), bytes_(bytes) {
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0)
    cannot(ExitStatus::output, "memory for the contents",
           fmt::format("cannot be had: {}", std::strerror(errno)), "give a file for them");
}

ContentsFile::ContentsFile(const std::string& path, std::uint64_t bytes, std::uint64_t more_bytes)
    : bytes_(bytes) {
  const std::uint64_t all = bytes + more_bytes;
  file_ = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  const bool made = file_ < 0 && errno == ENOENT;
  if (made) file_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) cannot_open(path);
  struct stat status {};
  fstat(file_, &status);
  const auto refuse = [&](ExitStatus exit, const std::string& why, const char* what_to_do) {
    close(file_);
    if (made) unlink(path.c_str());
    cannot(exit, path, why, what_to_do);
  };
  if (!S_ISREG(status.st_mode))
    refuse(ExitStatus::bad_input, "is no regular file", "contents are kept in one");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0)
    refuse(ExitStatus::refused, "is in use by another emulator",
           "stop that one, or give another file for the contents");
  if (!made && static_cast<std::uint64_t>(status.st_size) != all)
    refuse(ExitStatus::bad_input,
           fmt::format("has {} bytes, and the {} {}", status.st_size,
                       more_bytes == 0 ? "drive" : "drive's generated contents", all),
           "give the contents of this drive, or a file that is not there yet");
  if (made && ftruncate(file_, static_cast<off_t>(all)) != 0)
    refuse(ExitStatus::output, fmt::format("cannot have {} bytes: {}", all, std::strerror(errno)),
           "give a file on a file system that takes so large sparse ones");
}

ContentsFile::~ContentsFile() { close(file_); }

int ContentsFile::read(std::uint64_t offset, std::span<std::uint8_t> to) const {
  if (!holds(offset, to.size())) return EINVAL;
  while (!to.empty()) {
    const ssize_t got = pread(file_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;  // somebody has cut the file
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return 0;
}

// By runs of pages that are alike: zeros become holes, all else is stored.
int ContentsFile::write(std::uint64_t offset, std::span<const std::uint8_t> from) {
  if (!holds(offset, from.size())) return EINVAL;
  const auto page_at = [&](std::uint64_t at) {
    const std::uint64_t left = from.size() - at;
    return from.subspan(at, std::min(left, kPage - (offset + at) % kPage));
  };
  const auto is_hole = [](std::span<const std::uint8_t> page) {
    return page.size() == kPage && all_zeros(page);
  };
  for (std::uint64_t begin = 0; begin < from.size();) {
    std::uint64_t end = begin;
    const bool hole = is_hole(page_at(begin));
    while (end < from.size() && is_hole(page_at(end)) == hole) end += page_at(end).size();
    const int error = hole ? discard(offset + begin, end - begin)
                           : write_at(file_, offset + begin, from.subspan(begin, end - begin));
    if (error != 0) return error;
    begin = end;
  }
  return 0;
}

int ContentsFile::discard(std::uint64_t offset, std::uint64_t bytes) {
  if (!holds(offset, bytes)) return EINVAL;
  if (bytes == 0) return 0;
  const int error = punch(file_, offset, bytes);
  return has_no_holes(error) ? write_zeros(file_, offset, bytes) : error;
}

int ContentsFile::flush() {
  while (fdatasync(file_) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

std::uint64_t ContentsFile::stored_bytes() const {
  struct stat status {};
  fstat(file_, &status);
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

}  // namespace platter::emulator

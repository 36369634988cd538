#include "study/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "model/error.h"

namespace platter::study {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_be_written(const std::string& path) {
  throw Error(ExitStatus::output,
              fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

int opened(const std::string& path) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_be_written(path);
  return descriptor;
}

// False: somebody else has it, and nobody was to wait.
bool locked(int descriptor, bool wait, const std::string& path) {
  while (::flock(descriptor, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) cannot_be_written(path);
  }
  return true;
}

// Whether the open file is still the one of that name.
bool is_at(int descriptor, const std::string& path) {
  struct stat mine {
  }, there{};
  return ::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

void write_whole(int descriptor, std::string_view text, const std::string& path) {
  if (::ftruncate(descriptor, 0) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0)
    cannot_be_written(path);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_be_written(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

LockedFile::LockedFile(const std::string& path) : path_(path), descriptor_(opened(path)) {
  locked(descriptor_, true, path);
}

std::unique_ptr<LockedFile> LockedFile::where_possible(const std::string& path) {
  try {
    return std::make_unique<LockedFile>(path);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::output) throw;
    return nullptr;
  }
}

LockedFile::~LockedFile() { ::close(descriptor_); }

std::string LockedFile::text() const {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got; (got = ::pread(descriptor_, buffer.data(), buffer.size(),
                                   static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

void LockedFile::replace(const std::string& text) {
  try {
    write_whole(descriptor_, text, path_);
  } catch (const Error&) {
    if (::ftruncate(descriptor_, 0) != 0) throw;  // a part of it is known as such
    throw;
  }
}

std::unique_ptr<Claim> Claim::on(const std::string& path, bool wait) {
  const std::string unfinished = Claim::unfinished(path);
  for (;;) {
    const int descriptor = opened(unfinished);
    if (!locked(descriptor, wait, unfinished)) {
      ::close(descriptor);
      return nullptr;
    }
    // Whoever held it before may have finished it: then the name is free or somebody else's.
    if (is_at(descriptor, unfinished)) return std::unique_ptr<Claim>(new Claim(path, descriptor));
    ::close(descriptor);
  }
}

Claim::Claim(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), leftover_(unfinished(path_)) {}

// The name goes before the lock does.
Claim::~Claim() {
  if (leftover_) ::unlink(leftover_->path().c_str());
  leftover_.reset();
  ::close(descriptor_);
}

void Claim::commit(const std::string& text, bool durable) {
  write_whole(descriptor_, text, path_);
  if (durable && ::fsync(descriptor_) != 0) cannot_be_written(path_);
  if (::rename(unfinished(path_).c_str(), path_.c_str()) != 0) cannot_be_written(path_);
  leftover_.reset();
}

}  // namespace platter::study

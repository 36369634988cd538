#include "model/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "model/claims.h"
#include "model/descriptor.h"
#include "model/error.h"
#include "model/leftovers.h"

namespace platter::model {
namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
  throw Error(ExitStatus::output, fmt::format("{}: cannot be written: {}", path, why));
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(path, reason());
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void cannot_open(const std::string& path) {
  const int error = errno;
  if (error == ENOENT) throw Error(ExitStatus::bad_input, fmt::format("{}: no such file", path));
  if (error == ENXIO)  // how a socket answers
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is a socket or a device, a file is needed", path));
  if (error == EACCES || error == EPERM) {
    throw Error(ExitStatus::permission,
                fmt::format("{}: may not be read by this user; check its permissions", path));
  }
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: cannot be opened: {}", path, std::strerror(error)));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// The folder's entry is what a power loss could take back after the rename; filesystems that cannot
// synchronize a folder are taken at their word.
void synchronize_folder(const std::filesystem::path& folder) {
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
}

// Renamed over the target, if that is what lay there when it was claimed; where nothing lay there,
// nothing that came meanwhile is replaced. False: somebody wrote to it.
bool replace(const std::filesystem::path& target, const std::string& by) {
  if (!is_as_claimed(target)) return false;
  if (was_claimed_free(target)) {
    const int done = ::renameat2(AT_FDCWD, by.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
    if (done != 0 && errno == EEXIST && !is_as_claimed(target)) return false;
    if (done == 0) return renew_claim(target), true;
  }
  if (::rename(by.c_str(), target.c_str()) != 0) cannot_write(target.string(), reason());
  renew_claim(target);
  return true;
}

// What took long to get is not thrown away because somebody wrote to its place.
[[noreturn]] void left_alone(const std::filesystem::path& target, const std::string& kept) {
  throw Error(ExitStatus::refused,
              fmt::format("{}: was written by somebody else while platter worked, and is left "
                          "alone; what it was to hold is in {}",
                          target.string(), kept));
}

// A file of its own beside the target that goes away unless it is committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target) : target_(std::move(target)) {
    name_ = target_.string() + ".XXXXXX";
    const SignalsHeld held;
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
      const std::string why = reason();
      name_.clear();
      fail(why);
    }
    leftover_.emplace(name_);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view content) { write_all(descriptor_, content, target_.string()); }

  void rewrite_beginning(std::string_view content) {
    if (::lseek(descriptor_, 0, SEEK_SET) < 0) fail(reason());
    write(content);
    if (::lseek(descriptor_, 0, SEEK_END) < 0) fail(reason());
  }

  void commit() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666 & ~mask) != 0) fail(reason());
    if (::fsync(descriptor_) != 0) fail(reason());
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(reason());
    if (!replace(target_, name_)) {
      const std::string kept = std::exchange(name_, {});
      leftover_.reset();
      left_alone(target_, kept);
    }
    name_.clear();
    leftover_.reset();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { cannot_write(target_.string(), why); }

  std::filesystem::path target_;
  std::string name_;
  std::optional<Leftover> leftover_;
  int descriptor_ = -1;
};

// What a symbolic link points to is replaced, not the link.
std::filesystem::path without_links(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  if (failed == std::errc::too_many_symbolic_link_levels) cannot_write(path, failed.message());
  return target.empty() ? std::filesystem::path(path) : target;  // an open pipe has no path
}

// The number of the open file that a name as /dev/stdout stands for; -1: it is another name. "-" is
// the standard output wherever something is written.
// Whatever the shell has opened there is written to as it is, never replaced.
int open_already(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [at, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && at == end) return number;
  }
  return -1;
}

// A terminal, /dev/null, /dev/zero or /dev/full: bytes that are written there go nowhere else.
bool takes_text(dev_t device) {
  constexpr unsigned kMemory = 1, kTerminals = 4, kOtherTerminals = 5, kFirstPseudo = 136,
                     kLastPseudo = 143, kSerial = 204, kVirtualConsoles = 229;
  const unsigned kind = major(device), number = minor(device);
  if (kind == kMemory) return number == 3 || number == 5 || number == 7;
  return kind == kTerminals || kind == kOtherTerminals || kind == kSerial ||
         kind == kVirtualConsoles || (kind >= kFirstPseudo && kind <= kLastPseudo);
}

// /dev/stdout, a pipe: nothing that could be renamed over. Refuses a folder, and a drive.
bool streams(const std::filesystem::path& target, const std::string& path) {
  if (open_already(path) >= 0) return true;
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) {
    throw Error(ExitStatus::output, fmt::format("{}: is a folder, name a file in it", path));
  }
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !takes_text(status.st_rdev))) {
    throw Error(
        ExitStatus::refused,
        fmt::format("{}: is a device, whose data platter does not write over; name a file", path));
  }
  return !S_ISREG(status.st_mode);
}

int open_stream(const std::filesystem::path& target, const std::string& path) {
  const int number = open_already(path);
  return number >= 0 ? ::fcntl(number, F_DUPFD_CLOEXEC, 3)
                     : ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
}

}  // namespace

bool is_stream(const std::string& path) { return streams(without_links(path), path); }

void require_writable(const std::string& path) {
  const std::filesystem::path target = without_links(path);
  if (!streams(target, path)) TemporaryFile probe(target);
}

bool claim_output(const std::string& path) {
  const std::filesystem::path target = without_links(path);
  return streams(target, path) || claim_target(target);
}

std::optional<std::string> file_behind(const std::string& path) {
  const std::filesystem::path target = without_links(path);
  struct stat status {};
  if (streams(target, path) || ::stat(target.c_str(), &status) != 0 || status.st_size == 0)
    return std::nullopt;
  return target.string();
}

std::string beginning_of(const std::string& path, std::size_t bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string content;
  std::array<char, 65536> buffer;
  while (file.get() >= 0 && content.size() < bytes) {
    const ssize_t got = ::read(file.get(), buffer.data(),
                               std::min(buffer.size(), bytes - content.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return content;
}

std::string read_file(const std::string& path) {
  // Without O_NONBLOCK the opening of a pipe would wait for who writes to it.
  const bool is_standard_input = path == "-";
  const Descriptor file(is_standard_input
                            ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) cannot_open(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw Error(ExitStatus::bad_input, fmt::format("{}: cannot be read: {}", path, reason()));
  if (!S_ISREG(status.st_mode) && (!is_standard_input || S_ISDIR(status.st_mode)))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is {}, a file is needed", path, kind_of(status.st_mode)));
  note_input(file.get(), path);
  const auto too_large = [&] {
    return Error(ExitStatus::bad_input,
                 fmt::format("{}: is larger than the {} MiB that such a file may have", path,
                             kLargestFile >> 20));
  };
  const auto size = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (size > kLargestFile) throw too_large();
  std::string content(static_cast<std::size_t>(size) + 1, '\0');  // one more: does it go on?
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(ExitStatus::bad_input, fmt::format("{}: cannot be read: {}", path, reason()));
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > kLargestFile) throw too_large();
    if (filled == content.size()) content.resize(2 * filled);  // it grows, or is one of /proc
  }
  content.resize(filled);
  if (filled == 0 && is_standard_input)
    throw Error(ExitStatus::bad_input,
                "-: the standard input is empty, or was read before; give it once, or name a file");
  return content;
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// A stream (/dev/stdout, a pipe) gets its pieces at once, all else a file of its own until the end.
class FileWriter::Target {
 public:
  explicit Target(const std::string& path) : path_(path), target_(without_links(path)) {
    if (model::streams(target_, path)) {
      stream_.emplace(open_stream(target_, path));
      if (stream_->get() < 0) cannot_write(path, reason());
    } else {
      file_.emplace(target_);
    }
  }

  void write(std::string_view content) {
    stream_ ? write_all(stream_->get(), content, path_) : file_->write(content);
  }

  void rewrite_beginning(std::string_view content) { file_->rewrite_beginning(content); }

  bool is_stream() const { return stream_.has_value(); }

  void commit() {
    if (stream_) return;
    file_->commit();
    synchronize_folder(target_.has_parent_path() ? target_.parent_path()
                                                 : std::filesystem::path("."));
  }

 private:
  std::string path_;
  std::filesystem::path target_;
  std::optional<Descriptor> stream_;
  std::optional<TemporaryFile> file_;
};

FileWriter::FileWriter(const std::string& path) : target_(std::make_unique<Target>(path)) {}
FileWriter::~FileWriter() = default;
void FileWriter::write(std::string_view content) { target_->write(content); }
void FileWriter::rewrite_beginning(std::string_view content) {
  target_->rewrite_beginning(content);
}
void FileWriter::commit() { target_->commit(); }
bool FileWriter::is_stream() const { return target_->is_stream(); }

namespace {

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

GrowingFile::GrowingFile(const std::string& path, std::string_view beginning)
    : path_(without_links(path).string()),
      bytes_(static_cast<std::int64_t>(beginning.size())),
      lines_(lines_in(beginning)) {
  write_file(path_, beginning);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) {
    const std::string why = reason();
    ::unlink(path_.c_str());
    cannot_write(path_, why);
  }
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void GrowingFile::append(std::string_view content) {
  try {
    write_all(descriptor_, content, path_);
  } catch (const Error&) {
    if (::ftruncate(descriptor_, bytes_) != 0) throw;  // a line without its end is known as such
    throw;
  }
  bytes_ += static_cast<std::int64_t>(content.size());
  lines_ += lines_in(content);
}

void GrowingFile::begin_to_synchronize() {
  ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void GrowingFile::synchronize() {
  if (::fsync(descriptor_) != 0) cannot_write(path_, reason());
}

void GrowingFile::become(const std::string& path) {
  const std::filesystem::path target = without_links(path);
  synchronize();
  if (!replace(target, path_)) left_alone(target, path_);
  path_ = target.string();
  synchronize_folder(target.has_parent_path() ? target.parent_path() : std::filesystem::path("."));
}

std::optional<std::string> GrowingFile::remove() {
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) return std::nullopt;
  return fmt::format("{} cannot be removed: {}; remove it by hand", path_, reason());
}

void write_file(const std::string& path, std::string_view content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

}  // namespace platter::model

#include "model/claims.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "model/folder.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

struct Seen {
  bool there = false;
  dev_t device = 0;
  ino_t number = 0;
  off_t bytes = 0;
  timespec changed{};

  bool operator==(const Seen& other) const {
    return there == other.there && device == other.device && number == other.number &&
           bytes == other.bytes && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};

Seen seen_at(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {true, status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

std::string key_of(const fs::path& target) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(absolute_path(target), failed);
  return (failed ? target : whole).string();
}

// A file's number alone is given to the next file when it is gone; when it was made tells them
// apart, where the file system knows.
using FileId = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int64_t, std::uint32_t>;

std::optional<FileId> regular_file(int descriptor, const char* path) {
  struct statx status {};
  const int flags = *path == 0 ? AT_EMPTY_PATH : 0;
  if (::statx(descriptor, path, flags, STATX_TYPE | STATX_INO | STATX_BTIME, &status) != 0 ||
      !S_ISREG(status.stx_mode))
    return std::nullopt;
  const bool born = status.stx_mask & STATX_BTIME;
  return FileId{status.stx_dev_major, status.stx_dev_minor, status.stx_ino,
                born ? status.stx_btime.tv_sec : 0, born ? status.stx_btime.tv_nsec : 0};
}

// Of the whole process, as the files are.
std::map<FileId, std::string>& inputs() {
  static std::map<FileId, std::string> all;
  return all;
}
std::map<std::string, Seen>& outputs() {
  static std::map<std::string, Seen> all;
  return all;
}

}  // namespace

void note_input(int descriptor, const std::string& name) {
  if (const auto file = regular_file(descriptor, "")) inputs().try_emplace(*file, name);
}

void note_input(const std::string& path) {
  if (const auto file = regular_file(AT_FDCWD, path.c_str()); file && !path.empty())
    inputs().try_emplace(*file, path);
}

std::optional<std::string> input_behind(const std::string& path) {
  const auto file = path.empty() ? std::nullopt : regular_file(AT_FDCWD, path.c_str());
  const auto found = file ? inputs().find(*file) : inputs().end();
  if (found == inputs().end()) return std::nullopt;
  return found->second;
}

bool claim_target(const fs::path& target) {
  return outputs().try_emplace(key_of(target), seen_at(target)).second;
}

bool is_as_claimed(const fs::path& target) {
  const auto found = outputs().find(key_of(target));
  return found == outputs().end() || found->second == seen_at(target);
}

bool was_claimed_free(const fs::path& target) {
  const auto found = outputs().find(key_of(target));
  return found != outputs().end() && !found->second.there;
}

void renew_claim(const fs::path& target) {
  const auto found = outputs().find(key_of(target));
  if (found != outputs().end()) found->second = seen_at(target);
}

}  // namespace platter::model

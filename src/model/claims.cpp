#include "model/claims.h"

#include <sys/stat.h>

#include <map>
#include <utility>

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
  const fs::path whole = fs::weakly_canonical(fs::absolute(target), failed);
  return (failed ? target : whole).string();
}

// Of the whole process, as the files are.
std::map<std::pair<dev_t, ino_t>, std::string>& inputs() {
  static std::map<std::pair<dev_t, ino_t>, std::string> all;
  return all;
}
std::map<std::string, Seen>& outputs() {
  static std::map<std::string, Seen> all;
  return all;
}

void note(const struct stat& status, const std::string& name) {
  if (S_ISREG(status.st_mode)) inputs().try_emplace({status.st_dev, status.st_ino}, name);
}

}  // namespace

void note_input(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) note(status, name);
}

void note_input(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) note(status, path);
}

std::optional<std::string> input_behind(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const auto found = inputs().find({status.st_dev, status.st_ino});
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

#include "model/own_alone.h"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "model/error.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH, kOthersRead = S_IRGRP | S_IROTH;

// What others could do to what lies there.
enum class Danger { change, replace, add };

const char* in_words(Danger danger) {
  switch (danger) {
    case Danger::change:
      return "who could put another key into it";
    case Danger::replace:
      return "who could put another key in place of one in it";
    default:
      return "who could add keys to it";
  }
}

// A group named like its user, whom it has alone: Debian gives each user one, and lets it write.
bool is_of_user_alone(gid_t group, uid_t user) {
  const passwd* const account = ::getpwuid(user);
  const ::group* const entry = ::getgrgid(group);
  if (account == nullptr || entry == nullptr || account->pw_gid != group) return false;
  const std::string name = account->pw_name;
  if (name != entry->gr_name) return false;
  for (char** member = entry->gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  bool alone = true;
  ::setpwent();
  while (const passwd* const other = ::getpwent())
    alone = alone && (other->pw_gid != group || other->pw_uid == user);
  ::endpwent();
  return alone;
}

void require_own(const std::string& path, Danger danger, uid_t also) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;  // whoever opens it says why
  const uid_t owner = status.st_uid;
  if (owner != 0 && owner != ::geteuid() && owner != also) {
    throw Error(ExitStatus::refused,
                fmt::format("{}: belongs to another user (number {}), {}; look what is in it, then "
                            "make it your own (chown), or use a copy that is",
                            path, owner, in_words(danger)));
  }
  if ((status.st_mode & kOthersWrite) == 0) return;
  if ((status.st_mode & S_IWOTH) == 0 && is_of_user_alone(status.st_gid, owner)) return;
  if (danger == Danger::replace && (status.st_mode & S_ISVTX) != 0) return;
  throw Error(ExitStatus::refused,
              fmt::format("{}: may be written by {} (mode {:04o}), {}; look what is in it, then "
                          "chmod go-w {}",
                          path, (status.st_mode & S_IWOTH) != 0 ? "everybody" : "its group",
                          status.st_mode & 07777U, in_words(danger), path));
}

std::string folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

void require_own_content(const std::string& path, uid_t also) {
  require_own(path, Danger::change, also);
}

void require_own_file(const std::string& path, uid_t also) {
  require_own_content(path, also);
  std::error_code none;
  const fs::path real = fs::canonical(path, none);
  if (none) return;  // whoever opens it says why
  const std::set<std::string> folders{folder_of(path), folder_of(real)};
  for (const std::string& folder : folders) require_own(folder, Danger::replace, also);
}

void require_own_folder(const std::string& path, uid_t also) {
  require_own(path, Danger::add, also);
}

std::optional<std::string> readable_by_others(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & kOthersRead) == 0)
    return std::nullopt;
  return fmt::format(
      "{}: is secret and may be read by {} (mode {:04o}); chmod go-r {}, and make "
      "a new one if somebody did",
      path, (status.st_mode & S_IROTH) != 0 ? "everybody" : "its group", status.st_mode & 07777U,
      path);
}

void keep_others_from_writing(const std::string& path) {
  std::error_code refused_later;
  fs::permissions(path, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove,
                  refused_later);
}

uid_t owner_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_uid : static_cast<uid_t>(-1);
}

}  // namespace platter::model

#include "safety/left_journals.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/interruption.h"
#include "safety/journal.h"

namespace platter::safety {
namespace {

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// No run leaves a folder or a pipe. Behind a link somebody may have put a journal elsewhere; one
// that leads nowhere is a journal that cannot be read.
bool is_something_else(const std::filesystem::directory_entry& entry) {
  using std::filesystem::file_type;
  std::error_code failed;
  const file_type type = std::filesystem::status(entry.path(), failed).type();
  return type != file_type::regular && type != file_type::not_found && type != file_type::none;
}

LeftJournal readable_journal(const std::string& path) {
  try {
    return {path, read_journal(path)};
  } catch (const Error& error) {
    let_interruptions_pass(error);
    throw Error(ExitStatus::refused,
                fmt::format("a run that was cut off may have left something in a journal that "
                            "cannot be read: {}; look at it with platter restore --inspect, and "
                            "remove it or name another folder with --journal",
                            error.what()));
  }
}

}  // namespace

// A run holds the lock of its journal for as long as its process lives.
bool in_use(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return locked;
}

std::vector<LeftJournal> left_journals(const std::string& folder, const model::Identity& identity) {
  std::error_code failed;
  if (!std::filesystem::exists(folder, failed) && !failed) return {};
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().extension() == kJournalExtension && !is_something_else(*entry))
      paths.push_back(entry->path().string());
  if (failed)
    throw Error(ExitStatus::permission,
                fmt::format("the folder of journals {} cannot be looked through ({}), and an "
                            "earlier run may have left something there: let this user read it, or "
                            "name another one with --journal",
                            folder, failed.message()));
  std::ranges::sort(paths);
  std::vector<LeftJournal> all;
  for (const std::string& path : paths) {
    if (in_use(path)) continue;
    LeftJournal left = readable_journal(path);
    if (identity::same_drive(left.contents.identity, identity)) all.push_back(std::move(left));
  }
  return all;
}

std::optional<std::string> remove_journal(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return fmt::format(
        "{} cannot be removed: {}; remove it by hand, nothing is left to restore from it", path,
        std::strerror(errno));
  synchronize(folder_of(path));
  return std::nullopt;
}

}  // namespace platter::safety

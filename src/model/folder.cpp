#include "model/folder.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.h"

namespace platter::model {

namespace {

namespace fs = std::filesystem;

// Nothing has a name that is too long.
fs::file_type type_of(const fs::path& path) {
  std::error_code failed;
  const fs::file_type type = fs::status(path, failed).type();
  if (type != fs::file_type::none) return type;
  if (failed == std::errc::filename_too_long) return fs::file_type::not_found;
  const bool forbidden = failed == std::errc::permission_denied;
  throw Error(forbidden ? ExitStatus::permission : ExitStatus::bad_input,
              fmt::format("{}: cannot be looked at: {}; {}", path.string(), failed.message(),
                          forbidden ? "check the permissions of the folders above it"
                                    : "mend it, or name another"));
}

}  // namespace

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  if (failed == std::errc::no_such_file_or_directory) return paths;
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
    paths.push_back(entry->path());
  if (failed) {
    const bool forbidden = failed == std::errc::permission_denied;
    throw Error(
        forbidden ? ExitStatus::permission : ExitStatus::bad_input,
        fmt::format("{}: this folder cannot be read: {}; {}", folder.string(), failed.message(),
                    forbidden ? "check its permissions" : "name or mend another"));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }

bool is_folder(const fs::path& path) { return type_of(path) == fs::file_type::directory; }

void make_folder(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed)
    throw Error(ExitStatus::output,
                fmt::format("{}: this folder cannot be made: {}", path.string(), failed.message()));
}

std::string absolute_path(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  return (failed ? path : whole).string();
}

}  // namespace platter::model

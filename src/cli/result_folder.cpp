#include "cli/result_folder.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "model/error.h"

namespace platter::cli {

namespace fs = std::filesystem;

ResultFolder::ResultFolder(const std::string& path) {
  std::error_code error;
  for (fs::path folder = fs::absolute(path);
       !fs::exists(folder, error) && folder.has_relative_path(); folder = folder.parent_path())
    made_.push_back(folder.string());
  fs::create_directories(path, error);
  if (error)
    throw Error(ExitStatus::output,
                fmt::format("{}: this folder cannot be made: {}", path, error.message()));
}

ResultFolder::~ResultFolder() {
  std::error_code not_empty;
  for (const std::string& folder : made_) fs::remove(folder, not_empty);
}

}  // namespace platter::cli

#include "model/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "model/error.h"
#include "model/quietly.h"

namespace platter::model {

std::string temporary_name(const std::string& name) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    throw Error(ExitStatus::output,
                "TMPDIR names no folder, and temporary files are needed; set it to one that can be "
                "written");
  return (folder / (name + "-XXXXXX")).string();
}

TemporaryFolder::TemporaryFolder(std::string pattern) : path_(std::move(pattern)) {
  const SignalsHeld held;
  if (::mkdtemp(path_.data()))
    leftover_.emplace(path_);
  else
    path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) quietly([&] { std::filesystem::remove_all(path_, ignored); });
}

const std::string& TemporaryFolder::file(const std::string& name) {
  return files_.emplace_back(path_ + "/" + name).path();
}

}  // namespace platter::model

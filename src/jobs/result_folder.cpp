#include "jobs/result_folder.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "model/folder.h"

namespace platter::jobs {

namespace fs = std::filesystem;

ResultFolder::ResultFolder(const std::string& path) {
  std::error_code told_when_made;
  for (fs::path folder = model::absolute_path(path);
       !fs::exists(folder, told_when_made) && folder.has_relative_path();
       folder = folder.parent_path())
    made_.push_back(folder.string());
  model::make_folder(path);
}

ResultFolder::~ResultFolder() {
  for (const std::string& folder : made_) ::rmdir(folder.c_str());  // but what holds something
}

}  // namespace platter::jobs

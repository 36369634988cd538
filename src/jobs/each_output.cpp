#include "jobs/each_output.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "model/error.h"
#include "model/file.h"
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

EachOutput::EachOutput(const std::vector<std::string>& names, std::string output,
                       std::string ending)
    : output_(std::move(output)), ending_(std::move(ending)) {
  if (names.size() == 1) return;
  if (model::is_file(output_))
    throw Error(
        ExitStatus::usage,
        output_ + ": is a file; what is made of several goes to a folder, name one with -o");
  folder_.emplace(output_);
}

std::string EachOutput::of(const std::string& name) const {
  namespace fs = std::filesystem;
  return folder_ ? (fs::path(output_) / (fs::path(name).stem().string() + ending_)).string()
                 : output_;
}

}  // namespace platter::jobs

#include "jobs/each_output.h"

#include <filesystem>
#include <utility>

#include "model/error.h"
#include "model/file.h"

namespace platter::jobs {

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

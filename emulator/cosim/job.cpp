#include "emulator/cosim/job.h"

#include <string_view>

#include "emulator/cosim/guest/record.h"

namespace platter::emulator {
namespace {

constexpr std::string_view kPath = "PATH=";

bool names(std::string_view path, std::string_view folder) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (path.substr(begin, end - begin) == folder) return true;
    begin = end + 1;
  }
  return false;
}

std::string path_of_root(std::string path) {
  for (const char* const folder : kFoldersOfRoot)
    if (!names(std::string_view(path).substr(kPath.size()), folder))
      path.append(":").append(folder);
  return path;
}

}  // namespace

std::string job_file(const Job& job) {
  std::string file;
  const auto add = [&](platter_cosim_entry kind, const std::string& value) {
    file.push_back(static_cast<char>(kind));
    file.append(value).push_back('\0');
  };
  add(PLATTER_COSIM_FOLDER, job.folder);
  add(PLATTER_COSIM_INPUT, job.input);
  if (job.merged_output) add(PLATTER_COSIM_MERGED, "");
  for (const std::string& share : job.shares) add(PLATTER_COSIM_SHARE, share);
  for (const std::string& variable : job.variables) add(PLATTER_COSIM_VARIABLE, variable);
  for (const std::string& argument : job.command) add(PLATTER_COSIM_ARGUMENT, argument);
  return file;
}

std::vector<std::string> variables_for_root(char** environment) {
  std::vector<std::string> variables;
  bool has_path = false;
  for (; *environment != nullptr; ++environment) {
    std::string variable = *environment;
    if (variable.starts_with(kPath)) {
      variable = path_of_root(std::move(variable));
      has_path = true;
    }
    variables.push_back(std::move(variable));
  }
  if (!has_path)
    variables.push_back("PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");
  return variables;
}

}  // namespace platter::emulator

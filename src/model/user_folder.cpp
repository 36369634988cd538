#include "model/user_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "model/file.h"

namespace platter::model {
namespace {

bool may_be_executed(const std::string& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> absolute_path_in(const char* variable) {
  const char* const path = std::getenv(variable);
  if (path == nullptr || path[0] != '/') return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::string> program_on_path(const std::string& name, PathFolders folders) {
  if (name.find('/') != std::string::npos)
    return may_be_executed(name) ? std::optional(name) : std::nullopt;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (folders == PathFolders::absolute && !folder.starts_with('/')) continue;
    const std::string program = std::string(folder) + "/" + name;
    if (may_be_executed(program)) return program;
  }
  return std::nullopt;
}

std::optional<std::string> user_folder(const char* variable, const std::string& below_home) {
  if (auto named = absolute_path_in(variable)) return named;
  if (const auto home = absolute_path_in("HOME")) return *home + "/" + below_home;
  return std::nullopt;
}

}  // namespace platter::model

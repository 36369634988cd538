#include "model/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "model/file.h"

namespace platter::model {

std::optional<std::string> program_on_path(const std::string& name, PathFolders folders) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (folders == PathFolders::absolute && !folder.starts_with('/')) continue;
    const std::string program = std::string(folder) + "/" + name;
    if (is_file(program) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

}  // namespace platter::model
